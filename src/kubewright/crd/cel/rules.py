"""The rules of a schema, `x-kubernetes-validations`: compiled, checked for CRDs, and ready to validate.

`compile_schema` is for objects, `compile_errors` for those who write a CustomResourceDefinition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kubewright.crd.cel.compiler import Compiled, check_in, compile_checked
from kubewright.crd.cel.engine import CompileError, Environment
from kubewright.crd.cel.environment import schema_environment
from kubewright.crd.cel.evaluator import Program, ProgramError
from kubewright.crd.cel.field_paths import normalized_field_path
from kubewright.crd.cel.messages import Messages
from kubewright.crd.cel.schema_types import SchemaType, schema_type
from kubewright.crd.cel.validator import CelValidator, Rule
from kubewright.crd.rule_search import may_have_rules

__all__ = ["CompiledRule", "compile_rules", "compile_schema", "has_rules"]

Schema = Mapping[str, object]

_WORDS: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII).findall
"""All names in an expression, among others: a field that is not among them cannot be meant by it."""


class CompiledRule(NamedTuple):
    """What became of one rule."""

    rule: Rule
    error: str
    message_error: str
    max_cost: int
    message_max_cost: int


def has_rules(schema: object) -> bool:
    """Whether a schema or one below it has rules. Below `allOf` and its kin they are refused."""
    return may_have_rules(schema) and _has_rules(schema)


def _has_rules(schema: object) -> bool:
    if not isinstance(schema, Mapping):
        return False
    if schema.get("x-kubernetes-validations"):
        return True
    properties = schema.get("properties")
    return (
        _has_rules(schema.get("items"))
        or _has_rules(schema.get("additionalProperties"))
        or (isinstance(properties, Mapping) and any(map(_has_rules, properties.values())))
    )


def compile_schema(schema: Schema, *, is_resource_root: bool = True) -> CelValidator | None:
    """Compile all rules of a structural schema; None if it has none, which then costs nothing.

    Rules that do not compile are kept as errors that validation tells. Raises CelUnavailableError if there
    are rules and what compiles them is not installed.
    """
    if not has_rules(schema):
        return None
    return _validator(schema, schema_type(schema, is_resource_root=is_resource_root))


def _validator(schema: Schema, node: SchemaType | None) -> CelValidator | None:
    element = None if node is None else node.element
    items = _child(schema.get("items"), element)
    additional = _child(schema.get("additionalProperties"), element)
    properties = dict(_properties(schema, node))
    wrong, rules = _compiled(schema, node)
    if not (rules or wrong or items or additional or properties):
        return None
    return CelValidator(
        schema,
        rules=rules,
        convert=None if node is None else node.convert,
        wrong=wrong,
        items=items,
        additional=additional,
        properties=properties,
    )


def _child(schema: object, node: SchemaType | None) -> CelValidator | None:
    return _validator(schema, node) if isinstance(schema, Mapping) and may_have_rules(schema) else None


def _properties(schema: Schema, node: SchemaType | None) -> Iterator[tuple[str, CelValidator]]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or node is None:
        return
    types = dict(node.fields.values())
    for name, member in properties.items():
        if not isinstance(member, Mapping) or not may_have_rules(member):
            continue
        # A field whose name CEL cannot write still has rules of its own.
        embedded = bool(member.get("x-kubernetes-embedded-resource"))
        field_type = types.get(name) or schema_type(member, is_resource_root=embedded)
        found = None if field_type is None else _validator(member, field_type)
        if found is not None:
            yield name, found


def _mappings(value: object) -> list[Schema]:
    return [member for member in value if isinstance(member, Mapping)] if isinstance(value, Sequence) else []


def _compiled(schema: Schema, node: SchemaType | None) -> tuple[str, list[Rule]]:
    written = _mappings(schema.get("x-kubernetes-validations"))
    if not written:
        return "", []
    if node is None:
        return "failed to convert to declType for CEL validation rules", []
    return "", [compiled.rule for compiled in compile_rules(written, schema, node)]


def compile_rules(written: Sequence[Schema], schema: Schema, node: SchemaType) -> list[CompiledRule]:
    """Compile the rules that stand at one schema. Raises CelUnavailableError."""
    environments: dict[tuple[bool, frozenset[str]], Environment] = {}
    compiled: list[CompiledRule] = []
    texts = [f"{rule.get('rule') or ''} {rule.get('messageExpression') or ''}" for rule in written]
    words = frozenset(word for text in texts for word in _WORDS(text))
    for rule, text in zip(written, texts, strict=True):
        optional = rule.get("optionalOldSelf") is True
        tested = Messages().tested_containers(text, node)
        if (optional, tested) not in environments:
            made = schema_environment(node, optional_old=optional, tested=tested, words=words)
            environments[optional, tested] = made
        compiled.append(_compile_rule(rule, schema, node, environments[optional, tested]))
    return compiled


def _compile_rule(
    written: Schema, schema: Schema, node: SchemaType, environment: Environment
) -> CompiledRule:
    text = str(written.get("rule") or "")
    rule = Rule(
        text=text,
        message=str(written.get("message") or ""),
        message_text=str(written.get("messageExpression") or ""),
        reason=str(written.get("reason") or ""),
        optional_old_self=written.get("optionalOldSelf") is True,
    )
    if not text.strip():
        return CompiledRule(rule, "", "", 0, 0)
    compiled, error = _compile(environment, text, node, "bool")
    if compiled is None:
        return CompiledRule(rule._replace(error=error), error, "", 0, 0)
    rule = rule._replace(program=compiled.program, uses_old_self="oldSelf" in compiled.program.uses)
    message: Program | None = None
    message_error, message_cost = "", 0
    if rule.message_text:
        made, message_error = _compile(environment, rule.message_text, node, "string")
        if made is not None:
            message, message_cost = made.program, made.max_cost
    path = str(written.get("fieldPath") or "")
    field_path = normalized_field_path(path, schema) if path else None
    rule = rule._replace(message_program=message, field_path=field_path or "")
    return CompiledRule(rule, "", message_error, compiled.max_cost, message_cost)


def _compile(
    environment: Environment, text: str, node: SchemaType, expected: str
) -> tuple[Compiled | None, str]:
    """The expression, or what is wrong with it; rules are bools, messages are texts."""
    what = "" if expected == "bool" else "messageExpression "
    try:
        checked = check_in(environment, text)
        if checked.type_of(checked.expr).name != expected:
            return None, f"{what or 'cel expression '}must evaluate to a {expected}"
        return compile_checked(checked, node), ""
    except CompileError as error:
        return None, f"{what}compilation failed: {error}"
    except ProgramError as error:
        return None, f"{what or 'program '}instantiation failed: {error}"
