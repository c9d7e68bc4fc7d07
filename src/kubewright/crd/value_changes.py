"""Which keywords of a schema's node refuse values that the same node allowed before.

The keywords of one node alone: bounds, lengths, patterns, formats, enums, list types. What is within the
node, and what is pruned, is in `schema_changes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from kubewright.crd.go_values import deep_equal, go_float, go_json
from kubewright.crd.schema_report import schema_format, schema_types, validate_value
from kubewright.crd.structural import StructuralSchema

__all__ = ["Change", "ChangeKind", "type_name", "value_changes", "value_types"]

ChangeKind: TypeAlias = Literal["refused", "not served", "invalid", "lost", "updates"]
"""What a change does: the server refuses the definition; requests that worked are no longer answered; objects
become invalid; data is dropped when objects are read; updates that were allowed are refused."""

_ALL_TYPES: Final = frozenset({"object", "array", "string", "integer", "number", "boolean"})
_NUMBERS: Final = frozenset({"integer", "number"})
_NO_RULE: Final = {"string": "password", "integer": "int64", "number": "double"}
"""The formats that allow whatever their type allows."""


class Change(NamedTuple):
    """A change at a node that is not harmless."""

    kind: ChangeKind
    message: str


def value_types(schema: StructuralSchema) -> frozenset[str]:
    """The types that values of a schema may have; numbers may be integers too."""
    types = frozenset(schema_types(schema))
    return (types | {"integer"} if "number" in types else types) or _ALL_TYPES


def type_name(schema: StructuralSchema) -> str:
    """The type of a schema's values as messages tell it."""
    return "int-or-string" if schema.int_or_string else schema.type or "any type"


def value_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    """What is allowed by the keywords of `old`, and no more by those of `new`.

    Keywords that say nothing of the values that `old` allows, such as the length of a number, are not looked
    at. When the type itself is narrowed, that is the only change told.
    """
    types = value_types(old)
    if types - value_types(new):
        told = (
            f"the type is {type_name(new)}, no longer {type_name(old)}, so stored objects with other values"
        )
        yield _invalid(f"{told} become invalid; add a new field, or a new version with a conversion")
        return
    yield from _enum_changes(old, new)
    yield from _format_changes(old, new, types)
    if types & _NUMBERS:
        yield from _number_changes(old, new)
    if "string" in types:
        yield from _text_changes(old, new)
    if "array" in types:
        yield from _limits(old.max_items, new.max_items, old.min_items, new.min_items, "Items", "items")
        yield from _list_changes(old, new)
    if "object" in types:
        yield from _limits(
            old.max_properties,
            new.max_properties,
            old.min_properties,
            new.min_properties,
            "Properties",
            "members",
        )


def _invalid(message: str) -> Change:
    return Change("invalid", message)


def _enum_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    if not new.enum:
        return
    if not old.enum:
        yield _invalid(
            f"an enum is added, so stored objects with other values than {_listed(new.enum)} become invalid"
        )
        return
    allowed = _texts(old)
    before: Sequence[Any] = old.enum if allowed is None else allowed
    gone = [value for value in before if not any(deep_equal(value, other) for other in new.enum)]
    if gone:
        told = f"the enum no longer has the value{'s' if len(gone) > 1 else ''} {_listed(gone)}"
        yield _invalid(
            f"{told}, so stored objects with {'one of them' if len(gone) > 1 else 'it'} become invalid"
        )


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(go_json, values))


def _texts(schema: StructuralSchema) -> list[str] | None:
    """All values that are allowed, where they are texts and few; None elsewhere."""
    if not schema.enum or schema_types(schema) != ("string",):
        return None
    return [
        value
        for value in schema.enum
        if isinstance(value, str) and not validate_value(value, schema, "").errors
    ]


def _breaks_some(old: StructuralSchema, rule: StructuralSchema) -> bool:
    """Whether a text that `old` allows may break a rule, which is certain only where its texts are known."""
    texts = _texts(old)
    return texts is None or any(validate_value(text, rule, "").errors for text in texts)


def _text_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    rule = StructuralSchema(type="string", max_length=new.max_length, min_length=new.min_length)
    if _breaks_some(old, rule):
        yield from _limits(
            old.max_length, new.max_length, old.min_length, new.min_length, "Length", "characters"
        )
    if not new.pattern or new.pattern == old.pattern:
        return
    if _breaks_some(old, StructuralSchema(type="string", pattern=new.pattern)):
        told = (
            f"is added: {new.pattern}" if not old.pattern else f"changes from {old.pattern} to {new.pattern}"
        )
        yield _invalid(f"the pattern {told}, so stored objects that do not match it become invalid")


def _limits(
    old_most: int | None, most: int | None, old_least: int | None, least: int | None, name: str, what: str
) -> Iterator[Change]:
    """Changes of maxLength and minLength, and their like."""
    if most is not None and (old_most is None or most < old_most):
        told = "is added" if old_most is None else f"is lower than {old_most}"
        yield _invalid(f"max{name} {most} {told}, so stored objects with more {what} become invalid")
    if least is not None and least > (old_least or 0):
        told = "is added" if old_least is None else f"is higher than {old_least}"
        yield _invalid(f"min{name} {least} {told}, so stored objects with fewer {what} become invalid")


