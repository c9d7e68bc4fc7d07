"""A kind that has every sort of list and map, and random values of it."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from kubewright.machinery.openapi_schema import schema_from_openapi

FEW = settings(max_examples=max(10, settings().max_examples // 4))
"""For tests whose examples are large; the deep profile makes more of them, too."""

STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}

POINT: dict[str, Any] = {"type": "object", "properties": {"x": INTEGER, "y": INTEGER}}

PORTS: dict[str, Any] = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
    "items": {
        "type": "object",
        "properties": {
            "port": INTEGER,
            "protocol": {"type": "string", "default": "TCP"},
            "name": STRING,
        },
    },
}

CONTAINER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": STRING,
        "image": STRING,
        "ports": PORTS,
        "args": {"type": "array", "items": STRING},
        "limits": {"type": "object", "additionalProperties": STRING},
    },
}

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "replicas": INTEGER,
        "text": STRING,
        "flag": {"type": "boolean"},
        "labels": {"type": "object", "additionalProperties": STRING},
        "points": {"type": "object", "additionalProperties": {"$ref": "#/definitions/Point"}},
        "struct": {
            "type": "object",
            "properties": {"a": STRING, "inner": {"type": "object", "properties": {"c": STRING}}},
        },
        "atomicStruct": {**POINT, "x-kubernetes-map-type": "atomic"},
        "atomicPoint": {"allOf": [{"$ref": "#/definitions/Point"}], "x-kubernetes-map-type": "atomic"},
        "strings": {"type": "array", "items": STRING},
        "objects": {"type": "array", "x-kubernetes-list-type": "atomic", "items": POINT},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": STRING},
        "numbers": {"type": "array", "x-kubernetes-list-type": "set", "items": INTEGER},
        "containers": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {"$ref": "#/definitions/Container"},
        },
        "ports": PORTS,
        "merged": {
            "type": "array",
            "x-kubernetes-patch-strategy": "merge,retainKeys",
            "x-kubernetes-patch-merge-key": "name",
            "items": {"type": "object", "properties": {"name": STRING, "value": STRING}},
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "open": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": STRING, "points": {"type": "object", "properties": {"p": POINT}}},
        },
        "anything": {"description": "of any type"},
        "intOrString": {"x-kubernetes-int-or-string": True},
        "tree": {"$ref": "#/definitions/Tree"},
    },
}

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": STRING,
        "children": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {"$ref": "#/definitions/Tree"},
        },
    },
}

OBJECT_META: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": STRING,
        "namespace": STRING,
        "uid": STRING,
        "resourceVersion": STRING,
        "generation": INTEGER,
        "labels": {"type": "object", "additionalProperties": STRING},
        "annotations": {"type": "object", "additionalProperties": STRING},
        "finalizers": {"type": "array", "x-kubernetes-list-type": "set", "items": STRING},
        "managedFields": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object"}},
    },
}

THING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": {"$ref": "#/definitions/Meta"},
        "spec": {"$ref": "#/definitions/Spec"},
        "status": {
            "type": "object",
            "properties": {"phase": STRING, "points": {"$ref": "#/definitions/Point"}},
        },
    },
    "x-kubernetes-group-version-kind": [
        {"group": "example.com", "version": "v1", "kind": "Thing"},
        {"group": "example.com", "version": "v2", "kind": "Thing"},
    ],
}

DEFINITIONS: dict[str, dict[str, Any]] = {
    "Thing": THING,
    "Spec": SPEC,
    "Point": POINT,
    "Container": CONTAINER,
    "Tree": TREE,
    "Meta": OBJECT_META,
}

SCHEMA = schema_from_openapi(THING, DEFINITIONS)

NAMES = st.sampled_from(["a", "b", "c", "d"])
ODD_NAMES = st.sampled_from(["a", "b", "<c>", 'd"\\', "e\u2028\n", "ü!", ""])
NULLS = st.sampled_from([False] * 15 + [True])

FREE = st.recursive(
    st.one_of(NAMES, st.integers(-2, 2), st.booleans(), st.none(), st.sampled_from([0.5, 2.0, 1e21])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=2)),
    max_leaves=4,
)


@st.composite
def values(draw: st.DrawFn, openapi: dict[str, Any] = THING, duplicates: bool = False, depth: int = 0) -> Any:
    """A value that fits the schema; with `duplicates`, lists may have several elements of one key."""
    reference = openapi.get("$ref") or openapi.get("allOf", [{}])[0].get("$ref")
    if reference:
        return draw(values(DEFINITIONS[reference.rpartition("/")[2]], duplicates, depth + 1))
    kind = openapi.get("type")
    if "x-kubernetes-int-or-string" in openapi:
        return draw(st.one_of(NAMES, st.integers(0, 2)))
    if kind is None:
        return draw(FREE)
    if draw(NULLS):
        return None
    if kind == "string":
        return draw(ODD_NAMES if depth > 3 else NAMES)
    if kind == "integer":
        return draw(st.integers(0, 2))
    if kind == "boolean":
        return draw(st.booleans())
    if kind == "array":
        return draw(lists(openapi, duplicates, depth))
    return draw(objects(openapi, duplicates, depth))


@st.composite
def objects(draw: st.DrawFn, openapi: dict[str, Any], duplicates: bool, depth: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    properties = openapi.get("properties", {})
    if properties:
        most = 4 if depth < 4 else 2
        for name in draw(st.lists(st.sampled_from(sorted(properties)), unique=True, max_size=most)):
            out[name] = draw(values(properties[name], duplicates, depth + 1))
    if "additionalProperties" in openapi:
        for name in draw(st.lists(NAMES, unique=True, max_size=3)):
            out[name] = draw(values(openapi["additionalProperties"], duplicates, depth + 1))
    elif openapi.get("x-kubernetes-preserve-unknown-fields"):
        out.update(draw(st.dictionaries(NAMES, FREE, max_size=3)))
    return out


@st.composite
def lists(draw: st.DrawFn, openapi: dict[str, Any], duplicates: bool, depth: int) -> list[Any]:
    keys = openapi.get("x-kubernetes-list-map-keys") or [openapi.get("x-kubernetes-patch-merge-key")]
    is_set = openapi.get("x-kubernetes-list-type") == "set"
    out: list[Any] = []
    seen: list[Any] = []
    for _ in range(draw(st.integers(0, 3 if depth < 5 else 1))):
        item = draw(values(openapi["items"], duplicates, depth + 1))
        if keys[0]:
            item = item if isinstance(item, dict) else {}
            item[keys[0]] = draw(st.integers(0, 2) if keys[0] == "port" else ODD_NAMES)
            if item.get("protocol", "") is None:
                del item["protocol"]
        if is_set and item is None:
            continue
        identity = [item.get(key, "TCP" if key == "protocol" else None) for key in keys] if keys[0] else item
        if (keys[0] or is_set) and identity in seen and not duplicates:
            continue
        seen.append(identity)
        out.append(item)
    return out


def without_empty(value: Any) -> Any:
    """A value without the containers that hold nothing, which have no fields of their own."""
    if isinstance(value, dict):
        kept = {name: without_empty(member) for name, member in value.items()}
        return {name: member for name, member in kept.items() if member not in ({}, [], None)}
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    return value


PATH_ELEMENTS = st.sampled_from(
    [
        "f:a",
        "f:b",
        "f:spec",
        'k:{"name":"a"}',
        'k:{"name":"<b>"}',
        'k:{"port":80,"protocol":"TCP"}',
        'k:{"port":9}',
        'k:{"port":10}',
        'v:"x"',
        "v:1",
        "v:true",
        "v:1.5",
        "v:null",
        "i:0",
        "i:10",
        "i:9",
    ]
)

FIELDS_V1 = st.recursive(
    st.just({}),
    lambda inner: st.dictionaries(st.one_of(PATH_ELEMENTS, st.just(".")), inner, max_size=4),
    max_leaves=12,
).map(lambda tree: {element: below for element, below in tree.items() if element != "."})
