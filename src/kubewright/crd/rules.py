"""Rules in CEL on classes, checked when a custom resource is declared.

@rule("self.minReplicas <= self.maxReplicas", message="min must not exceed max")
class Spec(Struct): ...
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from kubewright.crd.rule_reads import unguarded_reads
from kubewright.crd.rule_search import may_have_rules
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.field import Rule
from kubewright.machinery.field_errors import FieldError
from kubewright.machinery.struct import Struct

__all__ = ["check_rules", "has_rules", "rule"]

S = TypeVar("S", bound=type[Struct])

_STEP: Final = re.compile(r"\.properties\[([^\]]*)\]|\.(items|additionalProperties)")
_RULE: Final = re.compile(r"\.x-kubernetes-validations(?:\[(\d+)\])?(?:\.(\w+))?$")
_INVALID: Final = "Invalid value: "


def rule(
    expression: str,
    *,
    message: str = "",
    message_expression: str = "",
    reason: str = "",
    field_path: str = "",
    optional_old_self: bool | None = None,
) -> Callable[[S], S]:
    """A class decorator: all values of the class keep this rule; see `Rule` for what the arguments are.

    Expressions see the value as `self`, with wire names. Several stand above one another. On a custom
    resource they stand below `@custom_resource`, which compiles all rules of the kind.
    """
    made = Rule(expression, message, message_expression, reason, field_path, optional_old_self)

    def decorate(cls: S) -> S:
        if not _is_struct(cls):
            raise DeclarationError(f"{cls!r} is no Struct; @rule stands on a class of values")
        if "__custom_resource__" in cls.__dict__:
            raise DeclarationError(
                f"{cls.__name__}: put @rule below @custom_resource, which compiles the rules"
            )
        known: Any = cls
        known.__rules__ = (made, *getattr(cls, "__rules__", ()))
        return cls

    return decorate


def _is_struct(cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, Struct)


def has_rules(schema: Mapping[str, Any]) -> bool:
    """Whether there are rules in a schema, or anywhere within."""
    return may_have_rules(schema) and _has_rules(schema)


def _has_rules(schema: Mapping[str, Any]) -> bool:
    if "x-kubernetes-validations" in schema:
        return True
    inner = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(_has_rules(each) for each in inner if isinstance(each, Mapping))


def check_rules(cls_name: str, schema: Mapping[str, Any]) -> None:
    """Compile the rules of a kind's schema, as the server would.

    Raises DeclarationError for the first that does not compile or may cost too much, and CelUnavailableError
    when there are rules but not what compiles them.
    """
    if not has_rules(schema):
        return
    from kubewright.crd.cel import compile_errors  # noqa: PLC0415 - large, and most kinds have no rules

    for error in compile_errors(schema, cls_name):
        raise DeclarationError(_sentence(error, cls_name, schema))
    _check_reads(schema, cls_name, is_root=True)
    _check_defaults(schema, cls_name)


def _check_reads(schema: Mapping[str, Any], path: str, *, is_root: bool = False) -> None:
    """Refuse rules that fail for all objects without some optional field."""
    if not has_rules(schema):
        return
    for entry in schema.get("x-kubernetes-validations") or ():
        for read in unguarded_reads(entry.get("rule", ""), schema, is_root=is_root):
            raise DeclarationError(
                f"{_shown(path)}: the rule {entry['rule']!r} reads {read}, which may be absent, and refuses "
                f"each object without it; write !has({read}) || ..., or give the field a default that is in "
                "the schema: = and Field(default=...)"
            )
    for name, member in (schema.get("properties") or {}).items():
        _check_reads(member, f"{path}.properties[{name}]")
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), Mapping):
            _check_reads(schema[name], f"{path}.{name}")


def _check_defaults(schema: Mapping[str, Any], path: str) -> None:
    """Ask the rules of each default, of a new object and of one that did not change, as the server does."""
    from kubewright.crd.cel import compile_schema  # noqa: PLC0415 - see check_rules

    if not has_rules(schema):
        return
    default = schema.get("default")
    if default is not None:
        rules = compile_schema(schema, is_resource_root=False)
        asked = rules is not None and (
            rules.validate(default, default, path) or rules.validate(default, None, path)
        )
        for error in asked or ():
            raise DeclarationError(
                f"{_shown(path)}: its default {default!r} breaks a rule ({_detail(error.message)}); rules "
                "see what is in the default alone, so use has(self.x) for fields that may be absent"
            )
    for name, member in (schema.get("properties") or {}).items():
        _check_defaults(member, f"{path}.properties[{name}]")
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), Mapping):
            _check_defaults(schema[name], f"{path}.{name}")


def _sentence(error: FieldError, cls_name: str, schema: Mapping[str, Any]) -> str:
    place = _RULE.search(error.field)
    said = _detail(error.message)
    if place is None:
        return f"{_shown(error.field)}: {said}"
    where = error.field[: place.start()]
    index, part = int(place[1] or 0), place[2] or "rule"
    rules = _schema_at(where.removeprefix(cls_name), schema).get("x-kubernetes-validations") or [{}]
    expression = rules[index].get("messageExpression" if part == "messageExpression" else "rule", "")
    what = "the rule" if part == "rule" else f"the {part} of the rule"
    return f"{_shown(where)}: {what} {expression!r} is refused: {said}"


def _detail(message: str) -> str:
    """What is said after the rule, which messages repeat as JSON."""
    if message.startswith(_INVALID):
        try:
            _, end = json.JSONDecoder().raw_decode(message, len(_INVALID))
        except ValueError:
            return message
        return message[end:].removeprefix(": ") or message
    return message


def _shown(path: str) -> str:
    return _STEP.sub(lambda step: f".{step[1]}" if step[1] is not None else "[]", path)


def _schema_at(path: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    for step in _STEP.finditer(path):
        schema = schema["properties"][step[1]] if step[1] is not None else schema[step[2]]
    return schema
