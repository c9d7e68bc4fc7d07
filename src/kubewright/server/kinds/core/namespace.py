"""The Namespace kind, with its status and finalize subresources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.machinery.field_errors import invalid
from kubewright.machinery.names import name_is_dns_label
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import validate_kube_finalizer, validate_label_name

__all__ = ["NAMESPACE", "set_name_label"]

_NAME_LABEL: Final = "kubernetes.io/metadata.name"


def set_name_label(obj: Object) -> None:
    """Set the label that repeats the name, which a name that is to be generated does not have yet."""
    metadata = obj.get("metadata")
    name = metadata.get("name") if metadata else None
    if metadata and name:
        labels = metadata.get("labels")
        if not labels:
            metadata["labels"] = {_NAME_LABEL: name}
        elif labels.get(_NAME_LABEL) != name:
            metadata["labels"] = labels | {_NAME_LABEL: name}


def _default(obj: Object) -> None:
    set_name_label(obj)
    status = obj.get("status")
    if not status:
        obj["status"] = {"phase": "Active"}
    elif not status.get("phase"):
        status["phase"] = "Active"


def _prepare_create(obj: Object, context: Context) -> None:
    set_name_label(obj)  # once more: by now a name is generated
    obj["status"] = {"phase": "Active"}
    spec = obj.get("spec") or {}
    finalizers = spec.get("finalizers") or []
    if "kubernetes" not in finalizers:
        obj["spec"] = spec | {"finalizers": [*finalizers, "kubernetes"]}


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}
    obj["status"] = old.get("status") or {}


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}


def _prepare_finalize(obj: Object, old: Object, context: Context) -> None:
    obj["status"] = old.get("status") or {}


def _validate(obj: Object) -> Errors:
    errors: Errors = []
    for finalizer in (obj.get("spec") or {}).get("finalizers") or ():
        errors += _validate_finalizer(finalizer, "spec.finalizers")
    return errors


def _validate_finalizer(finalizer: str, path: str) -> Errors:
    return validate_label_name(finalizer, path) + validate_kube_finalizer(finalizer, path)


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj)


def _validate_status(obj: Object, old: Object) -> Errors:
    phase = (obj.get("status") or {}).get("phase") or ""
    if not (obj.get("metadata") or {}).get("deletionTimestamp"):
        wanted, detail = "Active", "may only be 'Active' if `deletionTimestamp` is empty"
    else:
        wanted, detail = "Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty"
    # The capital letter is upstream's.
    return [] if phase == wanted else [invalid("status.Phase", phase, detail)]


def _validate_finalize(obj: Object, old: Object) -> Errors:
    errors: Errors = []
    for index, finalizer in enumerate((obj.get("spec") or {}).get("finalizers") or ()):
        errors += _validate_finalizer(finalizer, f"spec.finalizers[{index}]")
    return errors


def _fields(obj: Object) -> Mapping[str, str]:
    return {"status.phase": (obj.get("status") or {}).get("phase") or ""}


NAMESPACE: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    name=name_is_dns_label,
    fields=_fields,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec",)),
        "finalize": Subresource(prepare=_prepare_finalize, validate=_validate_finalize, resets=("status",)),
    },
    always={"spec": {}, "status": {}},
)
