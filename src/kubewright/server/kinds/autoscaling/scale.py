"""The rules of Scale, the body of `/scale` subresources."""

from __future__ import annotations

from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_non_negative

__all__ = ["validate_scale"]


def validate_scale(obj: Object) -> Errors:
    """All that is wrong with a Scale, but for its metadata."""
    return validate_non_negative((obj.get("spec") or {}).get("replicas") or 0, "spec.replicas")
