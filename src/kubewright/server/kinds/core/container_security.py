"""The rules of security contexts, of containers and of pods.

A privileged container is allowed, as in every cluster that runs its own network plugin; upstream has a
flag for it, which is off unless it is set.
"""

from __future__ import annotations

import re
from typing import Final

from kubewright.machinery.field_errors import duplicate, invalid, required, too_long
from kubewright.machinery.names import is_dns1123_subdomain, is_valid_group_id, is_valid_user_id
from kubewright.server.kinds.core.name_checks import check_relative_path, unsupported
from kubewright.server.kinds.core.pod_internal import invalid_internal, invalid_json
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length

__all__ = [
    "check_apparmor_profile",
    "check_pod_security_context",
    "check_security_context",
    "is_host_sysctl",
]

_PROC_MOUNTS: Final = ("Default", "Unmasked")
_PROFILE_TYPES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_FS_GROUP_POLICIES: Final = ("Always", "OnRootMismatch")
_GROUPS_POLICIES: Final = ("Merge", "Strict")
_SELINUX_POLICIES: Final = ("MountOption", "Recursive")

_MAX_APPARMOR_NAME: Final = 4095
"""Linux's PATH_MAX, less the end of the text."""


def check_security_context(errors: Errors, context: Object, path: str, *, host_users: bool) -> None:
    """The security context of a container."""
    _check_ids(errors, context, path, ("runAsUser", "runAsGroup"))
    mount = context.get("procMount")
    if mount is not None:
        if mount not in _PROC_MOUNTS:
            errors.append(unsupported(f"{path}.procMount", mount, _PROC_MOUNTS))
        if host_users and mount == "Unmasked":
            detail = "`hostUsers` must be false to use `Unmasked`"
            errors.append(invalid(f"{path}.procMount", mount, detail))
    _check_seccomp_profile(errors, context.get("seccompProfile"), f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            errors.append(invalid_internal(path, "SecurityContext", context, detail))
        for capability in (context.get("capabilities") or {}).get("add") or ():
            if capability == "CAP_SYS_ADMIN":
                detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
                errors.append(invalid_internal(path, "SecurityContext", context, detail))
    _check_windows_options(errors, context.get("windowsOptions"), f"{path}.windowsOptions")
    check_apparmor_profile(errors, context.get("appArmorProfile"), f"{path}.appArmorProfile")


def _check_ids(errors: Errors, context: Object, path: str, fields: tuple[str, ...]) -> None:
    for field in fields:
        number = context.get(field)
        if number is not None:
            check = is_valid_user_id if field == "runAsUser" else is_valid_group_id
            errors.extend([invalid(f"{path}.{field}", number, message) for message in check(number)])


def check_pod_security_context(errors: Errors, spec: Object, path: str, options: PodOptions) -> None:
    """The security context of a pod, and what of its spec belongs to it."""
    context = spec.get("securityContext") or {}
    _check_ids(errors, context, path, ("fsGroup", "runAsUser", "runAsGroup"))
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        for message in is_valid_group_id(group):
            errors.append(invalid(f"{path}.supplementalGroups[{index}]", group, message))
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(invalid(f"{path}.shareProcessNamespace", True, detail))
    if not context:
        return
    sysctls = context.get("sysctls")
    if sysctls:
        _check_sysctls(errors, sysctls, spec, f"{path}.sysctls", options)
    policy = context.get("fsGroupChangePolicy")
    if policy is not None and policy not in _FS_GROUP_POLICIES:
        errors.append(unsupported(f"{path}.fsGroupChangePolicy", policy, _FS_GROUP_POLICIES))
    _check_seccomp_profile(errors, context.get("seccompProfile"), f"{path}.seccompProfile")
    _check_windows_options(errors, context.get("windowsOptions"), f"{path}.windowsOptions")
    check_apparmor_profile(errors, context.get("appArmorProfile"), f"{path}.appArmorProfile")
    policy = context.get("supplementalGroupsPolicy")
    if policy is not None and policy not in _GROUPS_POLICIES:
        errors.append(unsupported(f"{path}.supplementalGroupsPolicy", policy, _GROUPS_POLICIES))
    policy = context.get("seLinuxChangePolicy")
    supported = ("Recursive",) if options.only_recursive_selinux else _SELINUX_POLICIES
    if policy is not None and policy not in supported:
        errors.append(unsupported(f"{path}.seLinuxChangePolicy", policy, supported))


_SYSCTL_PART: Final = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL: Final = rf"({_SYSCTL_PART}[\./])*{_SYSCTL_PART}"
_IS_SYSCTL: Final = re.compile(_SYSCTL).fullmatch
_MAX_SYSCTL: Final = 253
_IPC_SYSCTLS: Final = frozenset(
    {"kernel.sem"}
    | {f"kernel.{name}" for name in ("shm", "shmall", "shmmax", "shmmni", "shm_rmid_forced")}
    | {f"kernel.{name}" for name in ("msg", "msgmax", "msgmnb", "msgmni")}
)
_SWAP: Final = str.maketrans("./", "/.")


def _check_sysctls(
    errors: Errors, sysctls: list[Object], spec: Object, path: str, options: PodOptions
) -> None:
    names: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        place = f"{path}[{index}].name"
        name = sysctl.get("name") or ""
        if not name:
            errors.append(required(place))
        elif byte_length(name) > _MAX_SYSCTL or _IS_SYSCTL(name) is None:
            detail = f"must have at most {_MAX_SYSCTL} characters and match regex ^{_SYSCTL}$"
            errors.append(invalid(place, name, detail))
        elif name in names:
            errors.append(duplicate(place, name))
        if not options.allow_host_sysctls:
            kind = is_host_sysctl(name, spec)
            if kind:
                errors.append(invalid(place, name, f"may not be specified when '{kind}' is true"))
        names.add(name)


def is_host_sysctl(name: str, spec: Object) -> str:
    """The field that gives the pod the host's namespace, if this sysctl is of it; else ""."""
    separator = next((char for char in name if char in "./"), ".")
    if separator == "/":
        name = name.translate(_SWAP)
    name = name.partition("*")[0]
    if name.startswith("net."):
        return "hostNetwork" if spec.get("hostNetwork") else ""
    if name in _IPC_SYSCTLS or name.startswith("fs.mqueue."):
        return "hostIPC" if spec.get("hostIPC") else ""
    return ""


def _check_seccomp_profile(errors: Errors, profile: Object | None, path: str) -> None:
    if profile is None:
        return
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    if not kind:
        errors.append(required(f"{path}.type", "type is required when seccompProfile is set"))
    elif kind not in _PROFILE_TYPES:
        errors.append(unsupported(f"{path}.type", kind, _PROFILE_TYPES))
    if kind == "Localhost":
        if local is None:
            detail = "must be set when seccomp type is Localhost"
            errors.append(required(f"{path}.localhostProfile", detail))
        else:
            check_relative_path(errors, local, f"{path}.localhostProfile")
    elif local is not None:
        detail = "can only be set when seccomp type is Localhost"
        errors.append(invalid_internal(f"{path}.localhostProfile", "SeccompProfile", profile, detail))


def check_apparmor_profile(errors: Errors, profile: Object | None, path: str) -> None:
    """An AppArmor profile, of a pod or a container."""
    if profile is None:
        return
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    place = f"{path}.localhostProfile"
    if kind == "Localhost":
        if local is None:
            errors.append(required(place, "must be set when AppArmor type is Localhost"))
            return
        if local.strip() != local:
            errors.append(invalid(place, local, "must not be padded with whitespace"))
        elif not local:
            errors.append(required(place, "must be set when AppArmor type is Localhost"))
        if byte_length(local) > _MAX_APPARMOR_NAME:
            errors.append(too_long(place, _MAX_APPARMOR_NAME))
    elif kind in _PROFILE_TYPES:
        if local is not None:
            errors.append(invalid_json(place, local, "can only be set when AppArmor type is Localhost"))
    elif not kind:
        errors.append(required(f"{path}.type", "type is required when appArmorProfile is set"))
    else:
        errors.append(unsupported(f"{path}.type", kind, _PROFILE_TYPES))


_MAX_GMSA_SPEC: Final = 64 * 1024
_MAX_WINDOWS_DOMAIN: Final = 256
_MAX_WINDOWS_USER: Final = 104
_HAS_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]").search
_IS_NETBIOS: Final = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}').fullmatch
_DOMAIN_LABEL: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_IS_DOMAIN: Final = re.compile(rf"{_DOMAIN_LABEL}(?:\.{_DOMAIN_LABEL})*").fullmatch
_HAS_BAD_USER: Final = re.compile(r'["/\\:;|=,+*?<>@\[\]]').search
_IS_DOTS: Final = re.compile(r"[. ]+").fullmatch


