"""Changes of a schema that break nothing, each with an object that stays valid and loses nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.crd.schema_builders import (
    ANY,
    EITHER,
    EMBEDDED,
    INT,
    KEEP,
    ONE_OF_TWO,
    PORT,
    SET,
    TEXT,
    Json,
    cel,
    items,
    list_map,
    of,
    values,
)

__all__ = ["HARMLESS", "Harmless"]


class Harmless(NamedTuple):
    """A change that breaks nothing, and the spec of an object that stays valid."""

    name: str
    old: Json
    new: Json
    spec: Any


HARMLESS = [
    Harmless("nothing", PORT, PORT, {"name": "a"}),
    Harmless("an optional property", of(a=INT), of(a=INT, b=TEXT), {"a": 1}),
    Harmless("a property with a default", of(a=INT), of(a=INT, b={**TEXT, "default": "x"}), {"a": 1}),
    Harmless("a default", of(a=INT), of(a={**INT, "default": 1}), {}),
    Harmless("another default", of(a={**INT, "default": 1}), of(a={**INT, "default": 2}), {}),
    Harmless("no default", of(a={**INT, "default": 1}), of(a=INT), {}),
    Harmless("required with a default", of(a=INT), of(a={**INT, "default": 1}) | {"required": ["a"]}, {}),
    Harmless("no longer required", of(a=INT) | {"required": ["a"]}, of(a=INT), {"a": 1}),
    Harmless(
        "texts for people",
        of(a={**INT, "description": "a"}),
        of(a={**INT, "title": "A", "example": 3}),
        {"a": 1},
    ),
    Harmless("integer to number", INT, {"type": "number"}, 1),
    Harmless("integer to int-or-string", INT, EITHER, 1),
    Harmless("int-or-string in full", EITHER, {**EITHER, "anyOf": [INT, TEXT]}, "a"),
    Harmless("a type to any", TEXT, ANY, "a"),
    Harmless("wider bounds", {**INT, "minimum": 1, "maximum": 5}, {**INT, "minimum": 0, "maximum": 6}, 5),
    Harmless("no bounds", {**INT, "minimum": 1, "maximum": 5}, INT, 5),
    Harmless(
        "no longer exclusive", {**INT, "minimum": 1, "exclusiveMinimum": True}, {**INT, "minimum": 1}, 2
    ),
    Harmless(
        "exclusive, but wider", {**INT, "maximum": 1}, {**INT, "maximum": 2, "exclusiveMaximum": True}, 1
    ),
    Harmless("a divisor", {**INT, "multipleOf": 6}, {**INT, "multipleOf": 3}, 6),
    Harmless("a larger range", {**INT, "format": "int32"}, {**INT, "format": "int64"}, 6),
    Harmless("a format that allows all integers", INT, {**INT, "format": "int64"}, 6),
    Harmless("a format that allows all texts", TEXT, {**TEXT, "format": "password"}, "a"),
    Harmless("a format that no server knows", TEXT, {**TEXT, "format": "my-own"}, "a"),
    Harmless(
        "another name of a format",
        {**TEXT, "format": "date-time"},
        {**TEXT, "format": "datetime"},
        "2020-01-01T00:00:00Z",
    ),
    Harmless("no format", {**TEXT, "format": "ipv4"}, TEXT, "1.2.3.4"),
    Harmless(
        "wider lengths",
        {**TEXT, "minLength": 2, "maxLength": 3},
        {**TEXT, "minLength": 1, "maxLength": 4},
        "ab",
    ),
    Harmless("a least length of nothing", TEXT, {**TEXT, "minLength": 0}, ""),
    Harmless("no pattern", {**TEXT, "pattern": "^a"}, TEXT, "a"),
    Harmless("more values", {**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["b", "a"]}, "a"),
    Harmless("no enum", {**TEXT, "enum": ["a"]}, TEXT, "a"),
    Harmless(
        "an enum as a pattern", {**TEXT, "enum": ["a", "ab"]}, {**TEXT, "pattern": "^a", "maxLength": 2}, "ab"
    ),
    Harmless(
        "a value dropped that could not be",
        {**TEXT, "enum": ["a", "bb"], "maxLength": 1},
        {**TEXT, "enum": ["a"]},
        "a",
    ),
    Harmless(
        "rules about texts on numbers", INT, {**INT, "maxLength": 1, "pattern": "^a", "maxItems": 0}, 100
    ),
    Harmless(
        "rules about numbers on texts",
        TEXT,
        {**TEXT, "maximum": 1, "minimum": 5, "multipleOf": 2, "maxProperties": 0, "uniqueItems": False},
        "a",
    ),
    Harmless(
        "a format of the same without a type",
        {**TEXT, "format": "ipv4"},
        {**ANY, "format": "ipv4"},
        "1.2.3.4",
    ),
    Harmless(
        "one new clause that all keep",
        {**INT, "minimum": 1},
        {**INT, "anyOf": [{"minimum": 1}, {"maximum": -5}]},
        1,
    ),
    Harmless(
        "a clause on a member that says nothing new",
        of(a={**INT, "minimum": 1}),
        of(a={**INT, "minimum": 1}) | {"allOf": [{"properties": {"a": {"minimum": 1}}}]},
        {"a": 1},
    ),
    Harmless(
        "a clause on elements that says nothing new",
        items({**INT, "minimum": 1}),
        items({**INT, "minimum": 1}, allOf=[{"items": {"minimum": 0}}]),
        [1],
    ),
    Harmless(
        "a wider type under a clause",
        of(a=INT) | {"anyOf": [{"required": ["a"]}]},
        of(a={"type": "number"}) | {"anyOf": [{"required": ["a"]}]},
        {"a": 1},
    ),
    Harmless(
        "a default further down than is counted",
        of(a=of(b=INT)) | {"maxProperties": 1},
        of(a=of(b={**INT, "default": 1})) | {"maxProperties": 1},
        {"a": {}},
    ),
    Harmless(
        "a default below what a rule reads",
        of(a=of(b=INT)) | cel("has(self.a)"),
        of(a=of(b={**INT, "default": 1})) | cel("has(self.a)"),
        {"a": {}},
    ),
    Harmless(
        "a default of a field that is a word of CEL",
        of(a=INT, **{"in": INT}) | cel("self.a in [1, 2]"),
        of(a=INT, **{"in": {**INT, "default": 1}}) | cel("self.a in [1, 2]"),
        {"a": 1},
    ),
    Harmless(
        "a wider bound that a rule reads",
        of(a={**INT, "minimum": 1}) | cel("self.a > 0"),
        of(a={**INT, "minimum": 0}) | cel("self.a > 0"),
        {"a": 1},
    ),
    Harmless(
        "a format that is nothing to a rule",
        of(a={**TEXT, "format": "ipv4"}) | cel("self.a != ''"),
        of(a=TEXT) | cel("self.a != ''"),
        {"a": "1.2.3.4"},
    ),
    Harmless(
        "the list type that lists have",
        of(a=items(INT)) | cel("self.a.size() > 0"),
        of(a=items(INT, **{"x-kubernetes-list-type": "atomic"})) | cel("self.a.size() > 0"),
        {"a": [1]},
    ),
    Harmless(
        "what embedded resources must have",
        {**EMBEDDED, **KEEP},
        {**EMBEDDED, **KEEP, "required": ["apiVersion", "kind"]},
        {"apiVersion": "v1", "kind": "A"},
    ),
    Harmless("a format of texts for what is an integer", INT, {**EITHER, "format": "ipv4"}, 1),
    Harmless(
        "a fraction as multiple that stays",
        {"type": "number", "multipleOf": 0.5, "maximum": 2},
        {"type": "number", "multipleOf": 0.5, "maximum": 3},
        1.5,
    ),
    Harmless("a very low bound", {**INT, "minimum": 0}, {**INT, "minimum": -(2**62)}, 0),
    Harmless(
        "the lowest bound of a format",
        {**INT, "format": "int32", "minimum": 0},
        {**INT, "format": "int32", "minimum": -(2**31)},
        0,
    ),
    Harmless(
        "a default that clauses do not read",
        of(a=INT, b=INT) | {"anyOf": [{"required": ["a"]}]},
        of(a=INT, b={**INT, "default": 1}) | {"anyOf": [{"required": ["a"]}]},
        {"a": 1},
    ),
    Harmless(
        "a default that stays and is read",
        of(a={**INT, "minimum": 1, "default": 1}) | cel("self.a > 0"),
        of(a={**INT, "minimum": 0, "default": 1}) | cel("self.a > 0"),
        {},
    ),
    Harmless("more elements", items(INT, maxItems=1, minItems=1), items(INT, maxItems=2), [1]),
    Harmless("more members", values(INT, maxProperties=1), values(INT, maxProperties=2), {"a": 1}),
    Harmless("doubles", items(INT, **SET), items(INT), [1]),
    Harmless("a list that was a map", items(PORT, **list_map("name")), items(PORT), [{"name": "a"}]),
    Harmless(
        "map keys more",
        items(PORT, **list_map("name")),
        items(PORT, **list_map("name", "protocol")),
        [{"name": "a"}],
    ),
    Harmless("null", INT, {**INT, "nullable": True}, 1),
    Harmless("unknown fields kept", of(a=INT), {**of(a=INT), **KEEP}, {"a": 1}),
    Harmless("wider values of a map", values({**INT, "minimum": 1}), values(INT), {"a": 1}),
    Harmless("a property into what is kept", {**of(a=INT), **KEEP}, {**of(), **KEEP}, {"a": 1}),
    Harmless(
        "no embedded resource, but all kept",
        {**EMBEDDED, **KEEP},
        {**of(), **KEEP},
        {"apiVersion": "v1", "kind": "A"},
    ),
    Harmless(
        "a clause less in allOf",
        {**INT, "allOf": [{"minimum": 1}, {"maximum": 3}]},
        {**INT, "allOf": [{"minimum": 0}]},
        2,
    ),
    Harmless("a clause that says nothing new", {**INT, "minimum": 1}, {**INT, "allOf": [{"minimum": 1}]}, 1),
    Harmless(
        "a clause more in anyOf",
        {**INT, "anyOf": [{"maximum": 3}]},
        {**INT, "anyOf": [{"minimum": 10}, {"maximum": 4}]},
        2,
    ),
    Harmless(
        "oneOf in another order",
        of(a=INT, b=INT) | {"oneOf": ONE_OF_TWO},
        of(a=INT, b=INT) | {"oneOf": ONE_OF_TWO[::-1]},
        {"a": 1},
    ),
    Harmless("no clauses", {**INT, "anyOf": [{"maximum": 3}], "not": {"enum": [2]}}, INT, 1),
    Harmless("a narrower not", {**INT, "not": {"maximum": 2}}, {**INT, "not": {"maximum": 1}}, 3),
    Harmless("no rule", {**INT, **cel("self != 1")}, INT, 2),
    Harmless(
        "other words of a rule", {**INT, **cel("self != 1")}, {**INT, **cel("self != 1", message="not 1")}, 2
    ),
    Harmless(
        "a default that rules do not read",
        of(a=INT, b=INT) | cel("self.a > 0"),
        of(a=INT, b={**INT, "default": 1}) | cel("self.a > 0"),
        {"a": 1},
    ),
    Harmless(
        "a wider type that rules do not read",
        of(a=INT, b=INT) | cel("self.a > 0"),
        of(a=INT, b={"type": "number"}) | cel("self.a > 0"),
        {"a": 1, "b": 1},
    ),
    Harmless("the way maps are merged", of(a=INT), of(a=INT) | {"x-kubernetes-map-type": "atomic"}, {"a": 1}),
]
HARMLESS = [case._replace(old=of(f=case.old), new=of(f=case.new), spec={"f": case.spec}) for case in HARMLESS]
