"""Names and lists of devices, and how often each may stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from kubewright.machinery.field_errors import duplicate, invalid, required, too_long, too_many
from kubewright.machinery.names import is_c_identifier, is_dns1123_label, is_dns1123_subdomain
from kubewright.server.kinds.core.volume_sources import check_csi_driver_name
from kubewright.server.kinds.kind import Errors
from kubewright.server.kinds.metadata_rules import byte_length, validate_label_name

__all__ = [
    "validate_binding_conditions",
    "validate_driver",
    "validate_fully_qualified_name",
    "validate_label",
    "validate_list",
    "validate_pool",
    "validate_qualified_name",
    "validate_raw",
    "validate_set",
    "validate_uid",
]

_ID_LENGTH: Final = 32
"""Upstream's DeviceMaxIDLength."""

_POOL_LENGTH: Final = 253
"""Upstream's PoolNameMaxLength."""

_MAX_CONDITIONS: Final = 4
"""Upstream's BindingConditionsMaxSize, of failures as well."""

_HEX: Final = "[0-9a-fA-F]"
_IS_UUID: Final = re.compile(f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}").fullmatch
_IS_PLAIN_UUID: Final = re.compile(f"{_HEX}{{32}}").fullmatch
_URN: Final = "urn:uuid:"


def validate_list(
    items: Sequence[Any], most: int, validate: Callable[[Any, str], Errors], path: str
) -> Errors:
    """What is wrong with each item of a list, or only that there are more than `most`."""
    if len(items) > most:
        return [too_many(path, len(items), most)]
    errors: Errors = []
    for index, item in enumerate(items):
        errors += validate(item, f"{path}[{index}]")
    return errors


def validate_set(
    items: Sequence[Any],
    most: int,
    validate: Callable[[Any, str], Errors],
    key: Callable[[Any], Hashable],
    path: str,
    *,
    shown: Callable[[Any], object] | None = None,
) -> Errors:
    """The same for a list in which each key stands once; messages show the key, or what `shown` makes."""
    errors = validate_list(items, most, validate, path)
    if len(items) > most:
        return errors
    seen: set[Hashable] = set()
    for index, item in enumerate(items):
        name = key(item)
        if name in seen:
            errors.append(duplicate(f"{path}[{index}]", name if shown is None else shown(item)))
        seen.add(name)
    return errors


def validate_label(name: str, path: str) -> Errors:
    """A name that must be one label of a domain name: of requests, devices and counters."""
    return [invalid(path, name, message) for message in is_dns1123_label(name)]


def validate_driver(name: str, path: str) -> Errors:
    """The name of a driver."""
    errors: Errors = []
    check_csi_driver_name(errors, name, path)
    return errors


def validate_pool(name: str, path: str) -> Errors:
    """The name of a pool: subdomains with slashes between."""
    if not name:
        return [required(path)]
    errors: Errors = []
    if byte_length(name) > _POOL_LENGTH:
        errors.append(too_long(path, _POOL_LENGTH))
    for part in name.split("/"):
        errors += [invalid(path, part, message) for message in is_dns1123_subdomain(part)]
    return errors


def validate_qualified_name(name: str, path: str) -> Errors:
    """The name of an attribute or a capacity: an identifier, with or without a domain."""
    domain, *rest = name.split("/")
    if not rest:
        return _validate_identifier(domain, path)
    if len(rest) > 1:
        # Upstream has no rule for those.
        return []
    errors: Errors = []
    if not domain:
        errors.append(invalid(path, "", "the domain must not be empty"))
    else:
        errors += validate_driver(domain, path)
    if not rest[0]:
        errors.append(invalid(path, "", "the name must not be empty"))
        return errors
    return errors + _validate_identifier(rest[0], path)


def validate_fully_qualified_name(name: str, path: str) -> Errors:
    """The name of an attribute with its domain."""
    errors = validate_qualified_name(name, path)
    if "/" not in name:
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        errors.append(invalid(path, name, detail))
    return errors


def _validate_identifier(name: str, path: str) -> Errors:
    errors: Errors = [too_long(path, _ID_LENGTH)] if byte_length(name) > _ID_LENGTH else []
    return errors + [invalid(path, name, message) for message in is_c_identifier(name)]


def validate_uid(uid: str, path: str) -> Errors:
    """A UUID in its usual form."""
    wrong = _uuid_error(uid)
    if wrong:
        return [invalid(path, uid, f"error validating uid: {wrong}")]
    if len(uid) == 36 and uid == uid.lower():
        return []
    detail = (
        "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase "
        "hexadecimal characters"
    )
    return [invalid(path, uid, detail)]


def _uuid_error(uid: str) -> str:
    size = byte_length(uid)
    if size == 32:
        return "" if _IS_PLAIN_UUID(uid) is not None else "invalid UUID format"
    if size == 45:
        if uid[:9].lower() != _URN:
            return f'invalid urn prefix: "{uid[:9]}"'
        uid = uid[9:]
    elif size == 38:
        if not (uid.startswith("{") and uid.endswith("}")):
            return "invalid bracketed UUID format"
        uid = uid[1:-1]
    elif size != 36:
        return f"invalid UUID length: {size}"
    return "" if _IS_UUID(uid) is not None else "invalid UUID format"


def validate_raw(value: object, path: str, *, most: int) -> Errors:
    """What is wrong with an object of any form, of `most` bytes of JSON at most, counted without blanks."""
    if value is None:
        return [required(path)]
    import msgspec  # noqa: PLC0415 - for what few objects have

    if len(msgspec.json.encode(value)) > most:
        return [too_long(path, most)]
    if not isinstance(value, dict):
        return [invalid(path, "<value omitted>", "must be a valid JSON object")]
    return []


def validate_binding_conditions(conditions: Sequence[str], failures: Sequence[str], path: str) -> Errors:
    """The conditions that devices wait for before a pod is bound, and those that end the wait."""
    places = (f"{path}.bindingConditions", f"{path}.bindingFailureConditions")
    errors = validate_list(conditions, _MAX_CONDITIONS, validate_label_name, places[0])
    errors += validate_list(failures, _MAX_CONDITIONS, validate_label_name, places[1])
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        if condition in seen:
            errors.append(duplicate(f"{places[0]}[{index}]", condition))
        seen.add(condition)
    failed: set[str] = set()
    for index, condition in enumerate(failures):
        if condition in failed:
            errors.append(duplicate(f"{places[1]}[{index}]", condition))
        failed.add(condition)
        if condition in seen:
            detail = "bindingFailureConditions must not overlap with bindingConditions"
            errors.append(invalid(f"{places[1]}[{index}]", condition, detail))
    if failures and not conditions:
        detail = "bindingConditions are required to use bindingFailureConditions"
        errors.append(invalid(places[0], None, detail))
    if conditions and not failures:
        detail = "bindingFailureConditions are required to use bindingConditions"
        errors.append(invalid(places[1], None, detail))
    return errors