def _check_windows_options(errors: Errors, windows: Object | None, path: str) -> None:
    if windows is None:
        return
    name = windows.get("gmsaCredentialSpecName")
    if name is not None:
        for message in is_dns1123_subdomain(name):
            errors.append(invalid_json(f"{path}.gmsaCredentialSpecName", name, message))
    spec = windows.get("gmsaCredentialSpec")
    if spec == "":
        detail = "gmsaCredentialSpec cannot be an empty string"
        errors.append(invalid_json(f"{path}.gmsaCredentialSpec", spec, detail))
    elif spec is not None and byte_length(spec) > _MAX_GMSA_SPEC:
        detail = "gmsaCredentialSpec size must be under 64 KiB"
        errors.append(invalid_json(f"{path}.gmsaCredentialSpec", spec, detail))
    user = windows.get("runAsUserName")
    if user is not None:
        for message in _windows_user_messages(user):
            errors.append(invalid_json(f"{path}.runAsUserName", user, message))


def _windows_user_messages(name: str) -> list[str]:
    if not name:
        return ["runAsUserName cannot be an empty string"]
    if _HAS_CONTROLS(name):
        return ["runAsUserName cannot contain control characters"]
    if name.count("\\") > 1:
        return ["runAsUserName cannot contain more than one backslash"]
    domain, slash, user = name.rpartition("\\")
    wrong = []
    if byte_length(domain) >= _MAX_WINDOWS_DOMAIN:
        wrong.append(f"runAsUserName's Domain length must be under {_MAX_WINDOWS_DOMAIN} characters")
    if slash and _IS_NETBIOS(domain) is None and _IS_DOMAIN(domain) is None:
        wrong.append("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    if not user:
        wrong.append("runAsUserName's User cannot be empty")
    elif byte_length(user) > _MAX_WINDOWS_USER:
        wrong.append(f"runAsUserName's User length must not be longer than {_MAX_WINDOWS_USER} characters")
    if _IS_DOTS(user):
        wrong.append("runAsUserName's User cannot contain only periods or spaces")
    if _HAS_BAD_USER(user):
        wrong.append("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")
    return wrong
