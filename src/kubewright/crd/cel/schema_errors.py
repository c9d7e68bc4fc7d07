"""What is wrong with the rules of a CustomResourceDefinition's schema.

Besides the compiler's errors these are the limits on what rules may cost. The cost of a rule is estimated as
upstream does it: by walking the checked expression with the largest sizes that the schema allows (`cost`),
multiplied by how often the rule's schema can occur in an object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kubewright.crd.cel.field_paths import normalized_field_path
from kubewright.crd.cel.rules import CompiledRule, compile_rules
from kubewright.crd.cel.schema_types import MAX_REQUEST_SIZE, SchemaType, schema_type
from kubewright.crd.go_values import go_json
from kubewright.crd.rule_search import may_have_rules
from kubewright.machinery.field_errors import (
    FieldError,
    forbidden,
    internal,
    invalid,
    not_supported,
    required,
)

__all__ = ["compile_errors"]

_RULE_LIMIT: Final = 10_000_000
"""Upstream's StaticEstimatedCostLimit, of one expression."""

_SCHEMA_LIMIT: Final = 100_000_000
"""Upstream's StaticEstimatedCRDCostLimit, of all rules of a schema."""

_EXPENSIVE_SHOWN: Final = 4

_MAX_COST: Final = 2**64 - 1

_REASONS: Final = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)

_NEWLINES: Final = re.compile(r"[\n\r]").search

Schema = Mapping[str, object]


class _Place(NamedTuple):
    """Where a schema stands: how often it can occur, and what above it keeps old values from being found."""

    cardinality: int | None
    """None: there is no limit."""
    uncorrelatable: str
    is_root: bool = False
    within_rules: bool = False
    node: SchemaType | None = None


class _Run:
    def __init__(self) -> None:
        self.structure: list[FieldError] = []
        self.errors: list[FieldError] = []
        self.total = 0
        self.expensive: list[tuple[int, str]] = []

    def observe(self, path: str, cost: int) -> None:
        self.total = min(self.total + cost, _MAX_COST)
        if cost >= _SCHEMA_LIMIT // 100:
            self.expensive.append((cost, path))
            self.expensive.sort(key=lambda entry: -entry[0])
            del self.expensive[_EXPENSIVE_SHOWN:]


def compile_errors(schema: Schema, path: str) -> list[FieldError]:
    """All that is wrong with the rules of a structural schema that stands at a path of a CRD.

    The schema must be valid otherwise. Raises CelUnavailableError if there are rules and what compiles them
    is not installed.
    """
    run = _Run()
    _visit(run, schema, path, _Place(cardinality=1, uncorrelatable="", is_root=True))
    errors = [*run.structure, *run.errors]
    if run.total > _SCHEMA_LIMIT:
        detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        errors.extend(forbidden(expensive, detail) for _, expensive in run.expensive)
        what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        errors.append(forbidden(path, _too_expensive(what, run.total, _SCHEMA_LIMIT)))
    return errors


def _visit(run: _Run, schema: Schema, path: str, place: _Place) -> bool:
    """Check a schema and what is below it; whether the structure of all rules is right."""
    rules = _mappings(schema.get("x-kubernetes-validations"))
    within = place.within_rules or bool(rules)
    node = place.node
    if within and node is None:
        embedded = place.is_root or bool(schema.get("x-kubernetes-embedded-resource"))
        node = schema_type(schema, is_resource_root=embedded)
    right = True
    for child, child_path, child_place in _children(schema, path, place, node, within=within):
        if may_have_rules(child):
            right &= _visit(run, child, child_path, child_place)
    if not rules:
        return right
    right &= _structure(run, schema, rules, path)
    if right:
        _compile(run, schema, rules, path, place, node)
    return right


def _children(
    schema: Schema, path: str, place: _Place, node: SchemaType | None, *, within: bool
) -> Iterator[tuple[Schema, str, _Place]]:
    count = _most_elements(schema)
    cardinality = (
        None if place.cardinality is None or count is None else min(place.cardinality * count, _MAX_COST)
    )
    below = _Place(cardinality, place.uncorrelatable, within_rules=within)
    additional = schema.get("additionalProperties")
    element = None if node is None else node.element
    if isinstance(additional, Mapping):
        yield additional, f"{path}.additionalProperties", below._replace(node=element)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        types = {} if node is None else dict(node.fields.values())
        for name, member in properties.items():
            if isinstance(member, Mapping):
                yield member, f"{path}.properties[{name}]", below._replace(node=types.get(name))
    items = schema.get("items")
    if isinstance(items, Mapping):
        if schema.get("x-kubernetes-list-type") != "map" and not place.uncorrelatable:
            below = below._replace(uncorrelatable=path)
        yield items, f"{path}.items", below._replace(node=element)


def _most_elements(schema: Schema) -> int | None:
    """How many values of the schemas below an object or list can have; None if there is no limit."""
    name = {"object": "maxProperties", "array": "maxItems"}.get(str(schema.get("type")))
    if name is None or (name == "maxProperties" and schema.get("additionalProperties") is None):
        return 1
    limit = schema.get(name)
    return max(int(limit), 0) if isinstance(limit, int | float) else None


