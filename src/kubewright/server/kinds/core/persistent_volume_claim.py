"""The PersistentVolumeClaim kind."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required
from kubewright.machinery.names import (
    is_dns1123_subdomain,
    is_qualified_name,
    name_is_dns_label,
    name_is_dns_subdomain,
)
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.core.internal_json import internal_diff
from kubewright.server.kinds.core.persistent_volume import VOLUME_MODES, validate_access_modes
from kubewright.server.kinds.core.resource_rules import (
    is_native_resource,
    quantity,
    round_resources,
    same_resources,
    validate_amount,
    validate_basic_resource,
    validate_positive,
)
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import (
    FIELD_IMMUTABLE,
    validate_immutable,
    validate_label_selector,
)

__all__ = ["PERSISTENT_VOLUME_CLAIM", "default_claim_spec", "normalize_data_sources"]

_STORAGE_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_SPEC_IMMUTABLE: Final = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for "
    "bound claims"
)
_STORAGE: Final = "spec.resources.requests.storage"
_RESIZE_STATUSES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


def default_claim_spec(spec: Object) -> None:
    """Fill in the defaults of the spec of a claim, or of a template of one."""
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    resources = spec.get("resources") or {}
    round_resources(resources.get("limits"))
    round_resources(resources.get("requests"))


def _default(obj: Object) -> None:
    status = obj.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"
    default_claim_spec(obj.setdefault("spec", {}))
    round_resources(status.get("capacity"))
    round_resources(status.get("allocatedResources"))


def _prepare_create(obj: Object, context: Context) -> None:
    # Upstream clears the phase as well, and its conversion gives it back.
    obj["status"] = {"phase": "Pending"}
    _prepare_data_sources(obj.setdefault("spec", {}), None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    obj["status"] = old.get("status") or {}
    _prepare_data_sources(obj.setdefault("spec", {}), old.get("spec") or {})


def _prepare_data_sources(spec: Object, old: Object | None) -> None:
    reference = spec.get("dataSourceRef")
    if reference and reference.get("namespace") and (old is None or old.get("dataSourceRef") is None):
        # Other namespaces are behind a gate that is off.
        del spec["dataSourceRef"]
    in_use = old is not None and not (old.get("dataSource") is None and old.get("dataSourceRef") is None)
    if not in_use and spec.get("dataSourceRef") is None and not _is_known_source(spec.get("dataSource")):
        spec.pop("dataSource", None)
    normalize_data_sources(spec)


def _is_known_source(source: Object | None) -> bool:
    if source is None:
        return False
    named = (source.get("apiGroup") or "", source.get("kind"))
    return named in {("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot")}


def normalize_data_sources(spec: Object) -> None:
    """Give `dataSource` and `dataSourceRef` the same value where only one of them is set."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    fields = ("apiGroup", "kind", "name")
    if source is not None and reference is None:
        spec["dataSourceRef"] = {field: source[field] for field in fields if field in source}
    elif reference is not None and source is None and not reference.get("namespace"):
        spec["dataSource"] = {field: reference[field] for field in fields if field in reference}


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj.get("spec") or {}, allow_invalid_values=False, allow_invalid_groups=False)


def _validate_spec(spec: Object, *, allow_invalid_values: bool, allow_invalid_groups: bool) -> Errors:
    path = "spec"
    modes = spec.get("accessModes") or ()
    errors: Errors = []
    if not modes:
        errors.append(required(f"{path}.accessModes", "at least 1 access mode is required"))
    errors += validate_label_selector(
        spec.get("selector"), f"{path}.selector", allow_invalid_values=allow_invalid_values
    )
    errors += validate_access_modes(modes, f"{path}.accessModes")
    errors += _validate_storage(spec, f"{path}.resources[storage]")
    errors += _validate_class(spec.get("storageClassName"), f"{path}.storageClassName")
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        errors.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    errors += _validate_data_sources(spec, path, allow_invalid_groups=allow_invalid_groups)
    return errors + _validate_class(
        spec.get("volumeAttributesClassName"), f"{path}.volumeAttributesClassName"
    )


