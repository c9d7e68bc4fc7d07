"""The types of CEL that a structural schema stands for, and how JSON values become values of them.

Objects with properties are types with fields, so that the checker refuses fields that the schema lacks. Maps
and lists have the type of what they hold; dates, durations and base64 texts are CEL's timestamps, durations
and bytes; `x-kubernetes-int-or-string` is `dyn`. What a schema says nothing of cannot be seen by expressions.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from kubewright.crd.cel.escaping import escape
from kubewright.crd.cel.functions.conversions import parse_timestamp
from kubewright.crd.cel.values import CelError, Convert, Duration, MapList, ObjectValue, SetList, Timestamp
from kubewright.machinery.errors import ParseError
from kubewright.machinery.time import Duration as GoDuration

__all__ = ["MAX_REQUEST_SIZE", "SchemaType", "schema_type", "with_type_and_object_meta"]

MAX_REQUEST_SIZE: Final = 3 * 1024 * 1024
"""The largest request in bytes, by which upstream estimates how large values without a limit can be."""

# The smallest and largest sizes in JSON, of upstream's pkg/cel/limits.go.
_MIN_STRING: Final = 2
_MIN_BOOL: Final = 4
_MIN_NUMBER: Final = 1
_MIN_DURATION: Final = 3
_DATE_SIZE: Final = 12
_MIN_DATETIME: Final = 21
_MAX_TIME_TEXT: Final = 32

Schema: TypeAlias = Mapping[str, object]
Fields: TypeAlias = "Mapping[str, tuple[str, SchemaType]]"


class SchemaType:
    """The type of one node of a schema. The types of fields are made when one of them is asked for."""

    __slots__ = ("_fields", "_make_fields", "convert", "element", "kind", "max_elements", "min_size")

    def __init__(
        self,
        kind: str,
        *,
        min_size: int,
        max_elements: int = 0,
        element: SchemaType | None = None,
        fields: Callable[[], Fields] | None = None,
        convert: Convert | None = None,
    ) -> None:
        self.kind = kind
        """`object`, `map`, `list`, or the name of a CEL type."""
        self.min_size = min_size
        """The fewest bytes that a value takes in JSON."""
        self.max_elements = max_elements
        """The most elements, entries or characters that a value has; 0 where that means nothing."""
        self.element = element
        """Of lists and maps, what they hold."""
        self.convert = convert
        """From a JSON value to CEL's; None where they are the same."""
        self._make_fields = fields
        self._fields: Fields | None = None if fields is not None else {}

    @property
    def fields(self) -> Fields:
        """Of objects, by a field's name in CEL: its name in JSON and its type."""
        if self._fields is None and self._make_fields is not None:
            self._fields = self._make_fields()
        return self._fields or {}


def schema_type(schema: Schema, *, is_resource_root: bool = False) -> SchemaType | None:
    """The type of a structural schema; None if expressions cannot see values of it.

    The root of a resource, custom or embedded, has `apiVersion`, `kind`, `metadata.name` and
    `metadata.generateName` in any case.
    """
    if schema.get("x-kubernetes-int-or-string"):
        limit = _limit(schema, "maxLength")
        most = MAX_REQUEST_SIZE - 2 if limit is None else limit * 4
        return SchemaType("dyn", min_size=1, max_elements=most)
    if is_resource_root:
        schema = with_type_and_object_meta(schema)
    kind = schema.get("type")
    if kind == "array":
        return _list_type(schema)
    if kind == "object":
        return _object_type(schema)
    if kind == "string":
        return _text_type(schema)
    if kind == "boolean":
        return SchemaType("bool", min_size=_MIN_BOOL)
    if kind == "number":
        return SchemaType("double", min_size=_MIN_NUMBER, convert=_to_double)
    if kind == "integer":
        return SchemaType("int", min_size=_MIN_NUMBER, convert=_to_int)
    return None


