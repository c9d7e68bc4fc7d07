"""The fields of a custom resource that its scale subresource reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.crd.go_values import go_print, invalid
from kubewright.machinery.field_errors import FieldError

__all__ = ["scale_spec_errors", "scale_status_errors"]

_MAX_INT32: Final = 2**31 - 1
_GO_TYPES: Final = {
    dict: "map[string]interface {}", list: "[]interface {}", str: "string", bool: "bool", float: "float64",
    int: "int64", type(None): "<nil>",
}  # fmt: skip


def scale_spec_errors(obj: dict[str, Any], scale: Mapping[str, str]) -> list[FieldError]:
    """What is wrong with the wanted number of replicas."""
    return _count_errors(obj, scale.get("specReplicasPath") or "")


def scale_status_errors(obj: dict[str, Any], scale: Mapping[str, str]) -> list[FieldError]:
    """What is wrong with the actual number of replicas, and with the selector."""
    found = _count_errors(obj, scale.get("statusReplicasPath") or "")
    selector = scale.get("labelSelectorPath")
    if selector is not None:
        value, error = _nested(obj, selector, str)
        if error:
            found.append(invalid(selector, value, error))
    return found


def _count_errors(obj: dict[str, Any], path: str) -> list[FieldError]:
    value, error = _nested(obj, path, int)
    if error:
        return [invalid(path, value, error)]
    if value < 0:
        return [invalid(path, value, "should be a non-negative integer")]
    if value > _MAX_INT32:
        return [invalid(path, value, f"should be less than or equal to {_MAX_INT32}")]
    return []


def _nested(obj: dict[str, Any], path: str, wanted: type) -> tuple[Any, str]:
    """The value at a path, the type's zero where there is none; upstream's words where the type is wrong."""
    names = path.removeprefix(".").split(".")
    zero: Any = wanted()
    value: Any = obj
    for index, name in enumerate(names):
        if value is None:
            return zero, ""
        if not isinstance(value, dict):
            where = "." + ".".join(names[: index + 1])
            return zero, (
                f"{where} accessor error: {go_print(value)} is of the type {_GO_TYPES.get(value.__class__)}, "
                "expected map[string]interface{}"
            )
        if name not in value:
            return zero, ""
        value = value[name]
    if value.__class__ is not wanted:
        of_type = _GO_TYPES.get(value.__class__, "")
        return zero, (
            f".{'.'.join(names)} accessor error: {go_print(value)} is of the type {of_type}, "
            f"expected {_GO_TYPES[wanted]}"
        )
    return value, ""
