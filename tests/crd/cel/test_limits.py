"""What a hostile rule or object cannot do: hang the server, fill its memory, or make it raise."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.crd.cel import CompileError, compile_errors, compile_expression, compile_schema
from kubewright.crd.cel.compiler import check_in, compile_checked
from kubewright.crd.cel.environment import schema_environment
from kubewright.crd.cel.schema_types import schema_type
from tests.cases import check_each
from tests.crd.cel.expressions import EXPRESSIONS, OBJECT, SPEC
from tests.crd.cel.harness import answers

LIMIT = 1_000_000
VALUES = answers()["values"]


def evaluated(expression: str, **variables: object) -> tuple[object, str, int]:
    compiled = compile_expression(expression, dict.fromkeys(variables, "dyn"))
    return compiled.program.run(dict(variables), cost_limit=LIMIT)


@pytest.mark.parametrize(
    "expression",
    [
        "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))",
        "lists.range(1000).map(a, lists.range(1000).map(b, lists.range(1000))).size() > 0",
        "lists.range(1000000000000).size() > 0",
        "lists.range(100000).distinct().size() > 0",
        "lists.range(100000).sort().size() > 0",
        "lists.range(3000000).map(x, string(x)).join(',').size() > 0",
        "lists.range(900000).transformMapEntry(i, v, {string(i): v}).size() > 0",
        "sets.equivalent(lists.range(100000), lists.range(100000))",
    ],
)
def test_the_cost_limit_ends_an_evaluation(expression: str) -> None:
    started = time.process_time()
    _, error, cost = evaluated(expression)
    assert error == "operation cancelled: actual cost limit exceeded"
    assert time.process_time() - started < 20
    assert cost >= 0


def test_a_text_does_not_grow_without_bound() -> None:
    _, error, _ = evaluated("s.replace('a', s).replace('a', s).replace('a', s).size() > 0", s="a" * 5000)
    assert error == "operation cancelled: actual cost limit exceeded"


def test_errors_do_not_absorb_the_cost_limit() -> None:
    long = "lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0))"
    assert evaluated(f"{long} || true")[1] == "operation cancelled: actual cost limit exceeded"


def test_patterns_take_no_exponential_time() -> None:
    started = time.process_time()
    value, error, _ = evaluated("s.matches('^(a+)+$')", s="a" * 3000 + "b")
    assert (value, error) == (False, "")
    assert evaluated("s.find('(a+)+b')", s="a" * 3000)[0] == ""
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 300 + "1" + ")" * 300,
        "1" + "+1" * 300,
        "[" * 5000 + "]" * 5000,
        "true ? 1 : " * 300 + "1",
        "-" * 50000,
    ],
)
def test_deep_expressions_are_refused(expression: str) -> None:
    with pytest.raises(CompileError):
        compile_expression(expression, {})


def test_long_expressions_are_refused() -> None:
    with pytest.raises(
        CompileError, match="expression code point size exceeds limit: size: 180004, limit 100000"
    ):
        compile_expression("true" + "||true" * 30000, {})


def test_many_terms_are_no_depth() -> None:
    assert evaluated("true" + " && true" * 3000)[0] is True


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_compiles_or_is_refused(text: str) -> None:
    with suppress(CompileError):
        compile_expression(text, {"self": "dyn"})


_FRAGMENTS = st.sampled_from(
    [
        *("self", "self.l", "self.s", "1", "-2", "1.5", "'a'", "[]", "{}", "true", "null", "x"),
        *("(", ")", "[", "]", ".", ",", "?", ":", "!"),
        *("+", "-", "*", "/", "%", "<", "==", "!=", "&&", "||", "in"),
        *(".all(", ".map(", ".size()", ".matches(", ".?a", ".orValue("),
        *("has(", "quantity(", "ip(", "type(", "dyn(", "string(", "int("),
    ]
)


@given(st.lists(_FRAGMENTS, max_size=12).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_any_expression_runs_or_tells_its_error(text: str) -> None:
    try:
        compiled = compile_expression(text, {"self": "dyn", "x": "dyn"})
    except CompileError:
        return
    variables: dict[str, object] = {"self": {"l": [1, "a", None], "s": "text"}, "x": [True, {"a": 1}]}
    value, error, _ = compiled.program.run(variables, cost_limit=LIMIT)
    assert error == "" or value is None
    assert not error.startswith("internal error")


def test_evaluation_costs_about_what_was_estimated_at_most() -> None:
    node = schema_type(SPEC)
    assert node is not None
    assert node.convert is not None
    convert = node.convert
    # Takes longer to make than to use.
    environment = schema_environment(node)

    def check(expression: str) -> None:
        compiled = compile_checked(check_in(environment, expression), node)
        _, _, cost = compiled.program.run({"self": convert(OBJECT)}, cost_limit=LIMIT)
        # Upstream's estimates leave out some accesses, and take the checks of formats for shorter ones.
        assert cost <= 10 * compiled.max_cost + 10

    check_each({text: text for text in EXPRESSIONS if "cause" in VALUES[text]}, check)


@pytest.mark.parametrize(
    "value", [None, 1, "a", [], {}, {"l": 5}, {"l": [None]}, {"l": [{}]}, {"n": 10**400}]
)
def test_objects_that_are_not_of_the_schema_raise_nothing(value: object) -> None:
    rule = {"rule": "self.l.all(x, x.a > 1) && self.n > 1.0"}
    spec = {
        "type": "object",
        "properties": {
            "n": {"type": "number"},
            "l": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
        },
        "x-kubernetes-validations": [rule],
    }
    validator = compile_schema({"type": "object", "properties": {"spec": spec}})
    assert validator is not None
    for error in validator.validate({"spec": value}, {"spec": {"l": []}}):
        assert error.field == "spec"


@pytest.mark.parametrize(
    "schema",
    [
        {"x-kubernetes-validations": 5},
        {"x-kubernetes-validations": [5]},
        {"x-kubernetes-validations": [{}]},
        {"x-kubernetes-validations": [{"rule": 5}]},
        {"type": "array", "x-kubernetes-validations": [{"rule": "true"}]},
        {"properties": 5, "x-kubernetes-validations": [{"rule": "true"}]},
        {"type": "object", "properties": {"a": 5}, "x-kubernetes-validations": [{"rule": "true"}]},
        {
            "type": "object",
            "required": 5,
            "x-kubernetes-validations": [{"rule": "true", "fieldPath": "..['"}],
        },
    ],
)
def test_schemas_that_are_wrong_raise_nothing(schema: dict[str, object]) -> None:
    compile_errors(schema, "schema")
    compile_schema(schema)
