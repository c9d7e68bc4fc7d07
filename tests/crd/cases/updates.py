"""Updates: what was invalid and did not change is let pass. And scale, and status."""

from __future__ import annotations

from typing import Any

from tests.crd.harness import Case, Schemas

SPEC: dict[str, Any] = {
    "text": {"type": "string", "maxLength": 2},
    "number": {"type": "integer", "maximum": 3},
    "list": {"type": "array", "items": {"type": "string", "maxLength": 2}, "maxItems": 2},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 2}},
    "listMap": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "value": {"type": "string", "maxLength": 2}},
        },
    },
    "twoKeys": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a", "b"],
        "items": {
            "type": "object",
            "required": ["a", "b"],
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "string"},
                "value": {"type": "string", "maxLength": 2},
            },
        },
    },
    "map": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 2}},
    "kept": {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "required": ["needed"],
        "properties": {"a": {"type": "string", "maxLength": 2}, "needed": {"type": "string"}},
    },
    "nested": {
        "type": "object",
        "required": ["needed"],
        "properties": {
            "needed": {"type": "string"},
            "a": {"type": "object", "properties": {"b": {"type": "string", "enum": ["x"]}}},
        },
    },
    "clause": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "allOf": [{"properties": {"a": {"maxLength": 2}}}],
    },
    "required": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a"],
    },
}

SCHEMAS = {
    "updates": Schemas({"type": "object", "properties": {"spec": {"type": "object", "properties": SPEC}}}),
    "status": Schemas(
        {
            "type": "object",
            "properties": {
                "spec": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string", "maxLength": 2},
                        "replicas": {"type": "integer"},
                        "loose": {"x-kubernetes-preserve-unknown-fields": True},
                    },
                },
                "status": {
                    "type": "object",
                    "required": ["phase"],
                    "properties": {
                        "phase": {"type": "string", "enum": ["A", "B"]},
                        "replicas": {"type": "integer"},
                        "set": SPEC["set"],
                        "selector": {"type": "string"},
                    },
                },
            },
        },
        {"status": {}},
    ),
    "scale": Schemas(
        {
            "type": "object",
            "properties": {
                "spec": {
                    "type": "object",
                    "properties": {"replicas": {"x-kubernetes-preserve-unknown-fields": True}},
                },
                "status": {
                    "type": "object",
                    "properties": {
                        "replicas": {"x-kubernetes-preserve-unknown-fields": True},
                        "selector": {"x-kubernetes-preserve-unknown-fields": True},
                    },
                },
            },
        },
        {
            "scale": {
                "specReplicasPath": ".spec.replicas.count",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            }
        },
    ),
}

