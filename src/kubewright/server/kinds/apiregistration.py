"""The kinds of apiregistration.k8s.io: APIServices, which say who serves a version of a group."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Final

from kubewright.machinery.field_errors import go_quote, invalid, not_supported, required
from kubewright.machinery.names import (
    is_dns1035_label,
    is_dns1123_subdomain,
    is_path_segment_name,
    is_valid_port_num,
)
from kubewright.machinery.time import format_time
from kubewright.server.kinds.fields import keep_spec, keep_status, take_back
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.rbac import name_is_path_segment

__all__ = ["KINDS"]

_HTTPS: Final = 443
_MAX_GROUP_PRIORITY: Final = 20000
_MAX_VERSION_PRIORITY: Final = 1000
_STATUSES: Final = ("True", "False", "Unknown")
_KEPT_METADATA: Final = ("labels", "annotations", "finalizers", "ownerReferences")


def _default(obj: Object) -> None:
    service = (obj.get("spec") or {}).get("service")
    if service is not None and service.get("port") is None:
        service["port"] = _HTTPS


def _prepare_create(obj: Object, context: Context) -> None:
    obj.pop("status", None)
    if (obj.get("spec") or {}).get("service") is None:
        condition = {
            "type": "Available",
            "status": "True",
            "lastTransitionTime": format_time(context.now),
            "reason": "Local",
            "message": "Local APIServices are always available",
        }
        obj["status"] = {"conditions": [condition]}


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    keep_spec(obj, old, context)
    metadata, before = obj.setdefault("metadata", {}), old.get("metadata") or {}
    for field in _KEPT_METADATA:
        take_back(metadata, before, field)


def _validate(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    group, version = spec.get("group") or "", spec.get("version") or ""
    errors = _validate_name((obj.get("metadata") or {}).get("name") or "", f"{version}.{group}")
    if not group and version != "v1":
        detail = "only v1 may have an empty group and it better be legacy kube"
        errors.append(required("spec.group", detail))
    if group:
        errors += [invalid("spec.group", group, message) for message in is_dns1123_subdomain(group)]
    errors += [invalid("spec.version", version, message) for message in is_dns1035_label(version)]
    for field, most in (
        ("groupPriorityMinimum", _MAX_GROUP_PRIORITY),
        ("versionPriority", _MAX_VERSION_PRIORITY),
    ):
        priority = spec.get(field) or 0
        if not 0 < priority <= most:
            errors.append(invalid(f"spec.{field}", priority, f"must be positive and less than {most}"))
    return errors + _validate_server(spec)


def _validate_name(name: str, wanted: str) -> Errors:
    """A name says what it is of; that it can stand in a path is checked with the rest of the metadata."""
    if not name or name == wanted or is_path_segment_name(name):
        return []
    return [invalid("metadata.name", name, f'must be `spec.version+"."+spec.group`: {go_quote(wanted)}')]


def _validate_server(spec: Object) -> Errors:
    errors: Errors = []
    service, bundle = spec.get("service"), spec.get("caBundle")
    insecure = bool(spec.get("insecureSkipTLSVerify"))
    if service is None:
        if bundle:
            detail = "local APIServices may not have a caBundle"
            errors.append(invalid("spec.caBundle", f"{_size(bundle)} bytes", detail))
        if insecure:
            detail = "local APIServices may not have insecureSkipTLSVerify"
            errors.append(invalid("spec.insecureSkipTLSVerify", insecure, detail))
        return errors
    for field in ("namespace", "name"):
        if not service.get(field):
            errors.append(required(f"spec.service.{field}"))
    port = service.get("port") or 0
    wrong = is_valid_port_num(port)
    if wrong:
        errors.append(invalid("spec.service.port", port, f"port is not valid: {', '.join(wrong)}"))
    if insecure and bundle:
        detail = "may not be true if caBundle is present"
        errors.append(invalid("spec.insecureSkipTLSVerify", insecure, detail))
    return errors


def _size(bundle: str) -> int:
    try:
        return len(base64.b64decode(bundle))
    except (binascii.Error, ValueError):
        return 0


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj)


def _validate_status(obj: Object, old: Object) -> Errors:
    errors: Errors = []
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        status = condition.get("status") or ""
        if status not in _STATUSES:
            errors.append(not_supported(f"status.conditions[{index}].status", status, _STATUSES))
    return errors


KINDS: Final[Mapping[str, Kind]] = {
    "apiservices": Kind(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=keep_status,
        validate=_validate,
        validate_update=_validate_update,
        name=name_is_path_segment,
        subresources={
            "status": Subresource(
                prepare=_prepare_status, validate=_validate_status, resets=("spec", "metadata")
            )
        },
        allow_unconditional_update=False,
    )
}
