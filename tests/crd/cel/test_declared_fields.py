"""Only what rules name is declared to the checker, and only where there are rules a schema is looked into."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kubewright.crd.cel import CompileError, compile_errors, compile_schema
from kubewright.crd.cel.compiler import check_in
from kubewright.crd.cel.engine import Environment
from kubewright.crd.cel.environment import schema_environment
from kubewright.crd.cel.messages import Messages
from kubewright.crd.cel.schema_types import SchemaType, schema_type
from kubewright.crd.class_schema import SchemaBuilder
from kubewright.crd.rule_search import may_have_rules
from kubewright.models.core_v1 import PodTemplateSpec
from tests.crd.cel.expressions import EXPRESSIONS, SPEC

TEMPLATE = SchemaBuilder().of_struct(PodTemplateSpec, "template")


@pytest.fixture(scope="module")
def node() -> SchemaType:
    found = schema_type(SPEC)
    assert found is not None
    return found


def answer(environment: Environment, expression: str) -> str:
    try:
        checked = check_in(environment, expression)
    except CompileError as error:
        return str(error)
    return f"{checked.type_of(checked.expr)} {checked.expr}"


@pytest.mark.slow
def test_what_is_not_declared_changes_no_answer(node: SchemaType) -> None:
    everything = schema_environment(node)
    seen: set[str] = set()
    for expression in EXPRESSIONS:
        words = frozenset(re.findall(r"[A-Za-z_]\w*", expression))
        seen.add(answer(schema_environment(node, words=words), expression))
        assert answer(schema_environment(node, words=words), expression) == answer(everything, expression)
    assert len(seen) > 20


def test_a_template_of_pods_costs_nothing_where_rules_do_not_name_it() -> None:
    schema = {"type": "object", "properties": {"size": {"type": "integer"}, "template": TEMPLATE}}
    found = schema_type(schema)
    assert found is not None
    sizes: list[int] = []
    for words in (frozenset({"size"}), frozenset({"template", "spec", "hostname"}), None):
        messages = Messages(words)
        messages.type_of(found)
        sizes.append(len(messages.descriptors()))
    assert sizes[0] < sizes[1] < 500
    assert sizes[2] > 10_000


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("self.size < self.template.spec.containers.size()", ""),
        ("self.template.spec.containers.all(c, c.image != '')", ""),
        ("self.template.spec.nothing == 1", "undefined field 'nothing'"),
        ("self.template.spec.hostname == 1", "found no matching overload for '_==_'"),
        ("self.nothing", "undefined field 'nothing'"),
    ],
)
def test_rules_about_a_template_of_pods(rule: str, said: str) -> None:
    containers = TEMPLATE["properties"]["spec"]["properties"]["containers"]
    spec = {**TEMPLATE["properties"]["spec"]}
    spec["properties"] = {**spec["properties"], "containers": {**containers, "maxItems": 10}}
    template = {**TEMPLATE, "properties": {**TEMPLATE["properties"], "spec": spec}}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"size": {"type": "integer"}, "template": template},
        "x-kubernetes-validations": [{"rule": rule}],
    }
    found = [error.message for error in compile_errors(schema, "schema")]
    assert len(found) == bool(said)
    assert all(said in message for message in found)


RULED = {"type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "self != 'a'"}]}


@pytest.mark.parametrize(
    "schema",
    [
        RULED,
        {"type": "array", "maxItems": 3, "items": RULED},
        {"type": "object", "maxProperties": 3, "additionalProperties": RULED},
        {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": RULED}}}},
        {"type": "object", "properties": {"free": TEMPLATE, "a": {"type": "array", "items": RULED}}},
    ],
)
def test_rules_are_found_wherever_they_are(schema: dict[str, Any]) -> None:
    whole = {"type": "object", "properties": {"spec": schema, "other": {"type": "string"}}}
    assert may_have_rules(whole)
    assert compile_schema(whole) is not None


def test_where_there_are_none() -> None:
    assert not may_have_rules(TEMPLATE)
    assert compile_schema({"type": "object", "properties": {"spec": TEMPLATE}}) is None
    # A text that reads like the keyword is looked at twice.
    named = {"type": "object", "properties": {"x-kubernetes-validations": {"type": "string"}}}
    assert may_have_rules(named)
    assert compile_schema(named) is None
    assert may_have_rules({"default": object()})
