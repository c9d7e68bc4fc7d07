"""From one OpenAPI schema to one Python annotation, default and marker."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from kubewright.codegen.openapi import reference

__all__ = ["TypeName", "Typing", "literal", "typing_of"]

TypeName = Callable[[str], str]
"""Tells the Python name of a referenced schema, and remembers that it must be imported."""

NULLABLE: Final = frozenset({"Time", "MicroTime"})
"""Types whose zero value Go writes as null, so that a required field may be null too."""

TIME: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.Time"
"""What a string of the format `date-time` is."""

_RAW_EXTENSION: Final = "io.k8s.apimachinery.pkg.runtime.RawExtension"
"""Any object, which server-side apply replaces whole although its definition does not say so."""

_NEEDED: Final = re.compile(r"\b(?:Any|Literal|OpenEnum)\b")
"""Names in an annotation that a module must import for it."""

_OPEN: Final = frozenset({"Any", "dict[str, Any]"})


@dataclass(frozen=True, slots=True)
class Typing:
    """A field's annotation and default as source text, and the machinery names they need."""

    annotation: str
    default: str | None
    marker: str
    needs: frozenset[str]


def typing_of(schema: Mapping[str, Any], *, required: bool, name_of: TypeName) -> Typing:
    """The annotation, default and marker of a field with this schema."""
    annotation = annotation_of(schema, name_of)
    marker = _marker(schema)
    default: str | None
    if annotation in NULLABLE:
        annotation, default = f"{annotation} | None", "None"
    else:
        annotation, default = _with_default(schema, annotation, required=required)
    if required:
        default = None
    needs = set(_NEEDED.findall(annotation))
    if default == "EMPTY":
        needs.add("EMPTY")
    if marker:
        needs |= {"Annotated", "Field"}
    return Typing(annotation, default, marker, frozenset(needs))


def annotation_of(schema: Mapping[str, Any], name_of: TypeName) -> str:
    """The Python type of a value with this schema."""
    target = reference(schema)
    if target is not None:
        return name_of(target)
    match schema.get("type"):
        case "string" if schema.get("format") == "byte":
            return "bytes"
        case "string" if "enum" in schema:
            values = ", ".join(literal(value) for value in schema["enum"] if value)
            return f"OpenEnum[Literal[{values}]]"
        case "string" if schema.get("format") == "date-time":
            return name_of(TIME)
        case "string":
            return "str"
        case "integer":
            return "int"
        case "number":
            return "float"
        case "boolean":
            return "bool"
        case "array":
            return f"list[{annotation_of(schema.get('items', {}), name_of)}]"
        case "object":
            member = schema.get("additionalProperties")
            value = annotation_of(member, name_of) if isinstance(member, Mapping) else "Any"
            return f"dict[str, {value}]"
        case _:
            return "Any"


def _with_default(schema: Mapping[str, Any], annotation: str, *, required: bool) -> tuple[str, str]:
    """The annotation and default of an optional field.

    Strings, lists and maps read as empty when they are absent, as in Go. Numbers and booleans read as None,
    because zero and absent mean different things for many of them and OpenAPI does not say for which.
    """
    stated = schema.get("default")
    if annotation.startswith("list["):
        return annotation, "[]"
    if annotation.startswith("dict[") and annotation not in _OPEN:
        return annotation, "{}"
    if annotation == "bytes":
        return annotation, 'b""'
    if annotation.startswith("OpenEnum["):
        if stated or required:
            return annotation, literal(stated)
        return annotation.replace("Literal[", 'Literal["", '), '""'
    if annotation == "str":
        return annotation, literal(stated or "")
    if stated == {} and reference(schema) is not None:
        return annotation, "EMPTY"
    if isinstance(stated, bool | int | float) and not schema.get("nullable"):
        return annotation, repr(stated)
    if annotation == "Any":
        return annotation, "None"
    return (annotation, "None") if required else (f"{annotation} | None", "None")


def _marker(schema: Mapping[str, Any]) -> str:
    """The `Field(...)` of a schema's merge rules; an atomic list needs none, for that is how lists are."""
    parts = []
    list_type = schema.get("x-kubernetes-list-type")
    if list_type in {"map", "set"}:
        parts.append(f'list_type="{list_type}"')
    if keys := schema.get("x-kubernetes-list-map-keys"):
        parts.append(f"map_keys={_tuple(keys)}")
    map_type = schema.get("x-kubernetes-map-type", "atomic" if reference(schema) == _RAW_EXTENSION else None)
    if map_type is not None:
        parts.append(f'map_type="{map_type}"')
    if strategy := schema.get("x-kubernetes-patch-strategy"):
        parts.append(f"patch_strategy={_tuple(strategy.split(','))}")
    if key := schema.get("x-kubernetes-patch-merge-key"):
        parts.append(f"patch_merge_key={literal(key)}")
    return f"Field({', '.join(parts)})" if parts else ""


def literal(text: object) -> str:
    """A string literal in double quotes, whatever the text holds."""
    return str(msgspec.json.encode(str(text)).decode())


def _tuple(values: list[str]) -> str:
    inner = ", ".join(literal(value) for value in values)
    return f"({inner},)" if len(values) == 1 else f"({inner})"