def _format(schema: StructuralSchema) -> str:
    """The format that the server enforces, spelled in one way; "" for none."""
    name = schema_format(schema)
    if schema.type not in _NUMBERS:
        name = name.replace("-", "")
    return "" if name == _NO_RULE.get(schema.type) else name


def _format_changes(old: StructuralSchema, new: StructuralSchema, types: frozenset[str]) -> Iterator[Change]:
    before, after = _format(old), _format(new)
    if not after:
        return
    if not schema_types(new) and types != {"string"} and (schema_types(old) or not before):
        told = f"the format {new.format} without a type refuses all that is no text"
        yield _invalid(f"{told}, so stored objects with other values become invalid")
    elif after != before and _may_break_format(old, new, types):
        told = f"{new.format} is added" if not before else f"changes from {old.format} to {new.format}"
        yield _invalid(f"the format {told}, so stored objects with other values become invalid")


def _may_break_format(old: StructuralSchema, new: StructuralSchema, types: frozenset[str]) -> bool:
    if new.type in _NUMBERS:
        return True
    return "string" in types and _breaks_some(old, StructuralSchema(type="string", format=new.format))


def _number_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    yield from _bound_changes(
        new, old.maximum, new.maximum, gained=new.exclusive_maximum and not old.exclusive_maximum, upper=True
    )
    yield from _bound_changes(
        new, old.minimum, new.minimum, gained=new.exclusive_minimum and not old.exclusive_minimum, upper=False
    )
    factor = new.multiple_of
    if factor is None or factor == old.multiple_of:
        return
    # The server converts a factor to the type of the value, so only whole factors are as they look.
    if old.multiple_of is None or not (_divides(factor, old.multiple_of) and _fits(factor, new)):
        told = "is added" if old.multiple_of is None else f"does not divide {go_float(old.multiple_of)}"
        yield _invalid(
            f"multipleOf {go_float(factor)} {told}, so stored objects with other numbers become invalid"
        )


def _bound_changes(
    schema: StructuralSchema, before: float | None, bound: float | None, *, gained: bool, upper: bool
) -> Iterator[Change]:
    """Changes of maximum or minimum; `gained` tells that the bound is exclusive now."""
    if bound is None:
        return
    name, beyond = ("maximum", "more") if upper else ("minimum", "less")
    shown = f"{_keyword(name, gained)} {go_float(bound)}"
    if before is None:
        yield _invalid(f"{shown} is added, so stored objects with {beyond} become invalid")
        return
    if bound != before and not _fits(bound, schema):
        yield _invalid(
            f"{shown} does not fit {_range(schema)}, so the server refuses every value; leave it out"
        )
        return
    # Whole numbers are compared with the whole part of a bound, which an exclusive one then excludes.
    side = 1 if upper else -1
    if side * bound < side * before:
        told = f"is {'lower' if upper else 'higher'} than {go_float(before)}"
        yield _invalid(f"{shown} {told}, so stored objects with {beyond} become invalid")
    elif gained and side * _whole(bound) <= side * _whole(before):
        yield _invalid(
            f"{shown} excludes the bound itself, so stored objects with that number become invalid"
        )


def _keyword(name: str, exclusive: bool) -> str:
    return f"exclusive {name}" if exclusive else name


def _whole(bound: float) -> int:
    return int(min(max(bound, -(2.0**63)), 2.0**63))


def _divides(factor: float, before: float) -> bool:
    return factor > 0 and factor.is_integer() and before.is_integer() and before % factor == 0


def _fits(number: float, schema: StructuralSchema) -> bool:
    """Whether a bound can be compared with values: one beyond their range makes all of them invalid."""
    if schema.type != "integer":
        return -(2.0**63) <= number < 2.0**63
    limit = 2**31 if schema_format(schema) == "int32" else 2**63
    # The server reads the digits that Go prints, which beyond 2**53 are not those of the number.
    printed = go_json(number)
    return number.is_integer() and "e" not in printed and -limit <= int(printed) < limit


def _range(schema: StructuralSchema) -> str:
    return (
        "int32"
        if schema_format(schema) == "int32"
        else "64 bits"
        if schema.type != "integer"
        else "an integer"
    )


def _list_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    if new.unique_items and not old.unique_items:
        yield _invalid("uniqueItems is added, so stored objects with doubles become invalid")
    before, after = old.list_type, new.list_type
    if after == "set" and before not in {"set", "map"}:
        yield _invalid("the list becomes a set, so stored objects with doubles in it become invalid")
    if after != "map":
        return
    keys = ", ".join(new.list_map_keys)
    if before != "map":
        yield _invalid(
            f"the list becomes a map by {keys}, so stored objects with the same keys twice become invalid"
        )
    elif not set(old.list_map_keys) <= set(new.list_map_keys):
        told = f"the list's map keys change from {', '.join(old.list_map_keys)} to {keys}"
        yield _invalid(f"{told}, so stored objects with the same keys twice become invalid")