def _validate_storage(spec: Object, path: str) -> Errors:
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        return [required(path)]
    return validate_positive(storage, path) or validate_amount("storage", storage, path)


def _validate_class(name: str | None, path: str) -> Errors:
    return [invalid(path, name, message) for message in name_is_dns_subdomain(name)] if name else []


def _validate_data_sources(spec: Object, path: str, *, allow_invalid_groups: bool) -> Errors:
    errors: Errors = []
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        errors += _validate_source(source, f"{path}.dataSource", allow_invalid_groups=allow_invalid_groups)
    if reference is None:
        return errors
    place = f"{path}.dataSourceRef"
    errors += _validate_source(reference, place, allow_invalid_groups=allow_invalid_groups)
    namespace = reference.get("namespace")
    if namespace:
        for message in name_is_dns_label(namespace):
            errors.append(invalid(f"{place}.namespace", namespace, message))
        if source is not None:
            # Upstream gives a path as the bad value, which prints as an empty object.
            detail = "may not be specified when dataSourceRef.namespace is specified"
            errors.append(invalid(path, {}, detail))
    elif source is not None and any(
        source.get(field) != reference.get(field) for field in ("apiGroup", "kind", "name")
    ):
        errors.append(invalid(path, {}, "must match dataSourceRef"))
    return errors


def _validate_source(source: Object, path: str, *, allow_invalid_groups: bool) -> Errors:
    errors: Errors = []
    kind, group = source.get("kind") or "", source.get("apiGroup") or ""
    if not source.get("name"):
        errors.append(required(f"{path}.name"))
    if not kind:
        errors.append(required(f"{path}.kind"))
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        errors.append(invalid(path, kind, detail))
    if group and not allow_invalid_groups:
        errors += [invalid(f"{path}.apiGroup", group, message) for message in is_dns1123_subdomain(group)]
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    spec, old_spec = obj.get("spec") or {}, dict(old.get("spec") or {})
    normalize_data_sources(old_spec)
    old_sources = (old_spec.get("dataSource") or {}, old_spec.get("dataSourceRef") or {})
    errors = _validate_spec(
        spec,
        allow_invalid_values=bool(validate_label_selector(old_spec.get("selector"), "")),
        allow_invalid_groups=any(source.get("apiGroup") is not None for source in old_sources),
    )
    errors += _validate_spec_change(obj, old, spec, old_spec)
    status = old.get("status") or {}
    size, old_size = _requested(spec), _requested(old_spec)
    if size < old_size and size <= quantity((status.get("capacity") or {}).get("storage", 0)):
        errors.append(forbidden(_STORAGE, "field can not be less than status.capacity"))
    errors += validate_immutable(spec.get("volumeMode"), old_spec.get("volumeMode"), "volumeMode")
    field, current = "volumeAttributesClassName", status.get("currentVolumeAttributesClassName")
    if spec.get(field) != old_spec.get(field) and current is not None and not spec.get(field):
        changed_to = "nil" if spec.get(field) is None else "empty string"
        detail = (
            f"update to {changed_to} is forbidden when status.currentVolumeAttributesClassName is not nil"
        )
        errors.append(forbidden(f"spec.{field}", detail))
    return errors


def _requested(spec: Object) -> Quantity:
    return quantity(((spec.get("resources") or {}).get("requests") or {}).get("storage", 0))


