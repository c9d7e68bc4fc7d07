"""The PersistentVolume kind."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import normpath
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required
from kubewright.machinery.names import name_is_dns_subdomain
from kubewright.machinery.time import format_time
from kubewright.server.kinds.core.internal_json import internal_diff, internal_json
from kubewright.server.kinds.core.node_selector import (
    has_invalid_values,
    node_selector_warnings,
    validate_node_selector,
    with_current_labels,
)
from kubewright.server.kinds.core.persistent_volume_sources import VOLUME_SOURCES, validate_volume_sources
from kubewright.server.kinds.core.resource_rules import (
    round_resources,
    validate_basic_resource,
    validate_positive,
)
from kubewright.server.kinds.core.volume_defaults import default_volume
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import validate_immutable

__all__ = ["ACCESS_MODES", "PERSISTENT_VOLUME", "VOLUME_MODES", "validate_access_modes"]

ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
"""How volumes can be mounted, in the order in which messages name them."""

VOLUME_MODES: Final = ("Block", "Filesystem")
"""As what volumes can be used, in the order in which messages name them."""

_RECLAIM_POLICIES: Final = ("Delete", "Recycle", "Retain")
_DEFAULTED_SOURCES: Final = ("hostPath", "rbd", "iscsi", "azureDisk", "scaleIO")
_MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"

# The sources that take mount options in an annotation.
_MOUNT_OPTION_SOURCES: Final = (
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
)

_DEPRECATED_ANNOTATIONS: Final = {
    "volume.beta.kubernetes.io/storage-class": (
        'deprecated since v1.8; use "storageClassName" attribute instead'
    ),
    _MOUNT_OPTIONS: 'deprecated since v1.31; use "mountOptions" attribute instead',
}

# Sources that no kubelet mounts any more, with upstream's name of the field, and since when.
_DEPRECATED_SOURCES: Final = {
    "cephfs": ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    "photonPersistentDisk": ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    "scaleIO": ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    "storageos": ("storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    "glusterfs": ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    "rbd": ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
}


def _default(obj: Object) -> None:
    status = obj.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"
    spec = obj.setdefault("spec", {})
    if not spec.get("persistentVolumeReclaimPolicy"):
        spec["persistentVolumeReclaimPolicy"] = "Retain"
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    round_resources(spec.get("capacity"))
    for field in _DEFAULTED_SOURCES:
        if spec.get(field) is not None:
            default_volume({field: spec[field]})


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"phase": "Pending", "lastPhaseTransitionTime": format_time(context.now)}


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    obj["status"] = old.get("status") or {}


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}
    status, old_status = obj.setdefault("status", {}), old.get("status") or {}
    changed, old_changed = status.get("lastPhaseTransitionTime"), old_status.get("lastPhaseTransitionTime")
    if status.get("phase") == old_status.get("phase"):
        if changed is None and old_changed is not None:
            status["lastPhaseTransitionTime"] = old_changed
    elif changed is None or changed == old_changed:
        status["lastPhaseTransitionTime"] = format_time(context.now)


def validate_access_modes(modes: Sequence[str], path: str) -> Errors:
    """What is wrong with the access modes of a volume or a claim, if there are any."""
    errors = [not_supported(path, mode, ACCESS_MODES) for mode in modes if mode not in ACCESS_MODES]
    known = {mode for mode in modes if mode in ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        errors.append(forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return errors


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj, allow_invalid_values=False) + _validate_mount_options(obj)


def _validate_spec(obj: Object, *, allow_invalid_values: bool) -> Errors:
    spec = obj.get("spec") or {}
    modes = spec.get("accessModes") or ()
    errors: Errors = [] if modes else [required("spec.accessModes")]
    errors += validate_access_modes(modes, "spec.accessModes")
    errors += _validate_capacity(spec.get("capacity") or {})
    policy = spec.get("persistentVolumeReclaimPolicy")
    if policy and policy not in _RECLAIM_POLICIES:
        errors.append(not_supported("spec.persistentVolumeReclaimPolicy", policy, _RECLAIM_POLICIES))
    affinity = spec.get("nodeAffinity")
    if affinity is not None:
        errors += _validate_affinity(affinity, allow_invalid_values=allow_invalid_values)
    errors += validate_volume_sources(spec, (obj.get("metadata") or {}).get("name") or "")
    host_path = spec.get("hostPath")
    if host_path is not None and policy == "Recycle" and _is_root(host_path.get("path") or ""):
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        errors.append(forbidden("spec.persistentVolumeReclaimPolicy", detail))
    return errors + _validate_classes(spec)


def _is_root(path: str) -> bool:
    # Python keeps two slashes at the start, Go does not.
    return path.startswith("/") and normpath(path) in {"/", "//"}


def _validate_capacity(capacity: Object) -> Errors:
    path = "spec.capacity"
    errors: Errors = [] if capacity else [required(path)]
    if "storage" not in capacity or len(capacity) > 1:
        errors.append(not_supported(path, dict(sorted(capacity.items())) or None, ("storage",)))
    for name, amount in capacity.items():
        errors += validate_basic_resource(amount, f"{path}[{name}]")
        errors += validate_positive(amount, f"{path}[{name}]")
    return errors


def _validate_affinity(affinity: Object, *, allow_invalid_values: bool) -> Errors:
    path = "spec.nodeAffinity.required"
    selector = affinity.get("required")
    if selector is None:
        return [required(path, "must specify required node constraints")]
    return validate_node_selector(selector, path, allow_invalid_values=allow_invalid_values)


def _validate_classes(spec: Object) -> Errors:
    errors: Errors = []
    storage_class = spec.get("storageClassName")
    if storage_class:
        for message in name_is_dns_subdomain(storage_class):
            errors.append(invalid("spec.storageClassName", storage_class, message))
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        errors.append(not_supported("spec.volumeMode", mode, VOLUME_MODES))
    attributes = spec.get("volumeAttributesClassName")
    if attributes is None:
        return errors
    if not attributes:
        errors.append(required("spec.volumeAttributesClassName", "an empty string is disallowed"))
    else:
        for message in name_is_dns_subdomain(attributes):
            errors.append(invalid("spec.volumeAttributesClassName", attributes, message))
    if spec.get("csi") is None:
        errors.append(required("spec.csi", "has to be specified when using volumeAttributesClassName"))
    return errors


def _validate_mount_options(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    if _MOUNT_OPTIONS not in ((obj.get("metadata") or {}).get("annotations") or {}):
        return []
    if any(spec.get(field) is not None for field in _MOUNT_OPTION_SOURCES):
        return []
    path = f"metadata.annotations.{_MOUNT_OPTIONS}"
    return [forbidden(path, "may not specify mount options for this volume type")]


def _validate_update(obj: Object, old: Object) -> Errors:
    spec, old_spec = obj.get("spec") or {}, old.get("spec") or {}
    old_selector = (old_spec.get("nodeAffinity") or {}).get("required") or {}
    allowed = has_invalid_values(old_selector)
    errors = _validate_spec(obj, allow_invalid_values=allowed) + _validate_mount_options(obj)
    # Upstream validates twice.
    errors += _validate_spec(obj, allow_invalid_values=allowed)
    sources, old_sources = _sources(spec), _sources(old_spec)
    if _without_new_secret(sources, old_sources) != old_sources:
        diff = internal_diff(old_sources, _without_new_secret(sources, old_sources), "PersistentVolumeSource")
        detail = f"spec.persistentvolumesource is immutable after creation\n{diff}"
        errors.append(forbidden("spec.persistentvolumesource", detail))
    errors += validate_immutable(spec.get("volumeMode"), old_spec.get("volumeMode"), "volumeMode")
    errors += _validate_affinity_change(spec.get("nodeAffinity"), old_spec.get("nodeAffinity"))
    field = "volumeAttributesClassName"
    if old_spec.get(field) is not None and spec.get(field) is None:
        errors.append(forbidden(f"spec.{field}", "update from non-nil value to nil is forbidden"))
    return errors


def _validate_affinity_change(affinity: Object | None, old: Object | None) -> Errors:
    if (
        old is None
        or affinity == old
        or (affinity is not None and with_current_labels(old, affinity) == affinity)
    ):
        return []
    shown = None if affinity is None else internal_json(affinity, "VolumeNodeAffinity")
    detail = "field is immutable, except for updating from beta label to GA"
    return [invalid("nodeAffinity", shown, detail)]


def _sources(spec: Object) -> Object:
    return {field: spec[field] for field in VOLUME_SOURCES if spec.get(field) is not None}


def _without_new_secret(sources: Object, old: Object) -> Object:
    """The sources without a secret for expansion that the update adds, which it may."""
    csi, old_csi, secret = sources.get("csi"), old.get("csi"), "controllerExpandSecretRef"
    if csi is None or old_csi is None or csi.get(secret) is None or old_csi.get(secret) is not None:
        return sources
    return sources | {"csi": {name: value for name, value in csi.items() if name != secret}}


def _warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    warnings = [
        f"metadata.annotations[{key}]: {advice}"
        for key, advice in _DEPRECATED_ANNOTATIONS.items()
        if key in annotations
    ]
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        warnings.append(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the "
            "recommended approach is to use dynamic provisioning."
        )
    selector = (spec.get("nodeAffinity") or {}).get("required")
    if selector is not None:
        warnings += node_selector_warnings(selector, "spec.nodeAffinity.required")
    for field, (name, advice) in _DEPRECATED_SOURCES.items():
        if spec.get(field) is not None:
            warnings.append(f"spec.{name}: {advice}")
    return warnings


PERSISTENT_VOLUME: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    subresources={"status": Subresource(prepare=_prepare_status, resets=("spec",))},
    always={"spec": {}, "status": {}},
)
