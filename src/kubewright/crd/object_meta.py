"""The metadata of custom resources and of objects embedded in them, read as Go's ObjectMeta reads it.

Unlike the rest of a custom resource, metadata has a type in Go: fields that it does not have are dropped,
zero values are not written, times are in UTC, and a value of the wrong type is refused with the error of Go's
JSON decoder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from kubewright.crd.go_values import MAX_INT64, MIN_INT64, go_float
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.time import format_time, parse_time

__all__ = ["coerce_metadata", "is_clean_metadata"]

_JSON_NAMES: Final = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
}
_UTC_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII).fullmatch


class _Place(NamedTuple):
    """Where a value stands: for Go's message its struct and field, for unknown fields its path."""

    struct: str
    field: str
    path: str


class _Field(NamedTuple):
    read: Callable[[Any, _Place, list[str]], Any]
    """Gives the value that Go would write, or None where it writes nothing."""
    always: Any = None
    """What is written where the value is missing or zero; None for nothing."""


def _refused(value: object, place: _Place, go_type: str) -> ParseError:
    found = _JSON_NAMES.get(value.__class__, "value")
    if go_type == "int64" and value.__class__ in {int, float}:
        number = str(value) if isinstance(value, int) else go_float(value)
        found = f"number {number}"
    where = f"Go struct field {place.struct}.{place.field}" if place.field else "Go value"
    return ParseError(f"json: cannot unmarshal {found} into {where} of type {go_type}")


def _text(go_type: str) -> Callable[[Any, _Place, list[str]], Any]:
    def read(value: Any, place: _Place, unknown: list[str]) -> Any:
        if value is not None and not isinstance(value, str):
            raise _refused(value, place, go_type)
        return value or None

    return read


def _integer(value: Any, place: _Place, unknown: list[str]) -> Any:
    whole = value.__class__ is int and MIN_INT64 <= value <= MAX_INT64
    if value is not None and not whole:
        if value.__class__ is float and value == int(value):
            return int(value) or None
        raise _refused(value, place, "int64")
    return value or None


def _integer_pointer(value: Any, place: _Place, unknown: list[str]) -> Any:
    return 0 if value == 0 and value.__class__ is int else _integer(value, place, unknown)


def _boolean_pointer(value: Any, place: _Place, unknown: list[str]) -> Any:
    if value is not None and not isinstance(value, bool):
        raise _refused(value, place, "bool")
    return value


def _time(value: Any, place: _Place, unknown: list[str]) -> Any:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _refused(value, place, "string")
    if _UTC_TIME(value) and _is_time(value):
        return value
    if not _is_time(value):
        raise ParseError(
            f'parsing time {go_quote(value)} as "2006-01-02T15:04:05Z07:00": '
            f'cannot parse {go_quote(value)} as "2006"'
        )
    return format_time(parse_time(value))


def _is_time(text: str) -> bool:
    try:
        parse_time(text)
    except ValueError:
        return False
    return True


def _texts_by_name(value: Any, place: _Place, unknown: list[str]) -> Any:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _refused(value, place, "map[string]string")
    for member in value.values():
        if member.__class__ is not str and member is not None:
            raise _refused(member, place, "string")
    return {name: member or "" for name, member in value.items()} or None


def _list_of(go_type: str, read: Callable[[Any, _Place, list[str]], Any]) -> Callable[..., Any]:
    def read_list(value: Any, place: _Place, unknown: list[str]) -> Any:
        if value is None:
            return None
        if not isinstance(value, list):
            raise _refused(value, place, f"[]{go_type}")
        return [
            read(element, place._replace(path=f"{place.path}[{index}]"), unknown)
            for index, element in enumerate(value)
        ] or None

    return read_list


def _plain_text(value: Any, place: _Place, unknown: list[str]) -> str:
    found: str | None = _text("string")(value, place, unknown)
    return found or ""


def _raw(value: Any, place: _Place, unknown: list[str]) -> Any:
    return value


def _struct(name: str, fields: Mapping[str, _Field]) -> Callable[[Any, _Place, list[str]], Any]:
    def read(value: Any, place: _Place, unknown: list[str]) -> Any:
        given = {} if value is None else value
        if not isinstance(given, dict):
            raise _refused(value, place, f"v1.{name}")
        return _read_fields(name, fields, given, place, unknown)

    return read


