"""The ConfigMap kind."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, too_long
from kubewright.machinery.names import is_config_map_key
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import byte_length

__all__ = ["CONFIG_MAP", "MAX_DATA_SIZE", "decoded_length"]

MAX_DATA_SIZE: Final = 1024 * 1024
"""Upstream's MaxSecretSize, which holds for config maps too: the bytes of all values together."""

_IMMUTABLE: Final = "field is immutable when `immutable` is set"


def decoded_length(base64: str) -> int:
    """The number of bytes that a base64 text stands for."""
    return len(base64) // 4 * 3 - base64[-2:].count("=")


def _validate(obj: Object) -> Errors:
    errors: Errors = []
    size = 0
    binary = obj.get("binaryData") or {}
    for key, value in (obj.get("data") or {}).items():
        errors += [invalid(f"data[{key}]", key, message) for message in is_config_map_key(key)]
        if key in binary:
            errors.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
        size += byte_length(value)
    for key, value in binary.items():
        errors += [invalid(f"binaryData[{key}]", key, message) for message in is_config_map_key(key)]
        size += decoded_length(value or "")
    if size > MAX_DATA_SIZE:
        # Upstream's path has no name, which prints like this.
        errors.append(too_long("[]", MAX_DATA_SIZE))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    errors: Errors = []
    if old.get("immutable"):
        if not obj.get("immutable"):
            errors.append(forbidden("immutable", _IMMUTABLE))
        for field in ("data", "binaryData"):
            if (obj.get(field) or {}) != (old.get(field) or {}):
                errors.append(forbidden(field, _IMMUTABLE))
    return errors + _validate(obj)


CONFIG_MAP: Final = Kind(validate=_validate, validate_update=_validate_update, resets=(), metadata_checks=2)
