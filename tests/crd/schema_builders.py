"""Schemas in few words."""

from __future__ import annotations

from typing import Any

__all__ = [
    "ANY",
    "ATOMIC",
    "EITHER",
    "EMBEDDED",
    "INT",
    "KEEP",
    "ONE_OF_TWO",
    "PORT",
    "SET",
    "TEXT",
    "TWO_PORTS",
    "Json",
    "cel",
    "items",
    "list_map",
    "of",
    "values",
]

Json = dict[str, Any]
KEEP = {"x-kubernetes-preserve-unknown-fields": True}
INT: Json = {"type": "integer"}
TEXT: Json = {"type": "string"}
ANY: Json = dict(KEEP)
EITHER: Json = {"x-kubernetes-int-or-string": True}


def of(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def items(schema: Json, **rules: Any) -> Json:
    return {"type": "array", "items": schema, **rules}


def values(schema: Json | bool, **rules: Any) -> Json:
    return {"type": "object", "additionalProperties": schema, **rules}


def cel(*rules: str, **more: Any) -> Json:
    return {"x-kubernetes-validations": [{"rule": rule, **more} for rule in rules]}


def list_map(*keys: str) -> Json:
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)}


SET = {"x-kubernetes-list-type": "set"}
ATOMIC = {"x-kubernetes-map-type": "atomic"}
PORT = of(name=TEXT, protocol={**TEXT, "default": "TCP"}) | {"required": ["name"]}
TWO_PORTS = [{"name": "a", "protocol": "TCP"}, {"name": "a", "protocol": "UDP"}]
ONE_OF_TWO = [{"required": ["a"]}, {"required": ["b"]}]
EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}
