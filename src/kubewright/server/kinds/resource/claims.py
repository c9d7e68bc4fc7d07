"""The rules of ResourceClaims and ResourceClaimTemplates."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid
from kubewright.server.kinds.fields import clear_status, keep_status
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE, validate_annotations, validate_labels
from kubewright.server.kinds.resource.claim_spec import default_claim_spec, validate_claim_spec
from kubewright.server.kinds.resource.claim_status import CLAIM_STATUS, default_claim_status
from kubewright.server.kinds.resource.internal_form import claim_spec_as_go

__all__ = ["RESOURCE_CLAIM", "RESOURCE_CLAIM_TEMPLATE"]

# In the order of Go's struct; labels and annotations are the only metadata that a template may have.
_OTHER_METADATA: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
    "managedFields",
)


def _default(obj: Object) -> None:
    default_claim_spec(obj.get("spec") or {})
    default_claim_status(obj.get("status") or {})


def _validate(obj: Object) -> Errors:
    return validate_claim_spec(obj.get("spec") or {}, "spec")


def _validate_update(obj: Object, old: Object) -> Errors:
    spec = obj.get("spec") or {}
    if spec == (old.get("spec") or {}):
        return []
    return [invalid("spec", claim_spec_as_go(spec), FIELD_IMMUTABLE)]


RESOURCE_CLAIM: Final = Kind(
    default=_default,
    prepare_create=clear_status,
    prepare_update=keep_status,
    validate=_validate,
    validate_update=_validate_update,
    subresources={"status": CLAIM_STATUS},
)


def _default_template(obj: Object) -> None:
    default_claim_spec((obj.get("spec") or {}).get("spec") or {})


def _validate_template(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    metadata = spec.get("metadata") or {}
    errors = validate_annotations(metadata.get("annotations"), "spec.metadata.annotations")
    errors += validate_labels(metadata.get("labels"), "spec.metadata.labels")
    for field in _OTHER_METADATA:
        if metadata.get(field):
            # Upstream's name of the field in Go, with a small first letter.
            name = "uID" if field == "uid" else field
            errors.append(forbidden(f"spec.metadata.{name}", "cannot be set"))
    return errors + validate_claim_spec(spec.get("spec") or {}, "spec.spec")


def _validate_template_update(obj: Object, old: Object) -> Errors:
    errors = _validate_template(obj)
    spec = obj.get("spec") or {}
    if spec != (old.get("spec") or {}):
        metadata = {field: value for field, value in (spec.get("metadata") or {}).items() if value}
        shown = {**metadata, "Spec": claim_spec_as_go(spec.get("spec") or {})}
        errors.append(invalid("spec", shown, FIELD_IMMUTABLE))
    return errors


RESOURCE_CLAIM_TEMPLATE: Final = Kind(
    default=_default_template,
    validate=_validate_template,
    validate_update=_validate_template_update,
    resets=(),
)