def _mappings(value: object) -> list[Schema]:
    return [member for member in value if isinstance(member, Mapping)] if isinstance(value, Sequence) else []


def _text(rule: Schema, name: str) -> str:
    value = rule.get(name)
    return value if isinstance(value, str) else ""


def _structure(run: _Run, schema: Schema, rules: Sequence[Schema], path: str) -> bool:
    before = len(run.structure)
    for at, rule in enumerate(rules):
        run.structure.extend(_rule_errors(schema, rule, f"{path}.x-kubernetes-validations[{at}]"))
    return len(run.structure) == before


def _rule_errors(schema: Schema, rule: Schema, path: str) -> Iterator[FieldError]:
    text, message = _text(rule, "rule").strip(), _text(rule, "message")
    if not text:
        yield required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _NEWLINES(message.strip()):
        yield invalid(f"{path}.message", message, "must not contain line breaks")
    elif _NEWLINES(text) and not message.strip():
        yield required(f"{path}.message", "message must be specified if rule contains line breaks")
    expression = _text(rule, "messageExpression")
    if expression and not expression.strip():
        yield required(f"{path}.messageExpression", "messageExpression must be non-empty if specified")
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(f"{path}.reason", reason, _REASONS)
    field_path = _text(rule, "fieldPath")
    if field_path and not field_path.strip():
        yield invalid(f"{path}.fieldPath", field_path, "must be non-empty if specified")
    if _NEWLINES(field_path):
        yield invalid(f"{path}.fieldPath", field_path, "must not contain line breaks")
    if field_path and normalized_field_path(field_path, schema) is None:
        yield invalid(f"{path}.fieldPath", field_path, "must be a valid path")


def _compile(
    run: _Run, schema: Schema, rules: Sequence[Schema], path: str, place: _Place, node: SchemaType | None
) -> None:
    where = f"{path}.x-kubernetes-validations"
    if node is None:
        run.errors.append(
            internal(
                where,
                "internal error: failed to construct type information for x-kubernetes-validations rules: "
                "unable to convert structural schema to CEL declarations",
            )
        )
        return
    cardinality = place.cardinality
    if cardinality is None:
        # As often as the smallest value, and a comma, fits into a request.
        cardinality = MAX_REQUEST_SIZE // (node.min_size + 1)
    for at, compiled in enumerate(compile_rules(rules, schema, node)):
        _check(run, rules[at], compiled, f"{where}[{at}]", cardinality, place.uncorrelatable)


def _check(
    run: _Run, rule: Schema, compiled: CompiledRule, path: str, cardinality: int, uncorrelatable: str
) -> None:
    cost = min(compiled.max_cost * cardinality, _MAX_COST)
    if cost > _RULE_LIMIT:
        run.errors.append(forbidden(f"{path}.rule", _too_expensive("estimated rule cost", cost, _RULE_LIMIT)))
    run.observe(f"{path}.rule", cost)
    if compiled.error:
        run.errors.append(_refused(f"{path}.rule", rule, compiled.error))
    if compiled.message_error:
        run.errors.append(_refused(f"{path}.messageExpression", rule, compiled.message_error))
    elif compiled.rule.message_program is not None:
        cost = compiled.message_max_cost
        if cost > _RULE_LIMIT:
            detail = _too_expensive("estimated messageExpression cost", cost, _RULE_LIMIT)
            run.errors.append(forbidden(f"{path}.messageExpression", detail))
        run.observe(f"{path}.messageExpression", cost)
    if compiled.rule.uses_old_self:
        if uncorrelatable:
            detail = (
                f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
            )
            run.errors.append(invalid(f"{path}.rule", _text(rule, "rule"), detail))
    elif rule.get("optionalOldSelf") is not None:
        detail = "may not be set if oldSelf is not used in rule"
        run.errors.append(invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], detail))


def _refused(path: str, rule: Schema, detail: str) -> FieldError:
    """Upstream shows the whole rule, by the names of its Go fields."""
    shown = {
        "Rule": _text(rule, "rule"),
        "Message": _text(rule, "message"),
        "MessageExpression": _text(rule, "messageExpression"),
        "Reason": rule.get("reason"),
        "FieldPath": _text(rule, "fieldPath"),
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }
    members = ",".join(f"{go_json(name)}:{go_json(value)}" for name, value in shown.items())
    return FieldError("FieldValueInvalid", path, f"Invalid value: {{{members}}}: {detail}")


def _too_expensive(what: str, cost: int, limit: int) -> str:
    factor = cost / limit
    if factor > 100:
        by = "more than 100x"
    elif factor < 1.5:
        by = f"{factor:f}x"
    else:
        by = f"{factor:.1f}x"
    return (
        f"{what} exceeds budget by factor of {by} (try simplifying the rule, or adding maxItems, "
        "maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