def _read_fields(
    struct: str, fields: Mapping[str, _Field], value: dict[str, Any], place: _Place, unknown: list[str]
) -> dict[str, Any]:
    within = f"{place.path}." if place.path else ""
    read: dict[str, Any] = {}
    # Sorted, as Go writes the map that it then reads into the struct: the first wrong value is the one told.
    for name in sorted(value):
        if name not in fields:
            unknown.append(within + name)
            continue
        inner = _Place(
            struct,
            f"{place.field}.{name}" if place.field else name,
            f"{place.path}.{name}" if place.path else name,
        )
        found = fields[name].read(value[name], inner, unknown)
        if found is not None:
            read[name] = found
    for name, field in fields.items():
        if field.always is not None:
            read.setdefault(name, field.always)
    return read


_OWNER_REFERENCE: Final = {
    "apiVersion": _Field(_text("string"), ""),
    "kind": _Field(_text("string"), ""),
    "name": _Field(_text("string"), ""),
    "uid": _Field(_text("types.UID"), ""),
    "controller": _Field(_boolean_pointer),
    "blockOwnerDeletion": _Field(_boolean_pointer),
}
_MANAGED_FIELDS: Final = {
    "manager": _Field(_text("string")),
    "operation": _Field(_text("v1.ManagedFieldsOperationType")),
    "apiVersion": _Field(_text("string")),
    "time": _Field(_time),
    "fieldsType": _Field(_text("string")),
    "fieldsV1": _Field(_raw),
    "subresource": _Field(_text("string")),
}
_OBJECT_META: Final = {
    "name": _Field(_text("string")),
    "generateName": _Field(_text("string")),
    "namespace": _Field(_text("string")),
    "selfLink": _Field(_text("string")),
    "uid": _Field(_text("types.UID")),
    "resourceVersion": _Field(_text("string")),
    "generation": _Field(_integer),
    "creationTimestamp": _Field(_time),
    "deletionTimestamp": _Field(_time),
    "deletionGracePeriodSeconds": _Field(_integer_pointer),
    "labels": _Field(_texts_by_name),
    "annotations": _Field(_texts_by_name),
    "ownerReferences": _Field(_list_of("v1.OwnerReference", _struct("OwnerReference", _OWNER_REFERENCE))),
    "finalizers": _Field(_list_of("string", _plain_text)),
    "managedFields": _Field(
        _list_of("v1.ManagedFieldsEntry", _struct("ManagedFieldsEntry", _MANAGED_FIELDS))
    ),
}


def coerce_metadata(
    metadata: object, *, drop_invalid: bool = False, unknown: list[str] | None = None
) -> dict[str, Any]:
    """The metadata as Go would write it after reading it. Fields that it does not know are dropped, and their
    paths, such as `ownerReferences[0].foo`, put into `unknown`.

    Raises ParseError with the text of Go's error for a value of the wrong type; with `drop_invalid`, as what
    is stored is read, such fields are dropped, and only metadata that is no object is refused.
    """
    paths = unknown if unknown is not None else []
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise _refused(metadata, _Place("", "", ""), "v1.ObjectMeta")
    if not drop_invalid:
        return _read_fields("ObjectMeta", _OBJECT_META, metadata, _Place("", "", ""), paths)
    read: dict[str, Any] = {}
    for name, value in metadata.items():
        try:
            read.update(_read_fields("ObjectMeta", _OBJECT_META, {name: value}, _Place("", "", ""), paths))
        except ParseError:
            continue
    return read


_ONLY_TEXTS: Final = {str}
_CLEAN_TEXTS: Final = frozenset({"name", "generateName", "namespace", "uid", "resourceVersion"})


def is_clean_metadata(metadata: object) -> bool:
    """Whether coercion certainly leaves the metadata as it is: quick, for the usual metadata of a write."""
    if metadata.__class__ is not dict:
        return False
    for name, value in metadata.items():
        if name in _CLEAN_TEXTS:
            if value.__class__ is not str or not value:
                return False
        elif name == "labels" or name == "annotations":  # noqa: PLR1714 - quicker than a set
            if value.__class__ is not dict or not value or set(map(type, value.values())) != _ONLY_TEXTS:
                return False
        elif name == "generation":
            if value.__class__ is not int or value <= 0:
                return False
        elif name == "creationTimestamp":
            if value.__class__ is not str or not _UTC_TIME(value):
                return False
        elif _OBJECT_META.get(name) is None or _differs(name, value):
            return False
    return True


def _differs(name: str, value: object) -> bool:
    unknown: list[str] = []
    try:
        read = _OBJECT_META[name].read(value, _Place("ObjectMeta", name, name), unknown)
    except ParseError:
        return True
    return bool(unknown) or read != value or read is None
