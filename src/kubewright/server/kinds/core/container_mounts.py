"""The rules of where containers mount volumes, and of the block devices they get."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_found, required
from kubewright.server.kinds.core.name_checks import check_relative_path, unsupported
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["check_devices", "check_mounts"]

_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE_READ_ONLY: Final = ("Disabled", "Enabled", "IfPossible")


def check_mounts(
    errors: Errors,
    mounts: Sequence[Object],
    devices: Sequence[Object],
    volumes: Mapping[str, Object],
    container: Object,
    path: str,
) -> None:
    """The mounts of a container; `volumes` are the good ones of its pod."""
    targets: set[str] = set()
    device_names, device_paths = _names_and_paths(devices, "devicePath") if devices else ((), ())
    for index, mount in enumerate(mounts):
        name, target = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            errors.append(required(f"{path}[{index}].name"))
        if name not in volumes:
            errors.append(not_found(f"{path}[{index}].name", name))
        if not target:
            errors.append(required(f"{path}[{index}].mountPath"))
        if target in targets:
            errors.append(invalid(f"{path}[{index}].mountPath", target, "must be unique"))
        targets.add(target)
        if name in device_names:
            detail = "must not already exist in volumeDevices"
            errors.append(invalid(f"{path}[{index}].name", name, detail))
        if target in device_paths:
            detail = "must not already exist as a path in volumeDevices"
            errors.append(invalid(f"{path}[{index}].mountPath", target, detail))
        if len(mount) > ("name" in mount) + ("mountPath" in mount):
            _check_options(errors, mount, container, path, index)


def _check_options(errors: Errors, mount: Object, container: Object, path: str, index: int) -> None:
    sub_path, expression = mount.get("subPath"), mount.get("subPathExpr")
    if sub_path:
        check_relative_path(errors, sub_path, f"{path}.subPath")
    if expression:
        if sub_path:
            detail = "subPathExpr and subPath are mutually exclusive"
            errors.append(invalid(f"{path}[{index}].subPathExpr", expression, detail))
        check_relative_path(errors, expression, f"{path}.subPathExpr")
    propagation = mount.get("mountPropagation")
    if propagation is not None:
        place = f"{path}.mountPropagation"
        if propagation not in _PROPAGATIONS:
            errors.append(unsupported(place, propagation, _PROPAGATIONS))
        privileged = (container.get("securityContext") or {}).get("privileged")
        if propagation == "Bidirectional" and not privileged:
            detail = "Bidirectional mount propagation is available only to privileged containers"
            errors.append(forbidden(place, detail))
    recursive = mount.get("recursiveReadOnly")
    if recursive is not None and recursive != "Disabled":
        _check_recursive(errors, mount, recursive, f"{path}.recursiveReadOnly")


def _check_recursive(errors: Errors, mount: Object, recursive: str, path: str) -> None:
    if recursive not in _RECURSIVE_READ_ONLY:
        errors.append(unsupported(path, recursive, _RECURSIVE_READ_ONLY))
        return
    if not mount.get("readOnly"):
        errors.append(forbidden(path, "may only be specified when readOnly is true"))
    if mount.get("mountPropagation", "None") != "None":
        detail = "may only be specified when mountPropagation is None or not specified"
        errors.append(forbidden(path, detail))


def check_devices(
    errors: Errors,
    devices: Sequence[Object],
    mounts: Sequence[Object],
    volumes: Mapping[str, Object],
    path: str,
) -> None:
    """The block devices of a container."""
    names: set[str] = set()
    targets: set[str] = set()
    mount_names, mount_paths = _names_and_paths(mounts, "mountPath")
    for index, device in enumerate(devices):
        place = f"{path}[{index}]"
        name, target = device.get("name") or "", device.get("devicePath") or ""
        volume = volumes.get(name)
        if not name:
            errors.append(required(f"{place}.name"))
        if name in names:
            errors.append(invalid(f"{place}.name", name, "must be unique"))
        if volume is None:
            errors.append(not_found(f"{place}.name", name))
        elif "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            errors.append(invalid(f"{place}.name", name, detail))
        if not target:
            errors.append(required(f"{place}.devicePath"))
        if target in targets:
            errors.append(invalid(f"{place}.devicePath", target, "must be unique"))
        if ".." in target and ".." in target.split("/"):
            errors.append(invalid(f"{place}.devicePath", target, "can not contain backsteps ('..')"))
        else:
            targets.add(target)
        if name in mount_names:
            errors.append(invalid(f"{place}.name", name, "must not already exist in volumeMounts"))
        if target in mount_paths:
            detail = "must not already exist as a path in volumeMounts"
            errors.append(invalid(f"{place}.devicePath", target, detail))
        if name:
            names.add(name)


def _names_and_paths(places: Iterable[Object], path: str) -> tuple[set[str], set[str]]:
    # The last of a name counts, as in upstream's map.
    by_name = {place.get("name") or "": place.get(path) or "" for place in places}
    return set(by_name), set(by_name.values())
