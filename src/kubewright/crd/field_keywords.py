"""The options of a `Field` as keywords of a schema, and which of them fit which type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET

from kubewright.crd.formats import is_known_format
from kubewright.machinery.errors import DeclarationError, ParseError
from kubewright.machinery.field import Field, Rule

__all__ = ["IMMUTABLE", "INT_OR_STRING", "field_keywords", "rule_entry"]

_NUMBERS: Final = ("integer", "number")
INT_OR_STRING: Final = "int or str"
"""Stands for the type of what may be either, which has no type in a schema."""
_ANY: Final = "any value"
_TEXTS: Final = ("string", INT_OR_STRING)

_FITS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "minimum": ("minimum", _NUMBERS),
    "maximum": ("maximum", _NUMBERS),
    "exclusive_minimum": ("exclusiveMinimum", _NUMBERS),
    "exclusive_maximum": ("exclusiveMaximum", _NUMBERS),
    "multiple_of": ("multipleOf", _NUMBERS),
    "min_length": ("minLength", _TEXTS),
    "max_length": ("maxLength", _TEXTS),
    "pattern": ("pattern", _TEXTS),
    "format": ("format", ("string", *_NUMBERS)),
    "min_items": ("minItems", ("array",)),
    "max_items": ("maxItems", ("array",)),
    "list_type": ("x-kubernetes-list-type", ("array",)),
    "map_keys": ("x-kubernetes-list-map-keys", ("array",)),
    "min_properties": ("minProperties", ("object",)),
    "max_properties": ("maxProperties", ("object",)),
    "map_type": ("x-kubernetes-map-type", ("object",)),
    "preserve_unknown_fields": ("x-kubernetes-preserve-unknown-fields", ("object", _ANY)),
    "embedded_resource": ("x-kubernetes-embedded-resource", ("object",)),
    "nullable": ("nullable", ()),
    "title": ("title", ()),
    "example": ("example", ()),
}
"""The keyword of each option, and the types that it fits; none for those that fit all."""

_COUNTS: Final = ("min_length", "max_length", "min_items", "max_items", "min_properties", "max_properties")
_RANGES: Final = (
    ("minimum", "maximum"),
    ("min_length", "max_length"),
    ("min_items", "max_items"),
    ("min_properties", "max_properties"),
)
_NO_FIELD: Final = Field()

IMMUTABLE: Final = Rule("self == oldSelf", message="is immutable", reason="FieldValueForbidden")


def field_keywords(field: Field, schema: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The keywords that a field adds to the schema of its type; None for one that it takes away.

    Raises DeclarationError.
    """
    if field is _NO_FIELD or field == _NO_FIELD:
        return {}
    kind = schema.get("type") or (INT_OR_STRING if schema.get("x-kubernetes-int-or-string") else _ANY)
    _check_values(field, where)
    found: dict[str, Any] = {}
    for option, (keyword, fits) in _FITS.items():
        value = getattr(field, option)
        if value is UNSET or value is None or value is False or value in ("", ()):
            continue
        if fits and kind not in fits:
            _refuse(where, option, kind, fits)
        found[keyword] = list(value) if isinstance(value, tuple) else value
    if field.unique_items:
        if kind != "array":
            _refuse(where, "unique_items", kind, ("array",))
        if field.list_type not in (None, "set"):
            raise DeclarationError(
                f"{where}: unique_items is list_type='set', which excludes {field.list_type!r}"
            )
        found["x-kubernetes-list-type"] = "set"
    _check_numbers(field, kind, where)
    _check_format(field, kind, where)
    if field.format is None:
        found["format"] = None
    rules = [*field.rules, *([IMMUTABLE] if field.immutable else [])]
    if rules:
        found["x-kubernetes-validations"] = [rule_entry(rule) for rule in rules]
    if field.extra:
        found |= field.extra
    return found


def rule_entry(rule: Rule) -> dict[str, Any]:
    """A rule as the schema has it."""
    written = {
        "rule": rule.expression,
        "message": rule.message,
        "messageExpression": rule.message_expression,
        "reason": rule.reason,
        "fieldPath": rule.field_path,
        "optionalOldSelf": rule.optional_old_self,
    }
    return {name: value for name, value in written.items() if value not in ("", None) or name == "rule"}


def _refuse(where: str, option: str, kind: str, fits: tuple[str, ...]) -> None:
    raise DeclarationError(
        f"{where}: Field({option}=...) is for {' or '.join(fits)}, and this is {kind}; take it away, or put "
        "it on the type that it is for, inside Annotated"
    )


def _check_values(field: Field, where: str) -> None:
    for option in _COUNTS:
        value = getattr(field, option)
        if value is not None and (type(value) is not int or value < 0):
            raise DeclarationError(
                f"{where}: Field({option}={value!r}) is no count; give a whole number from 0 on"
            )
    for least, most in _RANGES:
        low, high = getattr(field, least), getattr(field, most)
        if low is not None and high is not None and low > high:
            raise DeclarationError(
                f"{where}: {least}={low!r} is more than {most}={high!r}; no value could be right"
            )
    for exclusive in ("minimum", "maximum"):
        if getattr(field, f"exclusive_{exclusive}") and getattr(field, exclusive) is None:
            raise DeclarationError(
                f"{where}: exclusive_{exclusive} excludes {exclusive} itself, which is not there; give both"
            )
    if field.pattern:
        from kubewright.crd.go_regexp import matcher  # noqa: PLC0415 - large, and few fields have a pattern

        try:
            matcher(field.pattern)
        except ParseError as error:
            raise DeclarationError(
                f"{where}: the pattern {field.pattern!r} is no regular expression of Go's ({error})"
            ) from None
    for rule in field.rules:
        if not isinstance(rule, Rule):
            raise DeclarationError(f"{where}: rules has {rule!r}; write rules=(Rule({str(rule)!r}),)")


def _check_numbers(field: Field, kind: str, where: str) -> None:
    for option in ("minimum", "maximum", "multiple_of"):
        value = getattr(field, option)
        if value is None:
            continue
        if type(value) not in (int, float):
            raise DeclarationError(f"{where}: Field({option}={value!r}) is no number")
        if kind == "integer" and value != int(value):
            raise DeclarationError(
                f"{where}: {option}={value!r} is no whole number, and the field holds such"
            )
    if field.multiple_of is not None and field.multiple_of <= 0:
        raise DeclarationError(f"{where}: multiple_of={field.multiple_of!r} must be more than 0")


def _check_format(field: Field, kind: str, where: str) -> None:
    if field.format is None and kind not in _NUMBERS:
        raise DeclarationError(
            f"{where}: format=None is for {' or '.join(_NUMBERS)}, and this is {kind}; take it away"
        )
    if field.format and not is_known_format(field.format, kind):
        raise DeclarationError(
            f"{where}: format={field.format!r} is none that the API server knows for {kind}; it would check "
            "nothing, so take it away or write a pattern"
        )