def _validate_spec_change(obj: Object, old: Object, spec: Object, old_spec: Object) -> Errors:
    """What is wrong with a change of the spec, apart from what may change of it."""
    errors: Errors = []
    new_copy, old_copy = dict(spec), dict(old_spec)
    if not old_copy.get("volumeName") and new_copy.get("volumeName"):
        old_copy["volumeName"] = new_copy["volumeName"]
    annotations, old_annotations = _annotations(obj), _annotations(old)
    annotated, old_annotated = annotations.get(_STORAGE_CLASS), old_annotations.get(_STORAGE_CLASS)
    name, old_name = spec.get("storageClassName"), old_spec.get("storageClassName")
    newly_named = old_name is None and name is not None
    if newly_named and name == old_annotated and annotated in (None, old_annotated):
        # The class moves from the annotation to the field.
        del new_copy["storageClassName"]
    else:
        if (annotated or "") != (old_annotated or ""):
            path = f"metadata.annotations.{_STORAGE_CLASS}"
            errors.append(invalid(path, annotated or "", FIELD_IMMUTABLE))
        if newly_named and old_annotated in (None, name):
            del new_copy["storageClassName"]
    if ((obj.get("status") or {}).get("phase")) == "Bound":
        _take_back_mutable(new_copy, old_copy)
    if not _same_spec(new_copy, old_copy):
        diff = internal_diff(old_copy, new_copy, "PersistentVolumeClaimSpec")
        errors.append(forbidden("spec", f"{_SPEC_IMMUTABLE}\n{diff}"))
    return errors


def _annotations(obj: Object) -> Object:
    annotations: Object = (obj.get("metadata") or {}).get("annotations") or {}
    return annotations


def _take_back_mutable(spec: Object, old: Object) -> None:
    resources = spec.get("resources") or {}
    # Upstream does so unless there are no requests at all, which is not told here from empty ones.
    requests = resources.get("requests") or {}
    old_size = ((old.get("resources") or {}).get("requests") or {}).get("storage", "0")
    spec["resources"] = resources | {"requests": requests | {"storage": old_size}}
    field = "volumeAttributesClassName"
    spec.pop(field, None)
    if old.get(field) is not None:
        spec[field] = old[field]


def _same_spec(one: Object, other: Object) -> bool:
    if one == other:
        return True
    ones, others = one.get("resources") or {}, other.get("resources") or {}
    if not all(same_resources(ones.get(field), others.get(field)) for field in ("limits", "requests")):
        return False
    return {**one, "resources": None} == {**other, "resources": None}


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors: Errors = []
    if not (obj.get("spec") or {}).get("accessModes"):
        errors.append(required("Spec.accessModes"))
    for name, amount in (status.get("capacity") or {}).items():
        errors += validate_basic_resource(amount, f"status.capacity[{name}]")
    path = "status.allocatedResourceStatuses"
    for name, state in (status.get("allocatedResourceStatuses") or {}).items():
        errors += _validate_resource_key(name, path)
        if state not in _RESIZE_STATUSES:
            # Upstream shows the key where the value should be.
            errors.append(not_supported(path, name, _RESIZE_STATUSES))
    path = "status.allocatedResources"
    for name, amount in (status.get("allocatedResources") or {}).items():
        place = f"{path}[{name}]"
        errors += (
            _validate_resource_key(name, path)
            or validate_basic_resource(amount, place)
            or validate_amount("storage", amount, place)
        )
    return errors


def _validate_resource_key(name: str, path: str) -> Errors:
    errors = [invalid(path, name, message) for message in is_qualified_name(name)]
    if not errors and is_native_resource(name) and name != "storage":
        errors.append(not_supported(path, name, ("storage",)))
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    warnings: list[str] = []
    if _STORAGE_CLASS in _annotations(obj):
        advice = 'deprecated since v1.8; use "storageClassName" attribute instead'
        warnings.append(f"metadata.annotations[{_STORAGE_CLASS}]: {advice}")
    resources = (obj.get("spec") or {}).get("resources") or {}
    for field in ("requests", "limits"):
        storage = (resources.get(field) or {}).get("storage")
        if storage is not None and quantity(storage).milli_value() % 1000 != 0:
            path = f"spec.resources.{field}[storage]"
            warnings.append(f'{path}: fractional byte value "{storage}" is invalid, must be an integer')
    return warnings


PERSISTENT_VOLUME_CLAIM: Final = Kind(
    metadata_checks=2,
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec",))
    },
    always={"spec": {"resources": {}}, "status": {}},
)
