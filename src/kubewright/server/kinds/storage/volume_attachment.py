"""The rules of VolumeAttachments."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, required, too_long
from kubewright.machinery.names import is_in_range, name_is_dns_subdomain
from kubewright.server.kinds.core.internal_json import internal_json
from kubewright.server.kinds.core.persistent_volume import validate_access_modes
from kubewright.server.kinds.core.persistent_volume_sources import validate_volume_sources
from kubewright.server.kinds.core.resource_rules import round_resources
from kubewright.server.kinds.core.volume_defaults import default_volume
from kubewright.server.kinds.core.volume_sources import check_csi_driver_name
from kubewright.server.kinds.fields import keep_metadata, keep_spec, keep_status
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE, byte_length

__all__ = ["VOLUME_ATTACHMENT"]

_METADATA_SIZE: Final = 256 * 1024
"""Upstream's maxAttachedVolumeMetadataSize, in bytes."""

_MESSAGE_LENGTH: Final = 1024
"""Upstream's maxVolumeErrorMessageSize; what it tells of is the other limit."""

_ONE_SOURCE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
_INLINE: Final = "may not be specified in the context of inline volumes"
_DEFAULTED_SOURCES: Final = ("hostPath", "rbd", "iscsi", "azureDisk", "scaleIO")


def _inline(obj: Object) -> Object | None:
    source = (obj.get("spec") or {}).get("source") or {}
    found: Object | None = source.get("inlineVolumeSpec")
    return found


def _default(obj: Object) -> None:
    volume = _inline(obj)
    if volume is None:
        return
    round_resources(volume.get("capacity"))
    for field in _DEFAULTED_SOURCES:
        if volume.get(field) is not None:
            default_volume({field: volume[field]})


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"attached": False}


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    keep_spec(obj, old, context)
    keep_metadata(obj, old)


def _validate(obj: Object) -> Errors:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    errors: Errors = []
    check_csi_driver_name(errors, spec.get("attacher") or "", "spec.attacher")
    source, node = spec.get("source") or {}, spec.get("nodeName") or ""
    errors += _validate_source(source, "spec.source")
    errors += [invalid("spec.nodeName", node, message) for message in name_is_dns_subdomain(node)]
    errors += _validate_status(status)
    name = source.get("persistentVolumeName")
    if name is not None:
        messages = name_is_dns_subdomain(name)
        errors += [invalid("spec.source.persistentVolumeName", name, message) for message in messages]
    return errors


def _validate_source(source: Object, path: str) -> Errors:
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and name is None:
        return [required(path, _ONE_SOURCE)]
    if inline is not None and name is not None:
        return [forbidden(path, _ONE_SOURCE)]
    if inline is not None:
        return _validate_inline(inline, f"{path}.inlineVolumeSpec")
    if not name:
        return [required(f"{path}.persistentVolumeName", "must specify non empty persistentVolumeName")]
    return []


def _validate_inline(volume: Object, path: str) -> Errors:
    errors: Errors = []
    if volume.get("claimRef") is not None:
        errors.append(forbidden(f"{path}.claimRef", _INLINE))
    if volume.get("capacity"):
        errors.append(forbidden(f"{path}.capacity", _INLINE))
    if volume.get("csi") is None:
        errors.append(required(f"{path}.csi", "has to be specified in the context of inline volumes"))
    modes = volume.get("accessModes") or ()
    if not modes:
        errors.append(required(f"{path}.accessModes"))
    errors += validate_access_modes(modes, f"{path}.accessModes")
    policy, mode = volume.get("persistentVolumeReclaimPolicy"), volume.get("volumeMode")
    if policy and policy != "Retain":
        detail = "may only be Retain in the context of inline volumes"
        errors.append(forbidden(f"{path}.persistentVolumeReclaimPolicy", detail))
    if volume.get("nodeAffinity") is not None:
        errors.append(forbidden(f"{path}.nodeAffinity", _INLINE))
    for error in validate_volume_sources(volume, ""):
        # Those rules are of volumes of their own, where the spec is at the top.
        errors.append(error._replace(field=path + error.field.removeprefix("spec")))
    if volume.get("storageClassName"):
        errors.append(forbidden(f"{path}.storageClassName", _INLINE))
    if mode is not None and mode != "Filesystem":
        detail = "may not specify volumeMode other than Filesystem in the context of inline volumes"
        errors.append(forbidden(f"{path}.volumeMode", detail))
    return errors


def _validate_status(status: Object) -> Errors:
    errors: Errors = []
    metadata = status.get("attachmentMetadata") or {}
    if sum(byte_length(key) + byte_length(value) for key, value in metadata.items()) > _METADATA_SIZE:
        errors.append(too_long("status.attachmentMetadata", _METADATA_SIZE))
    for field in ("attachError", "detachError"):
        problem = status.get(field) or {}
        if byte_length(problem.get("message") or "") > _MESSAGE_LENGTH:
            errors.append(too_long(f"status.{field}.message", _METADATA_SIZE))
        code = problem.get("errorCode") or 0
        if code < 0:
            messages = is_in_range(code, 0, 2**31 - 1)
            errors += [invalid(f"status.{field}.errorCode", code, message) for message in messages]
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    errors = _validate(obj)
    spec = obj.get("spec") or {}
    if spec != (old.get("spec") or {}):
        errors.append(invalid("spec", _spec_as_go(spec), FIELD_IMMUTABLE))
    return errors


def _spec_as_go(spec: Object) -> Object:
    source = spec.get("source") or {}
    volume = source.get("inlineVolumeSpec")
    shown = {
        "PersistentVolumeName": source.get("persistentVolumeName"),
        "InlineVolumeSpec": None if volume is None else _volume_as_go(volume),
    }
    return {"Attacher": spec.get("attacher") or "", "Source": shown, "NodeName": spec.get("nodeName") or ""}


def _volume_as_go(volume: Object) -> Object:
    claim, affinity = volume.get("claimRef"), volume.get("nodeAffinity")
    return {
        "Capacity": dict(sorted((volume.get("capacity") or {}).items())) or None,
        **internal_json(volume, "PersistentVolumeSource"),
        "AccessModes": volume.get("accessModes") or None,
        "ClaimRef": None if claim is None else internal_json(claim, "ObjectReference"),
        "PersistentVolumeReclaimPolicy": volume.get("persistentVolumeReclaimPolicy") or "",
        "StorageClassName": volume.get("storageClassName") or "",
        "MountOptions": volume.get("mountOptions") or None,
        "VolumeMode": volume.get("volumeMode"),
        "NodeAffinity": None if affinity is None else internal_json(affinity, "VolumeNodeAffinity"),
        "VolumeAttributesClassName": volume.get("volumeAttributesClassName"),
    }


VOLUME_ATTACHMENT: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=keep_status,
    validate=_validate,
    validate_update=_validate_update,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_update, resets=("metadata", "spec"))
    },
    allow_unconditional_update=False,
)
