"""The default of a generated field: what it reads as when it is absent, the same as the schema says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kubewright.codegen.crd_literals import source_of
from kubewright.codegen.crd_names import ModuleNames
from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Quantity

__all__ = ["Default", "default_of", "fills_itself"]

_EMPTY_VALUES: Final = {"str": '""', "bytes": 'b""', "Any": "None"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """How an absent field reads, as source text."""

    type: str
    default: str | None
    factory: bool = False
    options: tuple[str, ...] = ()
    """What the `Field` says of it."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What the schema says of it and Python cannot."""


def default_of(
    schema: Mapping[str, Any], type_: str, *, struct: bool, required: bool, names: ModuleNames
) -> Default:
    """The default of a field of this type, and the type with None where that is one of its values."""
    stated = schema.get("default")
    nullable = bool(schema.get("nullable"))
    optional = f"{type_} | None"
    if stated is None:
        if required:
            return Default(type=optional if nullable else type_, default=None)
        empty = None if nullable else _empty(type_)
        return Default(type=type_, default=empty) if empty else Default(type=optional, default="None")
    shown = optional if nullable else type_
    if struct and stated == {}:
        extra: dict[str, Any] = {} if fills_itself(schema) else {"default": {}}
        return Default(type=shown, default=names.use("EMPTY"), extra=extra)
    made = _constructed(schema, type_, stated, struct=struct, names=names)
    if made is None or (nullable and not stated):
        # A value that Python has no words for, or that would be taken for no value.
        empty = None if nullable else _empty(type_)
        extra = {"default": stated}
        return Default(type=type_ if empty else optional, default=empty or "None", extra=extra)
    if isinstance(stated, list | dict):
        if stated:
            names.use("field")
            return Default(type=shown, default=f"lambda: {made}", factory=True)
        return Default(type=shown, default=made, options=(f"default={made}",))
    return Default(type=shown, default=made, options=() if stated else (f"default={made}",))


def _empty(type_: str) -> str | None:
    if type_.startswith("list["):
        return "[]"
    if type_.startswith("dict[") and not type_.endswith("Any]"):
        return "{}"
    return _EMPTY_VALUES.get(type_)


def fills_itself(schema: Mapping[str, Any]) -> bool:
    """Whether an empty object gets defaults from the schema of its members and is all right with them."""
    filled = {name for name, member in (schema.get("properties") or {}).items() if "default" in member}
    enough = len(filled) >= (schema.get("minProperties") or 0)
    return bool(filled) and enough and filled.issuperset(schema.get("required") or ())


def _constructed(
    schema: Mapping[str, Any], type_: str, value: Any, *, struct: bool, names: ModuleNames
) -> str | None:
    """The source text of a value of the type; None where there is none that is the same on the wire."""
    if struct:
        return f"{type_}.from_dict({source_of(value)})" if isinstance(value, dict) else None
    match type_.partition("[")[0]:
        case "str":
            return source_of(value) if isinstance(value, str) else None
        case "Literal" | "KubewrightLiteral":
            return source_of(value) if value in schema["enum"] else None
        case "bool":
            return source_of(value) if isinstance(value, bool) else None
        case "int":
            return source_of(value) if _is_number(value) and isinstance(value, int) else None
        case "float":
            return source_of(value) if _is_number(value) else None
        case "IntOrString" | "KubewrightIntOrString":
            return source_of(value) if isinstance(value, int | str) else None
        case "Quantity" | "KubewrightQuantity":
            return f"{type_}({source_of(value)})" if _is_canonical(value) else None
        case "Any":
            return source_of(value) if isinstance(value, str | int | float) else None
        case "list":
            return _constructed_list(schema, type_, value)
        case "dict":
            return source_of(value) if _holds_plain_values(schema, value) else None
        case _:
            return None


def _constructed_list(schema: Mapping[str, Any], type_: str, value: Any) -> str | None:
    if not isinstance(value, list):
        return None
    items = schema.get("items", {})
    if items.get("properties") and not items.get("nullable"):
        of = type_.removeprefix("list[").removesuffix("]").removeprefix("Annotated[").partition(",")[0]
        return f"[{', '.join(f'{of}.from_dict({source_of(each)})' for each in value)}]"
    plain = items.get("type") in {"string", "integer", "number", "boolean"} and not items.get("format")
    return source_of(value) if plain else None


def _holds_plain_values(schema: Mapping[str, Any], value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    members = schema.get("additionalProperties")
    if not isinstance(members, Mapping):
        return True
    return members.get("type") in {"string", "integer", "number", "boolean"} and not members.get("format")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_canonical(value: Any) -> bool:
    try:
        return isinstance(value, str) and str(Quantity(value)) == value
    except ParseError:
        return False
