"""The rules that depend on the operating system, and on the host's namespaces that a pod shares."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_found, required
from kubewright.server.kinds.core.name_checks import unsupported
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["check_file_keys", "check_host_process", "check_host_users", "check_os", "containers_with_paths"]

_SYSTEMS: Final = ("linux", "windows")
_NOT_FOR_WINDOWS: Final = "cannot be set for a windows pod"
_NOT_FOR_LINUX: Final = "windows options cannot be set for a linux pod"

# In upstream's order; those without a dot are fields of the spec.
_LINUX_POD_FIELDS: Final = (
    "securityContext.appArmorProfile",
    "securityContext.seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "securityContext.seccompProfile",
    "securityContext.fsGroup",
    "securityContext.fsGroupChangePolicy",
    "securityContext.sysctls",
    "shareProcessNamespace",
    "securityContext.runAsUser",
    "securityContext.runAsGroup",
    "securityContext.supplementalGroups",
    "securityContext.supplementalGroupsPolicy",
    "securityContext.seLinuxChangePolicy",
)
_LINUX_CONTAINER_FIELDS: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)
# These are plain booleans in Go: false is as good as nothing.
_FLAGS: Final = frozenset({"hostPID", "hostIPC"})

_NO_HOST_USERS: Final = "when `hostUsers` is false"


def containers_with_paths(spec: Object, path: str) -> list[tuple[Object, str]]:
    """All containers of a pod in upstream's order, each with its path."""
    return [
        (container, f"{path}.{kind}[{index}]")
        for kind in ("initContainers", "containers", "ephemeralContainers")
        for index, container in enumerate(spec.get(kind) or ())
    ]


def check_os(errors: Errors, spec: Object, path: str) -> None:
    """The operating system that a pod names, and what it may not ask of it."""
    system = spec.get("os")
    if system is None:
        return
    name = system.get("name") or ""
    if not name:
        errors.append(required(f"{path}.os.name"))
    elif name not in _SYSTEMS:
        errors.append(unsupported(f"{path}.os", name, _SYSTEMS))
    elif name == "linux":
        _check_linux(errors, spec, path)
    else:
        _check_windows(errors, spec, path)


def _check_linux(errors: Errors, spec: Object, path: str) -> None:
    for of, place in ((spec, path), *containers_with_paths(spec, path)):
        if (of.get("securityContext") or {}).get("windowsOptions") is not None:
            errors.append(forbidden(f"{place}.securityContext.windowsOptions", _NOT_FOR_LINUX))


def _check_windows(errors: Errors, spec: Object, path: str) -> None:
    context = spec.get("securityContext") or {}
    for field in _LINUX_POD_FIELDS:
        name = field.removeprefix("securityContext.")
        value = context.get(name) if name != field else spec.get(name)
        if value is not None and (value or name not in _FLAGS):
            errors.append(forbidden(f"{path}.{field}", _NOT_FOR_WINDOWS))
    for container, place in containers_with_paths(spec, path):
        context = container.get("securityContext") or {}
        for field in _LINUX_CONTAINER_FIELDS:
            if context.get(field) is not None:
                errors.append(forbidden(f"{place}.securityContext.{field}", _NOT_FOR_WINDOWS))


def check_host_process(errors: Errors, spec: Object, containers: list[tuple[Object, str]], path: str) -> None:
    """Windows containers that run on the host: all of a pod or none. `containers` come with their paths."""
    of_pod = _host_process(spec)
    count = 0
    for container, place in containers:
        own = _host_process(container)
        if of_pod is not None and own is not None and of_pod != own:
            shown = "true" if of_pod else "false"
            detail = f"pod hostProcess value must be identical if both are specified, was {shown}"
            errors.append(invalid(f"{place}.securityContext.windowsOptions.hostProcess", own, detail))
        if own or (own is None and of_pod):
            count += 1
    if not count:
        return
    if count != len(containers):
        detail = (
            "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        )
        errors.append(invalid(path, "", detail))
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        errors.append(invalid(f"{path}.hostNetwork", False, detail))


def _host_process(of: Object) -> bool | None:
    context = of.get("securityContext")
    windows = context.get("windowsOptions") if context else None
    return windows.get("hostProcess") if windows else None


def check_host_users(errors: Errors, spec: Object, path: str, options: PodOptions) -> None:
    """What a pod with a user namespace of its own may not have."""
    if spec.get("hostUsers") is not False:
        return
    if spec.get("hostNetwork") and not options.allow_user_namespace_host_network:
        errors.append(forbidden(f"{path}.hostNetwork", _NO_HOST_USERS))
    if spec.get("hostPID"):
        errors.append(forbidden(f"{path}.HostPID", _NO_HOST_USERS))
    if spec.get("hostIPC"):
        errors.append(forbidden(f"{path}.HostIPC", _NO_HOST_USERS))
    if not options.allow_user_namespace_devices:
        for container, place in containers_with_paths(spec, path):
            if container.get("volumeDevices"):
                errors.append(forbidden(f"{place}.volumeDevices", _NO_HOST_USERS))


def check_file_keys(errors: Errors, spec: Object, path: str) -> None:
    """Environment variables from files, which must be in volumes of the pod that are emptyDirs."""
    volumes: dict[str, Object] | None = None
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            for position, variable in enumerate(container.get("env") or ()):
                source = variable.get("valueFrom")
                file = source.get("fileKeyRef") if source else None
                if file is None:
                    continue
                if volumes is None:
                    volumes = {volume.get("name") or "": volume for volume in spec.get("volumes") or ()}
                name = file.get("volumeName") or ""
                place = f"{path}.{kind}[{index}].env[{position}].valueFrom.fileKeyRef.volumeName"
                if name not in volumes:
                    errors.append(not_found(place, name))
                elif "emptyDir" not in volumes[name]:
                    errors.append(invalid(place, name, "referenced volume must be of type emptyDir"))
