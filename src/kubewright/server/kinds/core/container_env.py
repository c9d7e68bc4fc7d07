"""The rules of environment variables, and of references to fields of the pod, which volumes have as well."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.machinery.names import (
    is_config_map_key,
    is_dns1123_subdomain,
    is_qualified_name,
    is_relaxed_env_var_name,
    name_is_dns_subdomain,
)
from kubewright.server.kinds.core.name_checks import check_dns_label, check_no_backsteps, is_good_subdomain
from kubewright.server.kinds.core.pod_resources import amount_of
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["check_env", "check_env_from", "check_field_ref", "check_resource_field_ref"]

_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_KNOWN_FIELDS: Final = frozenset(
    {*_FIELDS, "metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName"}
    | {"status.phase"}
)
"""The fields that the downward API knows; not all may be used everywhere."""

_RESOURCES: Final = tuple(
    f"{which}.{name}" for which in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")

_CPU_DIVISORS: Final = frozenset({"1m", "1"})
_BYTE_DIVISORS: Final = frozenset({"1"} | {f"1{c}" for c in "kMGTPE"} | {f"1{c}i" for c in "KMGTPE"})
_BYTE_DIVISORS_TOLD: Final = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"

_IS_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*").fullmatch
_IS_KEY: Final = re.compile("[A-Za-z0-9][-._A-Za-z0-9]{0,252}").fullmatch


def check_env(errors: Errors, variables: list[Object], path: str) -> None:
    """The environment variables of a container."""
    for index, variable in enumerate(variables):
        name = variable.get("name") or ""
        if _IS_NAME(name) is None:
            place = f"{path}[{index}].name"
            if name:
                errors.extend([invalid(place, name, told) for told in is_relaxed_env_var_name(name)])
            else:
                errors.append(required(place))
        source = variable.get("valueFrom")
        if source is not None:
            _check_source(errors, source, variable.get("value") or "", f"{path}[{index}].valueFrom")


def _check_source(errors: Errors, source: Object, value: str, path: str) -> None:
    count = 0
    field = source.get("fieldRef")
    if field is not None:
        count += 1
        check_field_ref(errors, field, _FIELDS, f"{path}.fieldRef")
    resource = source.get("resourceFieldRef")
    if resource is not None:
        count += 1
        check_resource_field_ref(errors, resource, f"{path}.resourceFieldRef", in_volume=False)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        keyed = source.get(kind)
        if keyed is not None:
            count += 1
            _check_key_ref(errors, keyed, f"{path}.{kind}")
    file = source.get("fileKeyRef")
    if file is not None:
        count += 1
        _check_file_key_ref(errors, file, f"{path}.fileKeyRef")
    if not count:
        detail = (
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
            "`fileKeyRef`"
        )
        errors.append(invalid(path, "", detail))
    elif value:
        errors.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif count > 1:
        errors.append(invalid(path, "", "may not have more than one field specified at a time"))


def _check_key_ref(errors: Errors, source: Object, path: str) -> None:
    name, key = source.get("name") or "", source.get("key") or ""
    if not is_good_subdomain(name):
        errors.extend([invalid(f"{path}.name", name, told) for told in is_dns1123_subdomain(name)])
    if not key:
        errors.append(required(f"{path}.key"))
    elif _IS_KEY(key) is None:
        errors.extend([invalid(f"{path}.key", key, told) for told in is_config_map_key(key)])


def _check_file_key_ref(errors: Errors, source: Object, path: str) -> None:
    key, volume, file = source.get("key") or "", source.get("volumeName") or "", source.get("path") or ""
    if key:
        errors.extend([invalid(f"{path}.key", key, told) for told in is_relaxed_env_var_name(key)])
    else:
        errors.append(required(f"{path}.key"))
    if volume:
        check_dns_label(errors, volume, f"{path}.volumeName")
    else:
        errors.append(required(f"{path}.volumeName"))
    if file:
        check_no_backsteps(errors, file, f"{path}.path")
    else:
        errors.append(required(f"{path}.path"))


def check_field_ref(errors: Errors, source: Object, fields: Collection[str], path: str) -> None:
    """A reference to a field of the pod, which is one of `fields`, or one label or annotation."""
    version, field = source.get("apiVersion") or "", source.get("fieldPath") or ""
    if not version:
        errors.append(required(f"{path}.apiVersion"))
        return
    if not field:
        errors.append(required(f"{path}.fieldPath"))
        return
    if version != "v1":
        _unconvertible(errors, field, f"unsupported pod version: {version}", path)
        return
    if field in fields:
        return
    parent, subscript = _split_subscript(field)
    if subscript is not None:
        if parent not in {"metadata.annotations", "metadata.labels"}:
            _unconvertible(errors, field, f"field label does not support subscript: {field}", path)
            return
        key = subscript.lower() if parent == "metadata.annotations" else subscript
        errors.extend([invalid(path, key, message) for message in is_qualified_name(key)])
    elif field == "spec.host":
        # The name that spec.nodeName had before v1.
        if "spec.nodeName" not in fields:
            errors.append(not_supported(f"{path}.fieldPath", "spec.nodeName", fields))
    elif field not in _KNOWN_FIELDS:
        _unconvertible(errors, field, f"field label not supported: {field}", path)
    else:
        errors.append(not_supported(f"{path}.fieldPath", field, fields))


def _unconvertible(errors: Errors, field: str, why: str, path: str) -> None:
    errors.append(invalid(f"{path}.fieldPath", field, f"error converting fieldPath: {why}"))


def _split_subscript(field: str) -> tuple[str, str | None]:
    if field.endswith("']"):
        parent, mark, subscript = field[:-2].partition("['")
        if mark and parent:
            return parent, subscript
    return field, None


def check_resource_field_ref(errors: Errors, source: Object, path: str, *, in_volume: bool) -> None:
    """A reference to an amount of resources that a container requests or is limited to."""
    resource = source.get("resource") or ""
    if in_volume and not source.get("containerName"):
        errors.append(required(f"{path}.containerName"))
    elif not resource:
        errors.append(required(f"{path}.resource"))
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        errors.append(not_supported(f"{path}.resource", resource, _RESOURCES))
    divisor = source.get("divisor")
    if divisor not in {None, "0"} and amount_of(divisor):
        _check_divisor(errors, resource, str(amount_of(divisor)), f"{path}.divisor")


_DIVISORS: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "cpu": (_CPU_DIVISORS, "1m and 1 are supported with the cpu resource"),
    "memory": (_BYTE_DIVISORS, f"{_BYTE_DIVISORS_TOLD} are supported with the memory resource"),
    "ephemeral-storage": (
        _BYTE_DIVISORS,
        f"{_BYTE_DIVISORS_TOLD} are supported with the local ephemeral storage resource",
    ),
}


def _check_divisor(errors: Errors, resource: str, divisor: str, path: str) -> None:
    if resource.startswith(_HUGE_PAGES):
        told = f"{_BYTE_DIVISORS_TOLD} are supported with the hugepages resource"
        supported = _BYTE_DIVISORS
    elif resource in _RESOURCES:
        supported, told = _DIVISORS[resource.partition(".")[2]]
    else:
        return
    if divisor not in supported:
        errors.append(invalid(path, resource, f"only divisor's values {told}"))


def check_env_from(errors: Errors, sources: list[Object], path: str) -> None:
    """The config maps and secrets whose keys become environment variables."""
    for index, source in enumerate(sources):
        prefix = source.get("prefix")
        if prefix and _IS_NAME(prefix) is None:
            place = f"{path}[{index}].prefix"
            errors.extend([invalid(place, prefix, told) for told in is_relaxed_env_var_name(prefix)])
        count = 0
        for kind in ("configMapRef", "secretRef"):
            reference = source.get(kind)
            if reference is not None:
                count += 1
                _check_env_source(errors, reference.get("name") or "", f"{path}[{index}].{kind}.name")
        if not count:
            errors.append(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif count > 1:
            errors.append(invalid(path, "", "may not have more than one field specified at a time"))


def _check_env_source(errors: Errors, name: str, path: str) -> None:
    if not name:
        errors.append(required(path))
    elif not is_good_subdomain(name):
        errors.extend([invalid(path, name, told) for told in name_is_dns_subdomain(name, prefix=True)])