def with_type_and_object_meta(schema: Schema) -> Schema:
    """The schema with the fields that every resource has, whatever the schema says of them."""
    text = {"type": "string"}
    meta = {"type": "object", "properties": {"name": text, "generateName": text}}
    properties = _mapping(schema.get("properties"))
    metadata = _mapping(properties.get("metadata"))
    named = _mapping(metadata.get("properties"))
    complete = (
        _is_type(properties.get("kind"), "string")
        and _is_type(properties.get("apiVersion"), "string")
        and metadata.get("type") == "object"
        and _is_type(named.get("name"), "string")
        and _is_type(named.get("generateName"), "string")
    )
    if complete:
        return schema
    return {**schema, "properties": {**properties, "kind": text, "apiVersion": text, "metadata": meta}}


def _is_type(schema: object, kind: str) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == kind


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _limit(schema: Schema, name: str) -> int | None:
    value = schema.get(name)
    return max(int(value), 0) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _child(schema: object) -> SchemaType | None:
    if not isinstance(schema, Mapping):
        return None
    return schema_type(schema, is_resource_root=bool(schema.get("x-kubernetes-embedded-resource")))


def _list_type(schema: Schema) -> SchemaType | None:
    element = _child(schema.get("items"))
    if element is None:
        return None
    most = _limit(schema, "maxItems")
    if most is None:
        most = (MAX_REQUEST_SIZE - 2) // (element.min_size + 1)
    # Only `[]` is sure.
    return SchemaType(
        "list", min_size=2, max_elements=most, element=element, convert=_list_convert(schema, element)
    )


def _list_convert(schema: Schema, element: SchemaType) -> Convert | None:
    kind, each = schema.get("x-kubernetes-list-type"), element.convert
    if kind == "map":
        names = schema.get("x-kubernetes-list-map-keys")
        keys = tuple(
            escape(str(name)) or str(name) for name in (names if isinstance(names, Sequence) else ())
        )
        return lambda raw: MapList(_each(raw, each), keys)
    if kind == "set":
        return lambda raw: SetList(_each(raw, each))
    if each is None:
        return None
    return lambda raw: _each(raw, each)


def _each(raw: object, convert: Convert | None) -> list[object]:
    if not isinstance(raw, list):
        raise CelError("invalid data, expected an array for the provided schema with type=array")
    if convert is None:
        return raw
    return [None if element is None else convert(element) for element in raw]


def _object_type(schema: Schema) -> SchemaType | None:
    additional = schema.get("additionalProperties")
    if isinstance(additional, Mapping):
        element = _child(additional)
        if element is None:
            return None
        most = _limit(schema, "maxProperties")
        if most is None:
            # A key of two quotes, a colon and a comma besides the value; keys differ, so some are longer.
            most = (MAX_REQUEST_SIZE - 2) // (element.min_size + 6)
        return SchemaType(
            "map", min_size=2, max_elements=most, element=element, convert=_map_convert(element.convert)
        )
    return _fields_type(schema)


def _map_convert(convert: Convert | None) -> Convert | None:
    if convert is None:
        return None

    def make(raw: object) -> object:
        if not isinstance(raw, dict):
            raise CelError("invalid data, expected a map for the provided schema with type=object")
        return {key: None if value is None else convert(value) for key, value in raw.items()}

    return make


def _fields_type(schema: Schema) -> SchemaType:
    required = schema.get("required")
    names = set(required) if isinstance(required, Sequence) else set()
    properties = _mapping(schema.get("properties"))
    sized: dict[str, SchemaType | None] = {}
    for name in names & properties.keys():
        member = properties[name]
        if isinstance(member, Mapping) and member.get("default") is None:
            sized[name] = _child(member)
    size = 2 + sum(len(name) + kind.min_size + 4 for name, kind in sized.items() if kind is not None)

    def fields() -> Fields:
        found: dict[str, tuple[str, SchemaType]] = {}
        for name, member in properties.items():
            field, kind = escape(name), sized.get(name) or _child(member)
            if field is not None and kind is not None:
                found[field] = (name, kind)
        return found

    made = SchemaType("object", min_size=size, fields=fields)
    made.convert = _object_convert(made)
    return made


def _object_convert(kind: SchemaType) -> Convert:
    table: dict[str, tuple[str, Convert | None]] | None = None

    def make(raw: object) -> object:
        nonlocal table
        if not isinstance(raw, dict):
            raise CelError("invalid data, expected a map for the provided schema with type=object")
        if table is None:
            table = {field: (name, member.convert) for field, (name, member) in kind.fields.items()}
        return ObjectValue(raw, table)

    return make


