"""The rules beside what a real kube-apiserver 1.36 answered, recorded by `harness`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubewright.crd.cel import compile_errors, compile_schema
from tests.cases import check_each
from tests.crd.cel.estimates import SCHEMAS
from tests.crd.cel.expressions import EXPRESSIONS, OBJECT, REFUSED, SPEC
from tests.crd.cel.harness import answers, comparable, schema_of, value_rule
from tests.crd.cel.validations import CASES, Case

RECORDED = answers()
PATH = "spec.validation.openAPIV3Schema"
Json = dict[str, Any]


def told(schema: Json) -> list[list[str]] | None:
    errors = compile_errors(schema, PATH)
    return [[e.reason, e.field, comparable(e.message)] for e in errors] or None


def ordered(causes: list[list[str]] | None) -> list[list[str]] | None:
    """The server goes through maps in no order."""
    return None if causes is None else sorted([reason, field, said] for reason, field, said in causes)


@pytest.mark.parametrize("expression", REFUSED)
def test_rules_that_are_refused(expression: str) -> None:
    schema = schema_of({**SPEC, "x-kubernetes-validations": [{"rule": expression}]})
    assert told(schema) == RECORDED["refused"][expression]


def values() -> Json:
    """What each expression comes to here, all in one schema."""
    good = [text for text in EXPRESSIONS if "cause" in RECORDED["values"][text]]
    rules = [value_rule(text) for text in good]
    validator = compile_schema(schema_of({**SPEC, "x-kubernetes-validations": rules}))
    assert validator is not None
    found = validator.validate({"apiVersion": "g/v1", "kind": "K", "spec": OBJECT})
    return dict(zip(good, found, strict=True))


def test_values_of_expressions() -> None:
    found = values()

    def check(expression: str) -> None:
        recorded = RECORDED["values"][expression]
        if "refused" in recorded:
            schema = schema_of({**SPEC, "x-kubernetes-validations": [value_rule(expression)]})
            assert told(schema) == recorded["refused"]
        else:
            assert [*found[expression]] == recorded["cause"]

    check_each({text: text for text in EXPRESSIONS}, check)


@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_estimated_costs(number: int) -> None:
    assert told(schema_of(SCHEMAS[number])) == RECORDED["estimates"][number]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_validation(case: Case) -> None:
    recorded = RECORDED["validations"][case.name]
    schema = schema_of(case.schema, case.root)
    if "refused" in recorded:
        assert told(schema) == recorded["refused"]
        return
    assert compile_errors(schema, PATH) == []
    validator = compile_schema(schema)
    warnings: list[str] = []
    found = []
    if validator is not None:
        obj = {"apiVersion": "g/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": case.spec}
        old = None if case.old is None else {**obj, "spec": case.old}
        found = validator.validate(obj, old, warnings=warnings)
    assert ordered([[e.reason, e.field, e.message] for e in found] or None) == ordered(recorded["causes"])
    assert sorted(warnings) == sorted(json.loads(text.split(" ", 2)[2]) for text in recorded["warnings"])