PAIRS: dict[str, list[tuple[Any, Any]]] = {
    "text": [("long", "long"), ("long", "longer"), ("ok", "long"), (1, 1), (1, "1"), ("long", "ok")],
    "number": [(5, 5), (5, 6), (5, 5.0), (5.5, 5.5), (True, True), (True, 1)],
    "list": [
        (["long", "a"], ["long", "a"]),
        (["long"], ["long", "a"]),
        (["a", "b", "c"], ["a", "b", "c"]),
        (["a", "b", "c"], ["c", "b", "a"]),
    ],
    "set": [
        (["a", "a"], ["a", "a"]),
        (["a", "a"], ["b", "b"]),
        (["a"], ["b", "b"]),
        (["a", "long"], ["long", "a"]),
        (["a", "long"], ["a", "long"]),
        (["a", "a"], ["long", "long"]),
    ],
    "listMap": [
        ([{"name": "a", "value": "long"}], [{"name": "a", "value": "long"}, {"name": "b", "value": "x"}]),
        ([{"name": "a", "value": "long"}], [{"name": "b", "value": "long"}]),
        ([{"name": "a", "value": "long"}, {"name": "b"}], [{"name": "b"}, {"name": "a", "value": "long"}]),
        ([{"name": "a", "value": "long"}], [{"name": "a", "value": "longer"}]),
        ([{"value": "long"}], [{"value": "long"}]),
        ([{"name": "a"}, {"name": "a"}], [{"name": "a"}, {"name": "a"}]),
        ([{"name": "a"}], [{"name": "a"}, {"name": "a"}]),
    ],
    "twoKeys": [
        ([{"a": 1, "b": "x", "value": "long"}], [{"a": 1, "b": "x", "value": "long"}, {"a": 2, "b": "x"}]),
        ([{"a": 1, "b": "x", "value": "long"}], [{"a": 1, "b": "y", "value": "long"}]),
    ],
    "map": [
        ({"a": "long"}, {"a": "long", "b": "x"}),
        ({"a": "long"}, {"b": "long"}),
        ({"a": "long"}, {"a": "longer"}),
    ],
    "kept": [
        ({"x": 1}, {"x": 1}),
        ({"a": "long"}, {"a": "long"}),
        ({"a": "long", "x": 1}, {"a": "long", "x": 2}),
    ],
    "nested": [
        ({"a": {"b": "q"}}, {"a": {"b": "q"}}),
        ({"a": {"b": "q"}}, {"a": {"b": "q"}, "needed": "y"}),
        ({"a": {"b": "q"}}, {"a": {"b": "r"}}),
        ({}, {"a": {"b": "x"}}),
        (None, {"a": {"b": "q"}}),
    ],
    "clause": [
        ({"a": "long"}, {"a": "long"}),
        ({"a": "long"}, {"a": "long", "b": "x"}),
        ({"a": "long"}, {"a": "longer"}),
    ],
    "required": [({}, {}), ({"b": "x"}, {"b": "x"}), ({"b": "x"}, {"b": "y"})],
}

CASES = [
    Case(f"{name} {index}", "updates", {"spec": {name: new}}, {"spec": {name: old}})
    for name, pairs in PAIRS.items()
    for index, (old, new) in enumerate(pairs)
]
CASES += [
    Case(
        "text unchanged, another changed",
        "updates",
        {"spec": {"text": "long", "number": 1}},
        {"spec": {"text": "long"}},
    ),
    Case(
        "both wrong, one changed",
        "updates",
        {"spec": {"text": "long", "number": 9}},
        {"spec": {"text": "long", "number": 8}},
    ),
    Case("spec appears", "updates", {"spec": {"text": "long"}}, {}),
    Case("unknown dropped in the update", "updates", {"spec": {"foo": 1}}, {"spec": {"bar": 1}}),
    Case("status bad", "status", {"status": {"phase": "C"}}, {"spec": {}}, "status"),
    Case("status missing phase", "status", {"status": {}}, {"spec": {}}, "status"),
    Case(
        "status unchanged",
        "status",
        {"status": {"phase": "C", "replicas": 1}},
        {"status": {"phase": "C"}},
        "status",
    ),
    Case("status of wrong type", "status", {"status": "x"}, {"spec": {}}, "status"),
    Case("status doubles", "status", {"status": {"phase": "A", "set": ["a", "a"]}}, {"spec": {}}, "status"),
    Case(
        "status doubles as before",
        "status",
        {"status": {"phase": "A", "set": ["a", "a"]}},
        {"status": {"phase": "B", "set": ["b", "b"]}},
        "status",
    ),
    *(
        Case(f"scale {index}", "scale", obj)
        for index, obj in enumerate(
            [
                {"spec": {"replicas": {"count": 3}}, "status": {"replicas": 1, "selector": "a=b"}},
                {"spec": {"replicas": {"count": -1}}},
                {"spec": {"replicas": {"count": 2**31}}},
                {"spec": {"replicas": {"count": "x"}}},
                {"spec": {"replicas": {"count": 1.5}}},
                {"spec": {"replicas": 1}},
                {"spec": {"replicas": {"count": None}}},
                {"spec": {"replicas": None}},
                {"status": {"replicas": -1}},
                {"status": {"replicas": "x", "selector": 1}},
                {"status": {"selector": ["a"]}},
                {"status": {"replicas": {"a": 1}}},
                {"spec": {"replicas": "text"}},
                {"spec": {"replicas": [1]}},
            ]
        )
    ),
]
