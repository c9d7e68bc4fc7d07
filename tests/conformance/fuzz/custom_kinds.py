"""A custom resource with all that a schema can say, in two versions."""

from __future__ import annotations

from typing import Any

from tests.conformance.custom_resources import definition, version
from tests.conformance.fuzz.kinds import Fields, Kind

__all__ = ["CUSTOM", "DEFINITION", "GROUP"]

GROUP = "fuzz.example.com"

_PORT: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "port": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535, "default": 80},
        "protocol": {"type": "string", "default": "TCP", "enum": ["TCP", "UDP"]},
        "target": {"x-kubernetes-int-or-string": True},
    },
}
_SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 0, "maximum": 10},
        "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0, "multipleOf": 0.5},
        "color": {"type": "string", "default": "red", "enum": ["red", "blue"]},
        "title": {"type": "string", "minLength": 2, "maxLength": 8, "pattern": "^[a-z]+$"},
        "when": {"type": "string", "format": "date-time"},
        "address": {"type": "string", "format": "ipv4"},
        "tags": {
            "type": "array",
            "maxItems": 3,
            "x-kubernetes-list-type": "set",
            "items": {"type": "string", "maxLength": 3},
        },
        "words": {"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 4},
        "ports": {
            "type": "array",
            "maxItems": 5,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": _PORT,
        },
        "limit": {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "pattern": "^[0-9]+%?$",
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "whole": {
            "type": "object",
            "x-kubernetes-map-type": "atomic",
            "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "b"}},
        },
        "counts": {"type": "object", "maxProperties": 3, "additionalProperties": {"type": "integer"}},
        "maybe": {"type": "string", "nullable": True, "default": "d"},
        "nested": {
            "type": "object",
            "default": {},
            "properties": {
                "on": {"type": "boolean", "default": True},
                "deep": {"type": "object", "properties": {"x": {"type": "integer", "default": 1}}},
            },
        },
        "replicas": {"type": "integer", "default": 1},
        "either": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        "embedded": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
    "x-kubernetes-validations": [
        {"rule": "self.size <= 5 || self.color == 'blue'", "message": "big ones are blue"},
        {
            "rule": "!has(oldSelf.title) || (has(self.title) && self.title == oldSelf.title)",
            "message": "the title stays",
            "reason": "FieldValueForbidden",
            "fieldPath": ".title",
        },
        {
            "rule": "!has(self.tags) || self.tags.all(tag, tag != 'no')",
            "messageExpression": "'no is no tag, ' + self.tags[0] + ' is the first'",
        },
        {"rule": "!has(self.ports) || self.ports.filter(p, p.protocol == 'UDP').size() <= 1"},
    ],
}
_STATUS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer"},
        "selector": {"type": "string"},
        "phase": {"type": "string", "default": "New"},
        "conditions": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "items": {
                "type": "object",
                "required": ["type", "status"],
                "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
            },
        },
    },
}
_SCALE = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.selector",
}
_COLUMNS = [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
    {"name": "First", "type": "string", "jsonPath": ".spec.ports[0].name"},
    {"name": "On", "type": "boolean", "jsonPath": ".spec.nested.on"},
    {"name": "When", "type": "date", "jsonPath": ".spec.when"},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]
_V2_SPEC = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "default": 2},
        "color": {"type": "string"},
        "ports": _SPEC["properties"]["ports"],
        "extra": {"type": "string", "default": "e"},
        "replicas": {"type": "integer"},
        "free": {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": True}},
    },
}


