"""Pods as upstream's internal types print: in the bad values of some messages, and in the diff of an update.

Upstream validates its internal types and prints them as JSON. Their fields have other names and another order
than on the wire, and none is omitted.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final, NamedTuple

from kubewright.machinery.field_errors import FieldError
from kubewright.server.kinds.core.pod_internal_types import INTERNAL_TYPES
from kubewright.server.kinds.kind import Object

__all__ = ["diff_internal", "internal_form", "invalid_internal", "invalid_json"]

_HOST_FIELDS: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
"""What stands in the spec on the wire and in the security context of the internal type."""

_MAX_DIFF_LINES: Final = 5000
"""Comparing texts takes time that grows with the square of their lines; beyond this no diff is told."""

_ZERO: Final = {"": "", "0": 0, "b": False, "Q": "0", "?": None}


class _Field(NamedTuple):
    name: str
    wire: str
    kind: str
    """One of `_ZERO`, or `*`, `.` and `[]` for types of their own."""
    type: str
    omit: bool


@cache
def _fields(type_name: str) -> tuple[_Field, ...]:
    return tuple(map(_field, INTERNAL_TYPES[type_name].split()))


def _field(text: str) -> _Field:
    named, _, kind = text.partition(":")
    name, _, wire = named.partition("=")
    omit = kind.startswith("~")
    kind = kind.removeprefix("~")
    for mark in ("[]", "*", "."):
        if kind.startswith(mark):
            return _Field(name, wire or _small(name), mark, kind[len(mark) :], omit)
    return _Field(name, wire or _small(name), kind, "", omit)


def _small(name: str) -> str:
    return name[0].lower() + name[1:]


def internal_form(type_name: str, obj: Object) -> Object:
    """An object as the internal type of that name prints, such as "Container"."""
    if type_name == "PodSpec":
        host = {name: obj[name] for name in _HOST_FIELDS if name in obj}
        obj = {**obj, "securityContext": {**(obj.get("securityContext") or {}), **host}}
    elif type_name == "PersistentVolumeClaimTemplate":
        # Its metadata is embedded in the internal type, and so are its fields.
        obj = {**(obj.get("metadata") or {}), "spec": obj.get("spec")}
    shown = {}
    for name, wire, kind, of_type, omit in _fields(type_name):
        value = obj.get(wire)
        if omit and not value:
            continue
        shown[name] = _value(value, kind, of_type)
    return shown


def _value(value: Any, kind: str, of_type: str) -> Any:
    if kind == "[]":
        return None if value is None else [internal_form(of_type, element) for element in value]
    if kind == "*":
        return None if value is None else internal_form(of_type, value)
    if kind == ".":
        return internal_form(of_type, value or {})
    if isinstance(value, dict):
        return dict(sorted(value.items()))
    return _ZERO[kind] if value is None else value


def invalid_internal(path: str, type_name: str, value: Object | list[Object], detail: str) -> FieldError:
    """An Invalid error that shows an object, or a list of them, as upstream's internal type prints."""
    shown: object
    if isinstance(value, list):
        shown = [internal_form(type_name, element) for element in value]
    else:
        shown = internal_form(type_name, value)
    return invalid_json(path, shown, detail)


def invalid_json(path: str, value: object, detail: str) -> FieldError:
    """An Invalid error with the value as Go's encoder prints it; pointers to texts are shown so as well."""
    text = _escaped(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
    return FieldError("FieldValueInvalid", path, f"Invalid value: {text}: {detail}")


def _escaped(text: str) -> str:
    # What Go's encoder escapes besides: it may stand in HTML, and in JavaScript.
    for char in "<>&\u2028\u2029":
        if char in text:
            text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def diff_internal(type_name: str, old: Object, new: Object) -> str:
    """What differs between two objects, line by line as upstream tells it; "" if there are too many lines."""
    import difflib  # noqa: PLC0415 - only refused updates need it

    before, after = _lines(type_name, old), _lines(type_name, new)
    if len(before) + len(after) > _MAX_DIFF_LINES:
        return ""
    # Without names of files, upstream writes no lines for them.
    return "".join(list(difflib.unified_diff(before, after))[2:])


def _lines(type_name: str, obj: Object) -> list[str]:
    text = json.dumps(internal_form(type_name, obj), indent=1, ensure_ascii=False)
    return [f"{line}\n" for line in _escaped(text).split("\n")]
