"""Rules that read fields which may be absent: filled in, or refused when the class is made."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from kubewright import EMPTY, DeclarationError, Field, Resource, Struct, custom_resource, rule
from kubewright.crd import validate
from kubewright.crd.rule_reads import mentions_unguarded, unguarded_reads
from tests.cel import needs_cel


class Inner(Struct):
    size: int = 1
    note: str | None = None


class Spec(Struct):
    needed: Annotated[str, Field(max_length=10)]
    colors: Annotated[list[Annotated[str, Field(max_length=9)]], Field(max_items=9)] = []
    labels: Annotated[dict[str, Annotated[str, Field(max_length=9)]], Field(max_properties=9)] = {}
    count: int = 0
    on: bool = False
    name: Annotated[str, Field(max_length=10)] = ""
    short: Annotated[str, Field(max_length=10, min_length=1)] = ""
    inner: Inner = EMPTY
    maybe: int | None = None
    other: Annotated[str | None, Field(max_length=10)] = None


def kind_of(expression: str) -> Any:
    """A kind of which the spec has a rule."""
    namespace = {"__module__": __name__, "__annotations__": {}}
    ruled: Any = rule(expression)(type(Struct)("Ruled", (Spec,), namespace))
    members = {"__module__": __name__, "__annotations__": {"spec": ruled}}
    thing: Any = type(Resource)("Thing", (Resource,), members)
    return custom_resource(group="example.com", version="v1")(thing)


@pytest.mark.parametrize(
    ("expression", "field", "default"),
    [
        ("self.colors.size() <= 3", "colors", []),
        ("self.labels.all(key, key != 'a')", "labels", {}),
        ("self.count < 3", "count", 0),
        ("!self.on || self.needed != ''", "on", False),
        ("self.name != 'x'", "name", ""),
        ("self.inner.size < 3", "inner", {}),
    ],
)
def test_a_rule_sees_the_zero_value_that_python_reads(expression: str, field: str, default: Any) -> None:
    kind = kind_of(expression)
    (version,) = kind.crd().to_dict()["spec"]["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert properties[field]["default"] == default
    filled = {name for name, member in properties.items() if "default" in member}
    assert filled == {field, "inner"}, "and what an empty struct fills in itself"
    validate(kind.from_dict({"metadata": {"name": "a"}, "spec": {"needed": "x"}}))


@pytest.mark.parametrize(
    ("expression", "field"),
    [
        ("self.maybe > 1", "self.maybe"),
        ("self.needed != '' && self.maybe > 1", "self.maybe"),
        ("!(self.maybe > 1)", "self.maybe"),
        ("[self.maybe, 1].exists(each, each == 1)", "self.maybe"),
        ("(self.maybe > 1 ? 'a' : 'b') == self.needed", "self.maybe"),
        ("self.inner.note == 'x'", "self.inner.note"),
        ("has(self.other) && self.maybe > 1", "self.maybe"),
        ("self.short == 'x'", "self.short"),
    ],
)
@needs_cel
def test_a_rule_that_refuses_all_objects_without_a_field_is_refused(expression: str, field: str) -> None:
    with pytest.raises(DeclarationError, match=rf"reads {field}, which may be absent, .*; write !has\("):
        kind_of(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "has(self.maybe) && self.maybe > 1",
        "!has(self.maybe) || self.maybe > 1",
        "has(self.maybe) ? self.maybe > 1 : true",
        "self.?maybe.orValue(1) > 0",
        "self.?maybe.hasValue() ? self.maybe > 1 : true",
        "self.needed == '' || self.maybe > 1",
        "self.needed != '' ? self.maybe > 1 : true",
        "self.colors.all(each, self.maybe > 1)",
        "self.needed == 'x' && (self.needed == '' || self.maybe > 1)",
        "!(self.needed == 'x' && self.maybe > 1)",
        "has(self.maybe) == has(self.other)",
        "!has(self.inner) || !has(self.inner.note) || self.inner.note == 'x'",
        "has(self.maybe) || has(self.other)",
        "'a' in self.labels && self.labels['a'] == 'b'",
        "self.needed.size() > 0",
        "'self.maybe' != self.needed",
    ],
)
def test_a_rule_that_looks_first_is_taken(expression: str) -> None:
    assert kind_of(expression).crd()


def test_a_field_that_some_rule_asks_for_gets_no_default() -> None:
    kind = kind_of("!has(self.colors) || self.colors.size() > 0")
    (version,) = kind.crd().to_dict()["spec"]["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert "default" not in properties["colors"]
    assert not mentions_unguarded("colors", ["self.colors.size() > 1", "has(self.colors)"])
    assert not mentions_unguarded("color", ["self.colors.size() > 1"])


def test_rules_on_the_whole_object_and_deeper_ones() -> None:
    member = {"type": "string"}
    spec = {"type": "object", "properties": {"a": member, "b": member}, "required": ["b"]}
    schema = {"type": "object", "properties": {"spec": spec, "metadata": {}}, "required": ["spec"]}
    assert unguarded_reads("self.metadata.name != ''", schema, is_root=True) == []
    assert unguarded_reads("self.spec.b == self.spec.a", schema) == ["self.spec.a"]
    assert unguarded_reads("self.spec.a == oldSelf.spec.a", schema) == ["self.spec.a"]
    assert unguarded_reads("self.unknown == 1", schema) == []
    assert unguarded_reads("not an expression (", schema) == []
