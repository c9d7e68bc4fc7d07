"""Pruning, nulls, defaults, metadata and embedded objects."""

from __future__ import annotations

from typing import Any

from tests.crd.harness import Case, Schemas

PRUNED: dict[str, Any] = {
    "plain": {"type": "object", "properties": {"a": {"type": "string"}}},
    "text": {"type": "string"},
    "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
    "listOfLists": {
        "type": "array",
        "items": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
    },
    "map": {
        "type": "object",
        "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
    "anyMap": {"type": "object", "additionalProperties": True},
    "kept": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "keptInside": {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {
            "known": {"type": "object", "properties": {"a": {"type": "string"}}},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        },
    },
    "keptList": {
        "type": "array",
        "x-kubernetes-preserve-unknown-fields": True,
        "items": {
            "type": "object",
            "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}},
        },
    },
    "prunedBelow": {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"a": {"type": "object"}},
    },
    "intOrString": {"x-kubernetes-int-or-string": True},
    "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
    "embedded": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "embeddedPruned": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}},
    },
    "embeddedList": {
        "type": "array",
        "items": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
    "embeddedMap": {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
    "nullable": {"type": "string", "nullable": True},
    "nullText": {"type": "string"},
    "nullDefault": {"type": "string", "default": "d"},
    "nullableDefault": {"type": "string", "nullable": True, "default": "d"},
    "nullMap": {"type": "object", "additionalProperties": {"type": "string"}},
    "nullableMap": {"type": "object", "additionalProperties": {"type": "string", "nullable": True}},
    "nullList": {"type": "array", "items": {"type": "string"}},
    "nullableList": {"type": "array", "items": {"type": "string", "nullable": True}},
}

DEFAULTS: dict[str, Any] = {
    "a": {"type": "string", "default": "x"},
    "b": {"type": "object", "default": {}, "properties": {"c": {"type": "integer", "default": 3}}},
    "d": {"type": "object", "properties": {"e": {"type": "integer", "default": 4}}},
    "f": {
        "type": "array",
        "items": {"type": "object", "properties": {"g": {"type": "string", "default": "y"}}},
    },
    "h": {
        "type": "object",
        "additionalProperties": {"type": "object", "properties": {"i": {"type": "boolean", "default": True}}},
    },
    "j": {
        "type": "array",
        "default": [{"k": 1}],
        "items": {
            "type": "object",
            "properties": {"k": {"type": "integer"}, "l": {"type": "string", "default": "z"}},
        },
    },
    "m": {"type": "array", "items": {"type": "string", "default": "n"}},
    "o": {"type": "object", "additionalProperties": {"type": "string", "default": "p"}},
    "q": {"type": "object", "nullable": True, "default": {"r": 1}, "properties": {"r": {"type": "integer"}}},
    "s": {"x-kubernetes-int-or-string": True, "default": 80},
    "t": {"type": "number", "default": 1.5},
    "u": {"type": "boolean", "default": False},
}

SCHEMAS = {
    "pruning": Schemas(
        {
            "type": "object",
            "properties": {
                "spec": {"type": "object", "properties": PRUNED},
                "status": {"type": "object"},
            },
        }
    ),
    "kept": Schemas(
        {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}},
        }
    ),
    "empty": Schemas({"type": "object"}),
    "defaults": Schemas(
        {
            "type": "object",
            "required": ["spec"],
            "properties": {
                "spec": {
                    "type": "object",
                    "default": {"fromDefault": "yes"},
                    "properties": {"fromDefault": {"type": "string"}, **DEFAULTS},
                },
                "absent": {"type": "object", "properties": {"a": {"type": "string", "default": "never"}}},
            },
        }
    ),
    "embeddedDefaults": Schemas(
        {
            "type": "object",
            "properties": {
                "template": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "properties": {
                        "apiVersion": {"type": "string", "default": "v1"},
                        "kind": {"type": "string", "default": "Pod"},
                        "metadata": {
                            "type": "object",
                            "default": {"name": "made"},
                            "properties": {
                                "name": {"type": "string", "maxLength": 6},
                                "labels": {"type": "object"},
                            },
                        },
                        "spec": {"type": "object", "properties": {"a": {"type": "string", "default": "b"}}},
                    },
                }
            },
        }
    ),
}


def _pod(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "anything": {"goes": 1}}