def _text_type(schema: Schema) -> SchemaType:
    limit = _limit(schema, "maxLength")
    form = schema.get("format")
    if form == "byte":
        most = MAX_REQUEST_SIZE - 2 if limit is None else limit
        return SchemaType("bytes", min_size=_MIN_STRING, max_elements=most, convert=_to_bytes)
    if form in _TIMES:
        kind, least, most, convert = _TIMES[str(form)]
        return SchemaType(kind, min_size=least, max_elements=most, convert=convert)
    if limit is not None:
        # The limit counts characters, of which each may take four bytes.
        most = limit * 4
    else:
        values = schema.get("enum")
        texts = values if isinstance(values, Sequence) and values else None
        most = (
            MAX_REQUEST_SIZE - 2
            if texts is None
            else max((len(text.encode()) for text in texts if isinstance(text, str)), default=0)
        )
    return SchemaType("string", min_size=_MIN_STRING, max_elements=most)


def _to_int(raw: object) -> object:
    if raw.__class__ is float:
        # The schema takes 1.0 for an integer, upstream's CEL does not.
        raise CelError("invalid data, expected int, got float64")
    return raw


def _to_double(raw: object) -> object:
    try:
        return float(raw) if type(raw) is int else raw
    except OverflowError:
        raise CelError("invalid data, expected float") from None


def _to_bytes(raw: object) -> object:
    try:
        return base64.b64decode(str(raw), validate=True)
    except (binascii.Error, ValueError) as error:
        raise CelError(f"Invalid byte formatted string {raw}: {error}") from None


_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII).fullmatch


def _to_date(raw: object) -> object:
    text = str(raw)
    moment = parse_timestamp(f"{text}T00:00:00Z") if _DATE(text) else None
    if moment is None:
        raise CelError(f"Invalid date formatted string {text}")
    return moment


_LOOSE: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d(?:\.\d+)?)([Zz]|[+-]\d\d:?\d\d)?", re.ASCII
).fullmatch


def _to_timestamp(raw: object) -> object:
    text = str(raw)
    moment = parse_timestamp(text)
    if moment is None and not text:
        # Upstream reads an empty text as the epoch.
        return Timestamp(0)
    if moment is None and (match := _LOOSE(text)):
        date, time, zone = match.groups()
        zone = "Z" if zone is None or zone in "zZ" else zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"
        moment = parse_timestamp(f"{date}T{time}{zone}")
    if moment is None:
        raise CelError(f"Invalid date-time formatted string {text}")
    return moment


_AMOUNT: Final = re.compile(r"(\d+)\s*([A-Za-zµ]+)", re.ASCII).findall
_UNITS: Final = (
    (1, ("ns", "nano")),
    (10**3, ("us", "µs", "micro")),
    (10**6, ("ms", "milli")),
    (10**9, ("s", "sec")),
    (60 * 10**9, ("m", "min")),
    (3600 * 10**9, ("h", "hr", "hour")),
    (86400 * 10**9, ("d", "day")),
    (7 * 86400 * 10**9, ("w", "wk", "week")),
)
"""The units that kube-openapi's durations know besides Go's; a unit's last name may have any ending."""


def _to_duration(raw: object) -> object:
    text = str(raw)
    try:
        return Duration(GoDuration.parse(text).total_nanoseconds())
    except (ParseError, OverflowError):
        pass
    found = [
        int(number[:20]) * size
        for number, unit in _AMOUNT(text)
        for size, names in _UNITS
        if unit.lower() in names or unit.lower().startswith(names[-1])
    ]
    if not found:
        raise CelError(f"Invalid duration {text}: unable to parse {text} as duration")
    return Duration(sum(found))


_TIMES: Final[Mapping[str, tuple[str, int, int, Callable[[object], object]]]] = {
    "date": ("timestamp", _DATE_SIZE, _DATE_SIZE, _to_date),
    "date-time": ("timestamp", _MIN_DATETIME, _MAX_TIME_TEXT, _to_timestamp),
    "duration": ("duration", _MIN_DURATION, _MAX_TIME_TEXT, _to_duration),
}
"""By format: the type, the smallest and the largest size in JSON, and the conversion."""
