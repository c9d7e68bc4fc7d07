"""Expressions at large, and the package that compiles them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.crd.cel import CompileError, compile_expression, compile_schema
from kubewright.crd.cel.engine import UNAVAILABLE
from kubewright.crd.cel.escaping import escape
from kubewright.crd.cel.functions.go_netip import parse_address
from kubewright.crd.cel.schema_types import schema_type
from tests.cel import needs_cel


def test_expressions_with_variables_of_ones_own() -> None:
    compiled = compile_expression(
        "object.metadata.name.startsWith('a') && limit > 1", {"object": "dyn", "limit": "int"}
    )
    assert compiled.result_type == "bool"
    variables = {"object": {"metadata": {"name": "abc"}}, "limit": 5}
    assert compiled.program.run(variables, cost_limit=1000) == (True, "", 6)
    assert compiled.program.uses == {"object", "limit"}


def test_optional_variables() -> None:
    compiled = compile_expression("old.hasValue()", {"old": "optional_type<map<string, dyn>>"})
    assert compiled.result_type == "bool"


def test_errors_name_the_place() -> None:
    with pytest.raises(CompileError) as refused:
        compile_expression("1 +\n  x", {})
    assert (
        str(refused.value)
        == "ERROR: <input>:2:3: undeclared reference to 'x' (in container '')\n |   x\n | ..^"
    )


def test_literals_that_never_convert_are_refused() -> None:
    with pytest.raises(CompileError, match="program instantiation failed: type conversion error"):
        compile_expression("int('x') == 1", {})


def test_a_missing_variable_is_an_error_of_the_expression() -> None:
    compiled = compile_expression("a == 1", {"a": "int"})
    assert compiled.program.run({}, cost_limit=1000).error == "no such attribute(s): a"


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_schemas_without_rules_import_nothing() -> None:
    code = (
        "import sys; from kubewright.crd.cel import compile_errors, compile_schema\n"
        "schema = {'type': 'object', 'properties': {'a': {'type': 'string'}}}\n"
        "print(compile_schema(schema), compile_errors(schema, 'p'), 'cel_expr_python' in sys.modules)"
    )
    assert _python(code) == "None [] False\n"


@pytest.mark.parametrize("absent", ["cel_expr_python", "google.protobuf"])
def test_the_missing_package_is_named(absent: str) -> None:
    code = (
        f"import sys; sys.modules[{absent!r}] = None\n"
        "from kubewright.crd.cel import compile_expression\n"
        "try: compile_expression('true', {})\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    sentence = UNAVAILABLE
    assert _python(code) == f"CelUnavailableError {sentence}\n"


@needs_cel
def test_fields_whose_names_differ_in_style_only_are_not_warned_of() -> None:
    """The engine logs to standard error by itself, past Python's own."""
    code = (
        "from kubewright.crd.cel import compile_errors\n"
        "properties = {'fooBar': {'type': 'string'}, 'foo_bar': {'type': 'string'}}\n"
        "schema = {'type': 'object', 'properties': properties,"
        " 'x-kubernetes-validations': [{'rule': 'self.fooBar == self.foo_bar'}]}\n"
        "print(compile_errors(schema, 'p'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_schema_without_rules_has_no_validator() -> None:
    assert compile_schema({"type": "object"}) is None


def test_escaping() -> None:
    assert escape("namespace") == "__namespace__"
    assert escape("a-b.c/d__e") == "a__dash__b__dot__c__slash__d__underscores__e"
    assert escape("1a") is None
    assert escape("a b") is None
    assert escape("") is None


NAMES = st.text("ab_-./1", min_size=1, max_size=8)


@given(NAMES, NAMES)
def test_different_names_have_different_identifiers(one: str, other: str) -> None:
    escaped = escape(one)
    if one != other and escaped is not None:
        assert escaped.isidentifier()
        assert escaped != escape(other)


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_addresses_read_as_they_are_written(address: object) -> None:
    text = str(address)
    read = parse_address(text)
    assert (read.number, read.width) == (int(address), address.max_prefixlen)  # type: ignore[attr-defined, call-overload]
    if not read.is_mapped():
        assert str(read) == text


def test_fields_whose_entries_would_have_one_name_are_declared() -> None:
    values = {"type": "object", "additionalProperties": {"type": "integer"}}
    rule = "self.fooBar['a'] == self.foo_bar['a'] && has(self.FooBarEntry)"
    spec = {
        "type": "object",
        "properties": {"fooBar": values, "foo_bar": values, "FooBarEntry": {"type": "string"}},
        "x-kubernetes-validations": [{"rule": rule}],
    }
    validator = compile_schema(spec, is_resource_root=False)
    assert validator is not None
    assert validator.validate({"fooBar": {"a": 1}, "foo_bar": {"a": 1}, "FooBarEntry": "x"}) == []
    assert validator.validate({"fooBar": {"a": 1}, "foo_bar": {"a": 2}, "FooBarEntry": "x"}) != []


def test_an_object_is_looked_at_and_not_changed() -> None:
    spec = {
        "type": "object",
        "properties": {"l": {"type": "array", "items": {"type": "integer"}}},
        "x-kubernetes-validations": [{"rule": "(self.l + [4]).map(x, x * 2).filter(y, y > 2).size() == 3"}],
    }
    validator = compile_schema(spec, is_resource_root=False)
    assert validator is not None
    obj = {"l": [1, 2, 3]}
    assert validator.validate(obj) == []
    assert validator.validate(obj) == []
    assert obj == {"l": [1, 2, 3]}


JSON = st.recursive(
    st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=8,
)


@given(JSON, JSON)
def test_equality_is_that_of_json(one: object, other: object) -> None:
    compiled = compile_expression("a == b", {"a": "dyn", "b": "dyn"})
    assert compiled.program.run({"a": one, "b": other}, cost_limit=1000).value is (one == other)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1), st.sampled_from("+-*/%"))
def test_integers_overflow_and_divide_as_in_go(one: int, other: int, operator: str) -> None:
    compiled = compile_expression(f"a {operator} b", {"a": "int", "b": "int"})
    value, error, _ = compiled.program.run({"a": one, "b": other}, cost_limit=1000)
    if error:
        assert error in {"integer overflow", "division by zero", "modulus by zero"}
        return
    assert isinstance(value, int)
    assert -(2**63) <= value < 2**63
    if operator == "/":
        assert abs(one - value * other) < abs(other)
    elif operator == "%":
        assert abs(value) < abs(other)
        assert (one - value) % other == 0


def test_sizes_for_estimates() -> None:
    node = schema_type(
        {
            "type": "object",
            "required": ["ab", "d"],
            "properties": {"ab": {"type": "string", "maxLength": 10}, "d": {"type": "integer", "default": 1}},
        }
    )
    assert node is not None
    assert node.min_size == 2 + 2 + 2 + 4
    assert node.fields["ab"][1].max_elements == 40
