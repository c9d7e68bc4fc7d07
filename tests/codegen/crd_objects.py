"""Random objects of a schema: mostly right ones, and the same with something changed."""

from __future__ import annotations

import copy
import random
from typing import Any

Schema = dict[str, Any]

_WORDS = ("a", "web", "Exact", "/", "10s", "1Gi", "", "x" * 70, "2024-01-01T00:00:00Z", "Z2l0")
_STRANGE = (None, "strange", 7, -1, 2**40, 1.5, True, [], {}, ["a", "a"], {"unknown": 1}, [None])
_MAX_DEPTH = 9


def right_object(schema: Schema, source: random.Random) -> dict[str, Any]:
    """An object that keeps most of a schema's rules."""
    made = _value(schema, source, 0)
    return {**made, "apiVersion": "example.com/v1", "kind": "Example", "metadata": {"name": "example"}}


def changed_object(obj: dict[str, Any], source: random.Random) -> dict[str, Any]:
    """A copy with a few members dropped, replaced, or added."""
    made = copy.deepcopy(obj)
    for _ in range(source.randint(1, 3)):
        holders = [each for each in _containers(made) if each]
        holder = source.choice(holders)
        key = source.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if holder is made and key in {"apiVersion", "kind", "metadata"}:
            continue
        match source.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case 2 if isinstance(holder, dict):
                holder["unknownField"] = source.choice(_STRANGE)
            case _:
                holder[key] = copy.deepcopy(source.choice(_STRANGE))
    return made


def _containers(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value, *(found for each in value.values() for found in _containers(each))]
    if isinstance(value, list):
        return [value, *(found for each in value for found in _containers(each))]
    return []


def _value(schema: Schema, source: random.Random, depth: int) -> Any:
    if schema.get("enum"):
        return source.choice(schema["enum"])
    if schema.get("x-kubernetes-int-or-string"):
        return source.choice([80, "http", "1Gi", "100m"])
    match schema.get("type"):
        case "string":
            return _text(schema, source)
        case "integer":
            return source.choice([schema.get("minimum", 0), schema.get("maximum", 9), 1, 5])
        case "number":
            return source.choice([schema.get("minimum", 0), 1.5])
        case "boolean":
            return source.random() < 0.5
        case "array":
            least = schema.get("minItems", 0)
            count = source.randint(least, least + 2) if depth < _MAX_DEPTH else least
            return [_value(schema["items"], source, depth + 1) for _ in range(count)]
        case "object":
            return _members(schema, source, depth)
        case _:
            return source.choice([1, "any", {"a": [1]}, [True]])


def _text(schema: Schema, source: random.Random) -> str:
    if schema.get("format") == "date-time":
        return "2024-01-01T00:00:00Z"
    if schema.get("format") == "byte":
        return "Z2l0"
    return source.choice(_WORDS)


def _members(schema: Schema, source: random.Random, depth: int) -> dict[str, Any]:
    made = {}
    required = set(schema.get("required", ()))
    share = 0.6 if depth < 3 else 0.25
    for name, member in schema.get("properties", {}).items():
        if name in required or (depth < _MAX_DEPTH and source.random() < share):
            made[name] = _value(member, source, depth + 1)
    if isinstance(schema.get("additionalProperties"), dict):
        made["key"] = _value(schema["additionalProperties"], source, depth + 1)
    if schema.get("x-kubernetes-embedded-resource"):
        made |= {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "thing"}}
    return made