GIVEN: dict[str, list[Any]] = {
    "plain": [{"a": "x", "b": 1}, {"b": {"c": 1}}, {"a": {"b": 1}}, [{"a": 1}], [1], "x"],
    "text": [{"a": 1}, [{"a": 1}], [[{"b": 1}]], ["x"]],
    "list": [[{"a": "x", "b": 1}, {"c": 1}], {"a": 1}, [[{"a": 1}]]],
    "listOfLists": [[[{"a": "x", "b": 1}], [{"c": 1}]], [{"d": 1}]],
    "map": [{"k": {"a": "x", "b": 1}}, {"k": "x"}, {"a.b": {"c": 1}}],
    "anyMap": [{"a": 1}, {"a": {"b": 1, "c": {"d": 1}}}, {"a": [{"b": 1}], "c": [1]}],
    "kept": [{"a": {"b": [1, {"c": None}]}}, {"a": None}],
    "keptInside": [
        {"other": {"x": 1}, "known": {"a": "x", "b": 1}},
        {"list": [{"a": "x", "z": 1}]},
        {"known": {"b": {"c": 1}}},
    ],
    "keptList": [[{"x": 1, "a": {"b": "c", "d": 1}}], [[{"a": {"d": 1}}]]],
    "prunedBelow": [{"a": {"b": 1}, "c": {"d": 1}}],
    "intOrString": [{"a": 1}, [1], 1],
    "metadata": [{"name": "a", "x": 1, "labels": {"a": 1}}, {"name": 1}],
    "embedded": [
        _pod(name="a"),
        _pod(name="a", foo=1),
        {},
        {"kind": "Pod"},
        {"apiVersion": "v1"},
        {"apiVersion": "", "kind": ""},
        {"apiVersion": "a/b/c", "kind": "Pod"},
        {"apiVersion": "v1", "kind": "not ok"},
        {"apiVersion": 1, "kind": "Pod"},
        {"apiVersion": "v1", "kind": {}},
        _pod(name=1),
        _pod(labels={"a": 1}),
        _pod(labels={"a b": "c"}),
        _pod(labels={}),
        _pod(annotations={"a b": "c"}),
        _pod(name="a/b"),
        _pod(generateName="a%"),
        _pod(namespace="A"),
        _pod(namespace="ns"),
        _pod(finalizers=["a b"]),
        _pod(ownerReferences=[{}]),
        _pod(ownerReferences=[{"controller": 1}]),
        _pod(generation=-1),
        _pod(ownerReferences=[{"apiVersion": "v1", "kind": "A", "name": "b", "uid": "c", "x": 1}]),
        _pod(generation=1.5),
        _pod(creationTimestamp=None),
        _pod(creationTimestamp="x"),
        _pod(creationTimestamp=1),
        _pod(creationTimestamp="2020-01-01T01:00:00+01:00"),
        _pod(managedFields=[{"manager": "a", "x": 1}]),
        _pod(
            managedFields=[{"manager": "a", "operation": "Apply", "fieldsV1": {"f:a": {}}, "fieldsType": "x"}]
        ),
        _pod(finalizers="a"),
        _pod(finalizers=[1]),
        _pod(labels="a"),
        _pod(labels={"a": None}),
        _pod(uid=1),
        _pod(generation="1"),
        _pod(deletionGracePeriodSeconds=0),
        _pod(ownerReferences={}),
        _pod(selfLink="x", resourceVersion="1"),
        {"apiVersion": "v1", "kind": "Pod", "metadata": None},
        {"apiVersion": "v1", "kind": "Pod", "metadata": "x"},
        {"apiVersion": "v1", "kind": "Pod", "metadata": []},
        _pod(managedFields=[{"operation": 1}]),
        "x",
        [1],
    ],
    "embeddedPruned": [_pod(name="a"), {**_pod(name="a"), "spec": {"a": "x", "b": 1}}],
    "embeddedList": [[_pod(name="a", foo=1), {}]],
    "embeddedMap": [{"k": _pod(name="a", foo=1)}, {"k": {}}, {"k": _pod(name=1)}],
    "nullable": [None],
    "nullText": [None],
    "nullDefault": [None],
    "nullableDefault": [None],
    "nullMap": [{"a": None}],
    "nullableMap": [{"a": None}],
    "nullList": [[None]],
    "nullableList": [[None]],
}

CASES = [
    Case(f"{name} {index}", "pruning", {"spec": {name: value}})
    for name, values in GIVEN.items()
    for index, value in enumerate(values)
]
CASES += [
    Case("unknown at the root", "pruning", {"foo": 1, "bar": {"a": 1}}),
    Case(
        "several, sorted",
        "pruning",
        {
            "spec": {"z": 1, "b": 1, "plain": {"q": 1}},
            "foo": 1,
            "metadata": {"name": "case", "zoo": 1, "bar": 2},
        },
    ),
    Case("metadata foreign", "pruning", {"metadata": {"name": "case", "foo": 1, "labels": {"a": "b"}}}),
    Case("metadata of wrong type", "pruning", {"metadata": {"name": "case", "labels": {"a": 1}}}),
    Case("metadata number", "pruning", {"metadata": {"name": 3}}),
    Case("metadata annotations list", "pruning", {"metadata": {"name": "case", "annotations": []}}),
    Case("root kept", "kept", {"foo": {"a": 1}, "spec": {"a": "x", "b": 1}}),
    Case("root empty", "empty", {"spec": {"a": 1}, "foo": 1}),
    Case("defaults of nothing", "defaults", {}),
    Case("defaults of spec", "defaults", {"spec": {}}),
    Case("defaults of null spec", "defaults", {"spec": None}),
    Case(
        "defaults nested",
        "defaults",
        {
            "spec": {
                "b": {},
                "d": {},
                "f": [{}, {"g": "q"}],
                "h": {"k": {}, "l": {"i": False}},
                "j": [{"k": 2}],
            }
        },
    ),
    Case(
        "defaults of nulls",
        "defaults",
        {
            "spec": {
                "a": None,
                "b": None,
                "d": None,
                "f": None,
                "m": [None, "x"],
                "o": {"k": None},
                "q": None,
                "s": None,
            }
        },
    ),
    Case(
        "defaults not over values",
        "defaults",
        {"spec": {"a": "", "s": "x", "t": 0, "u": True, "b": {"c": 0}}},
    ),
    Case("defaults in the wrong type", "defaults", {"spec": {"b": "x", "f": {"g": 1}, "h": [1]}}),
    Case("defaults absent", "defaults", {"spec": {}, "absent": {}}),
    Case("embedded defaults of nothing", "embeddedDefaults", {"template": {}}),
    Case("embedded defaults", "embeddedDefaults", {"template": {"kind": "A", "spec": {}, "foo": 1}}),
    Case(
        "embedded metadata by schema",
        "embeddedDefaults",
        {"template": {"metadata": {"name": "toolong", "labels": {"a": "b"}}}},
    ),
]
