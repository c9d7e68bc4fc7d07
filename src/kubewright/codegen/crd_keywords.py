"""The keywords of one schema as the options of a `Field`; what no option says goes to `extra` as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.codegen.crd_literals import source_of, text_literal
from kubewright.codegen.crd_names import ModuleNames
from kubewright.crd.formats import is_known_format

__all__ = ["field_options", "rule_arguments"]

_EITHER: Final = "int or string"
_ANY: Final = "any value"
"""Stand for types that a schema has no word for."""

_OPTIONS: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "x-kubernetes-list-type": ("list_type", frozenset({"array"})),
    "x-kubernetes-list-map-keys": ("map_keys", frozenset({"array"})),
    "x-kubernetes-map-type": ("map_type", frozenset({"object"})),
    "minimum": ("minimum", frozenset({"integer", "number"})),
    "maximum": ("maximum", frozenset({"integer", "number"})),
    "exclusiveMinimum": ("exclusive_minimum", frozenset({"integer", "number"})),
    "exclusiveMaximum": ("exclusive_maximum", frozenset({"integer", "number"})),
    "multipleOf": ("multiple_of", frozenset({"integer", "number"})),
    "minLength": ("min_length", frozenset({"string", _EITHER})),
    "maxLength": ("max_length", frozenset({"string", _EITHER})),
    "pattern": ("pattern", frozenset({"string", _EITHER})),
    "format": ("format", frozenset({"string", "integer", "number"})),
    "minItems": ("min_items", frozenset({"array"})),
    "maxItems": ("max_items", frozenset({"array"})),
    "minProperties": ("min_properties", frozenset({"object"})),
    "maxProperties": ("max_properties", frozenset({"object"})),
    "nullable": ("nullable", frozenset()),
    "title": ("title", frozenset()),
    "example": ("example", frozenset()),
    "x-kubernetes-embedded-resource": ("embedded_resource", frozenset({"object"})),
    "x-kubernetes-preserve-unknown-fields": ("preserve_unknown_fields", frozenset({"object", _ANY})),
}
"""The option of each keyword and the types for which it is, none for all."""

_ELSEWHERE: Final = frozenset(
    {
        "additionalProperties",
        "default",
        "description",
        "items",
        "properties",
        "required",
        "type",
        "x-kubernetes-validations",
    }
)
"""Keywords that the type, the default or the docstring say."""

_RULE: Final = {
    "message": "message",
    "messageExpression": "message_expression",
    "reason": "reason",
    "fieldPath": "field_path",
    "optionalOldSelf": "optional_old_self",
}


def field_options(
    schema: Mapping[str, Any], names: ModuleNames, *, said: frozenset[str], rules: bool
) -> tuple[list[str], dict[str, Any]]:
    """The options of a schema's `Field` as source text, and what goes to `extra`.

    `said` are the keywords that the type says by itself. With `rules` the CEL rules are among the options.
    """
    options: list[str] = []
    extra: dict[str, Any] = {}
    for keyword, (option, _) in _OPTIONS.items():
        value = schema.get(keyword)
        if keyword in said or value is None or value is False or value in ("", []):
            continue
        if _fits(keyword, value, schema):
            options.append(f"{option}={_source(value)}")
        else:
            extra[keyword] = value
    if rules and schema.get("x-kubernetes-validations"):
        entries = [
            f"{names.use('Rule')}({', '.join(rule_arguments(entry))})"
            for entry in schema["x-kubernetes-validations"]
        ]
        options.append(f"rules=({', '.join(entries)}{',' if len(entries) == 1 else ''})")
    known = {*_OPTIONS, *_ELSEWHERE, *said}
    extra |= {keyword: value for keyword, value in schema.items() if keyword not in known}
    return options, extra


def rule_arguments(entry: Mapping[str, Any]) -> list[str]:
    """The arguments of the `rule(...)` or `Rule(...)` of an entry of x-kubernetes-validations."""
    arguments = [text_literal(entry["rule"])]
    for keyword, option in _RULE.items():
        if entry.get(keyword) not in (None, ""):
            arguments.append(f"{option}={source_of(entry[keyword])}")
    return arguments


def _fits(keyword: str, value: Any, schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type") or (_EITHER if schema.get("x-kubernetes-int-or-string") else _ANY)
    fits = _OPTIONS[keyword][1]
    if fits and kind not in fits:
        return False
    if keyword == "format":
        return is_known_format(value, kind)
    if keyword in {"minimum", "maximum", "multipleOf"}:
        return (kind != "integer" or value == int(value)) and not _is_beyond(keyword, schema)
    if keyword in {"exclusiveMinimum", "exclusiveMaximum"}:
        bound = keyword.replace("exclusiveM", "m")
        return schema.get(bound) is not None and _fits(bound, schema[bound], schema)
    return not _is_beyond(keyword, schema)


def _is_beyond(keyword: str, schema: Mapping[str, Any]) -> bool:
    """Whether this is the end of a range that no value is in, which a declaration may not have."""
    least, most = (f"{end}{keyword[3:]}" for end in ("min", "max"))
    low, high = schema.get(least), schema.get(most)
    return keyword in {least, most} and low is not None and high is not None and bool(low > high)


def _source(value: Any) -> str:
    if not isinstance(value, list):
        return source_of(value)
    inner = ", ".join(source_of(each) for each in value)
    return f"({inner},)" if len(value) == 1 else f"({inner})"
