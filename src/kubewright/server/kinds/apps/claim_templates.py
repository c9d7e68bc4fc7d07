"""The PersistentVolumeClaims that a StatefulSet makes for its pods: `spec.volumeClaimTemplates`."""

from __future__ import annotations

from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.apps.workloads import set_default
from kubewright.server.kinds.core.persistent_volume_claim import default_claim_spec
from kubewright.server.kinds.core.volume_claim_template import check_claim_spec
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["claim_template_warnings", "default_claim_template", "validate_claim_template"]


def default_claim_template(claim: Object) -> None:
    """Fill in the defaults of a claim, and its kind, which Go's conversion always sets."""
    claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
    default_claim_spec(claim.setdefault("spec", {}))
    set_default(claim.setdefault("status", {}), "phase", "Pending")


def validate_claim_template(claim: Object, path: str) -> Errors:
    """All that is wrong with the spec of a claim; its metadata is not looked at."""
    errors: Errors = []
    check_claim_spec(errors, claim.get("spec") or {}, f"{path}.spec")
    return errors


def claim_template_warnings(claim: Object, path: str) -> list[str]:
    """A claim for parts of a byte is rounded by some drivers, and refused by others."""
    resources = (claim.get("spec") or {}).get("resources") or {}
    warnings = []
    for field in ("requests", "limits"):
        amount = (resources.get(field) or {}).get("storage")
        if amount is not None and _is_fractional(amount):
            place = f"{path}.resources.{field}[storage]"
            warnings.append(f'{place}: fractional byte value "{amount}" is invalid, must be an integer')
    return warnings


def _is_fractional(amount: str) -> bool:
    try:
        return Quantity(amount).milli_value() % 1000 != 0
    except ParseError:
        return False