def _schema(spec: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": ["spec"], "properties": {"spec": spec, "status": _STATUS}}


DEFINITION = definition(
    GROUP,
    version(
        schema=_schema(_SPEC),
        subresources={"status": {}, "scale": _SCALE},
        additionalPrinterColumns=_COLUMNS,
        selectableFields=[{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.size"}],
    ),
    version("v2", _schema(_V2_SPEC), subresources={"status": {}, "scale": _SCALE}),
)

_FIELDS: Fields = {
    "spec.size": (0, 3, 5),
    "spec.color": ("red", "blue"),
    "spec.ports[name=a].port": (80, 81),
    "spec.ports[name=a].protocol": ("TCP", "UDP"),
    "spec.ports[name=a].target": (5, "http"),
    "spec.ports[name=b]": ({"name": "b"}, {"name": "b", "port": 90, "protocol": "UDP"}),
    "spec.ports": ([{"name": "c"}, {"name": "a"}], []),
    "spec.replicas": (0, 2),
    "spec.free.a": (1, "x"),
}
_STATUS_FIELDS: Fields = {
    "status.replicas": (0, 2, "x"),
    "status.selector": ("app=x", "!!"),
    "status.phase": ("Running", None, 5),
    "status.conditions[type=Ready].status": ("True", "False"),
    "status.conditions[type=Done]": ({"type": "Done"}, {"type": "Done", "status": "True"}),
    "status.unknown": (1,),
}
V1 = Kind(
    f"{GROUP}/v1",
    "widgets",
    "Widget",
    {"spec": {"size": 1}},
    _FIELDS
    | {
        "spec.ratio": (0.5, 1.5, 1.0),
        "spec.title": ("abc",),
        "spec.when": ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00+02:00"),
        "spec.address": ("10.1.2.3",),
        "spec.tags": (["a", "b"], ["b"], []),
        "spec.words": (["a", "a"], ["b"]),
        "spec.limit": (5, "50%"),
        "spec.free": ({}, {"a": {"b": [1, 2.5, 3.0, None, "x"]}}),
        "spec.whole": ({"a": "1"}, {"a": "2", "b": "3"}, {}),
        "spec.counts.x": (1, 2),
        "spec.counts": ({}, {"y": 3}),
        "spec.maybe": ("x", None),
        "spec.nested.on": (True, False),
        "spec.nested.deep": ({}, {"x": 2}),
        "spec.nested": (None, {}),
        "spec.either": ({"a": "1"}, {"b": "1"}),
        "spec.embedded": (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}},
            {"apiVersion": "a/v1", "kind": "X", "metadata": {"name": "p", "unknown": 1}, "data": [1]},
        ),
    },
    {
        "spec.size": (6, 11, -1, "x", 1.5, 2.0, None),
        "spec.ratio": (0, 0.0, 0.3, 1, "x"),
        "spec.color": ("green", None, 5),
        "spec.title": ("a", "ABC", "abcdefghijk", "xyz"),
        "spec.when": ("x", ""),
        "spec.address": ("x", "::1"),
        "spec.tags": (["no"], ["a", "a"], ["long one"], ["a", "b", "c", "d"], "x", [1]),
        "spec.words": ("x", [None], ["a", 1]),
        "spec.ports": ([{"name": "a"}, {"name": "a"}], [{}], "x", [1], [{"name": ""}], None),
        "spec.ports[name=a].port": (0, "x", 2**31, None),
        "spec.ports[name=b].protocol": ("SCTP",),
        "spec.limit": (True, "x", 1.5, 5.0, None, {"a": None}, {"a": 1}, [None]),
        "spec.ports[name=a].target": (None, {"a": 1}, 2.0),
        "spec.free": ("x", []),
        "spec.whole": ("x", {"a": 1}, {"c": 1}),
        "spec.counts": ({"a": "x"}, {"a": 1, "b": 2, "c": 3, "d": 4}, {"a": None}),
        "spec.either": ({"a": "1", "b": "2"}, {}),
        "spec.embedded": ({}, {"apiVersion": "v1", "kind": "Pod"}, {"kind": "", "apiVersion": "v1"}),
        "spec.unknown": (1, {"a": "b"}),
        "spec.nested.unknown": (1,),
        "spec": (None, {}, "x", []),
        "status": ({"phase": "Now"}, {"replicas": "x"}),
    },
    _STATUS_FIELDS,
    scaled=True,
    selectable=("spec.color=red", "spec.size=1", "spec.color!=red"),
)
V2 = Kind(
    f"{GROUP}/v2",
    "widgets",
    "Widget",
    {"spec": {"size": 1}},
    _FIELDS | {"spec.extra": ("x",), "spec.free.b": (5,), "spec.color": ("green", "blue")},
    {
        "spec.size": ("x", 99, 2.0),
        "spec.free": ({"a": True}, {"a": None}),
        "spec.unknown": (1,),
        "spec.title": ("abc",),
        "spec": (None, {}),
    },
    _STATUS_FIELDS,
    scaled=True,
    applied=False,
)
CUSTOM = (V1, V2)
