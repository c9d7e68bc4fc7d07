"""Changes of keywords that refuse values, each with an object that shows it."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubewright.crd.compatibility import ChangeKind
from tests.crd.schema_builders import (
    ANY,
    EITHER,
    INT,
    PORT,
    SET,
    TEXT,
    TWO_PORTS,
    Json,
    items,
    list_map,
    of,
    values,
)

__all__ = ["NARROWED", "Breaking", "invalid", "lost"]


class Breaking(NamedTuple):
    """A change that breaks an object."""

    name: str
    old: Json
    new: Json
    spec: Any
    kind: ChangeKind
    path: str
    message: str


def invalid(name: str, old: Json, new: Json, value: Any, message: str, path: str = "") -> Breaking:
    """A change of the field `f` of the spec."""
    return Breaking(name, of(f=old), of(f=new), {"f": value}, "invalid", f".spec.f{path}", message)


def lost(name: str, old: Json, new: Json, value: Any, message: str, path: str = "") -> Breaking:
    return invalid(name, old, new, value, message, path)._replace(kind="lost")


NARROWED = [
    invalid("another type", INT, TEXT, 1, "the type is string, no longer integer"),
    invalid("number to integer", {"type": "number"}, INT, 1.5, "the type is integer, no longer number"),
    invalid("any type to one", ANY, TEXT, 1, "the type is string, no longer any type"),
    invalid("int-or-string to string", EITHER, TEXT, 1, "the type is string, no longer int-or-string"),
    invalid("object to list", of(), items(INT), {}, "the type is array, no longer object"),
    invalid(
        "a lower maximum",
        {**INT, "maximum": 200},
        {**INT, "maximum": 100},
        150,
        "maximum 100 is lower than 200, so stored objects with more become invalid",
    ),
    invalid("a maximum", INT, {**INT, "maximum": 100}, 101, "maximum 100 is added"),
    invalid(
        "a higher minimum", {**INT, "minimum": 0}, {**INT, "minimum": 1}, 0, "minimum 1 is higher than 0"
    ),
    invalid("a minimum", {"type": "number"}, {"type": "number", "minimum": 0.5}, -1, "minimum 0.5 is added"),
    invalid(
        "an exclusive maximum",
        {**INT, "maximum": 5},
        {**INT, "maximum": 5, "exclusiveMaximum": True},
        5,
        "exclusive maximum 5 excludes the bound itself",
    ),
    invalid(
        "an exclusive minimum",
        {**INT, "minimum": 5},
        {**INT, "minimum": 5, "exclusiveMinimum": True},
        5,
        "exclusive minimum 5 excludes the bound itself",
    ),
    invalid(
        "a fraction that excludes its whole part",
        {"type": "number", "maximum": 2.5},
        {"type": "number", "maximum": 2.9, "exclusiveMaximum": True},
        2,
        "excludes the bound itself",
    ),
    invalid(
        "a wider bound that no int32 is",
        {**INT, "format": "int32", "maximum": 5},
        {**INT, "format": "int32", "maximum": 2**31},
        5,
        "does not fit int32",
    ),
    invalid(
        "a wider bound that no integer is",
        {**INT, "maximum": 2},
        {**INT, "maximum": 2.5},
        1,
        "does not fit an integer",
    ),
    invalid(
        "a wider bound that has no 64 bits",
        {"type": "number", "maximum": 5},
        {"type": "number", "maximum": 2**63},
        5,
        "does not fit 64 bits",
    ),
    invalid(
        "a wider bound that is printed as a lower one",
        {**INT, "minimum": 0},
        {**INT, "minimum": -(2**63)},
        0,
        "does not fit an integer",
    ),
    invalid(
        "a bound with an exponent",
        {**INT, "maximum": 5},
        {**INT, "maximum": 1e30},
        5,
        "does not fit an integer",
    ),
    invalid("a multiple", INT, {**INT, "multipleOf": 2}, 3, "multipleOf 2 is added"),
    invalid("another multiple", {**INT, "multipleOf": 2}, {**INT, "multipleOf": 3}, 4, "does not divide 2"),
    invalid(
        "a fraction as multiple",
        {"type": "number", "multipleOf": 1},
        {"type": "number", "multipleOf": 0.5},
        2,
        "multipleOf 0.5 does not divide 1",
    ),
    invalid("a range", INT, {**INT, "format": "int32"}, 2**40, "the format int32 is added"),
    invalid(
        "a smaller range", {**INT, "format": "int64"}, {**INT, "format": "int32"}, 2**40, "int32 is added"
    ),
    invalid(
        "a shorter text",
        {**TEXT, "maxLength": 5},
        {**TEXT, "maxLength": 3},
        "abcd",
        "maxLength 3 is lower than 5, so stored objects with more characters become invalid",
    ),
    invalid("a longest text", TEXT, {**TEXT, "maxLength": 3}, "abcd", "maxLength 3 is added"),
    invalid(
        "a longer text",
        {**TEXT, "minLength": 1},
        {**TEXT, "minLength": 2},
        "a",
        "minLength 2 is higher than 1",
    ),
    invalid("a pattern", TEXT, {**TEXT, "pattern": "^a"}, "b", "the pattern is added: ^a"),
    invalid(
        "another pattern",
        {**TEXT, "pattern": "^b"},
        {**TEXT, "pattern": "^a"},
        "b",
        "the pattern changes from ^b to ^a",
    ),
    invalid("a format", TEXT, {**TEXT, "format": "ipv4"}, "b", "the format ipv4 is added"),
    invalid(
        "another format",
        {**TEXT, "format": "ipv4"},
        {**TEXT, "format": "ipv6"},
        "1.2.3.4",
        "the format changes from ipv4 to ipv6",
    ),
    invalid(
        "a format without a type",
        {**EITHER, "format": "ipv4"},
        {**ANY, "format": "ipv4"},
        1,
        "the format ipv4 without a type refuses all that is no text",
    ),
    invalid("a format of anything", ANY, {**ANY, "format": "ipv4"}, 1, "refuses all that is no text"),
    invalid(
        "an enum",
        TEXT,
        {**TEXT, "enum": ["a"]},
        "b",
        'an enum is added, so stored objects with other values than "a"',
    ),
    invalid(
        "fewer values",
        {**TEXT, "enum": ["a", "b"]},
        {**TEXT, "enum": ["b", "c"]},
        "a",
        'no longer has the value "a"',
    ),
    invalid(
        "fewer numbers", {**INT, "enum": [1, 2, 3]}, {**INT, "enum": [3]}, 2, "no longer has the values 1, 2"
    ),
    invalid(
        "an enum that null is not in",
        {**TEXT, "nullable": True},
        {**TEXT, "nullable": True, "enum": ["a"]},
        None,
        "an enum is added",
    ),
    invalid(
        "a pattern that one value breaks",
        {**TEXT, "enum": ["a", "b"]},
        {**TEXT, "enum": ["a", "b"], "pattern": "^a"},
        "b",
        "the pattern is added",
    ),
    invalid("fewer elements", items(INT), items(INT, maxItems=1), [1, 2], "maxItems 1 is added"),
    invalid(
        "more elements", items(INT, minItems=1), items(INT, minItems=2), [1], "minItems 2 is higher than 1"
    ),
    invalid(
        "fewer members",
        values(INT, maxProperties=2),
        values(INT, maxProperties=1),
        {"a": 1, "b": 1},
        "maxProperties 1 is lower than 2, so stored objects with more members",
    ),
    invalid("more members", values(INT), values(INT, minProperties=1), {}, "minProperties 1 is added"),
    invalid("no doubles", items(INT), items(INT, uniqueItems=True), [1, 1], "uniqueItems is added"),
    invalid("a set", items(INT), items(INT, **SET), [1, 1], "the list becomes a set"),
    invalid(
        "a map", items(PORT), items(PORT, **list_map("name")), TWO_PORTS, "the list becomes a map by name"
    ),
    invalid(
        "other map keys",
        items(PORT, **list_map("name", "protocol")),
        items(PORT, **list_map("name")),
        TWO_PORTS,
        "map keys change from name, protocol to name",
    ),
]
