from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.selectors import (
    FieldRequirement,
    FieldSelector,
    escape_field_value,
    parse_field_selector,
)
from tests.conftest import Oracle, OracleRefusal

FIELDS = st.sampled_from(["metadata.name", "spec.nodeName", "a", "a!b"])
VALUES = st.text("ab\\,=! ", max_size=5)
REQUIREMENTS = st.builds(FieldRequirement, FIELDS, st.sampled_from(["=", "!="]), VALUES)


@given(st.lists(REQUIREMENTS, max_size=4))
def test_what_is_printed_reads_back(requirements: list[FieldRequirement]) -> None:
    selector = parse_field_selector(str(FieldSelector(requirements)))
    assert sorted(map(str, selector.requirements)) == sorted(map(str, requirements))
    assert set(selector.requirements) == set(requirements)
    assert parse_field_selector(str(selector)) == selector


@given(st.lists(REQUIREMENTS, max_size=4), st.dictionaries(FIELDS, VALUES))
def test_matching_is_every_requirement_by_itself(
    requirements: list[FieldRequirement], fields: dict[str, str]
) -> None:
    expected = all((fields.get(one.field, "") == one.value) == (one.operator == "=") for one in requirements)
    assert FieldSelector(requirements).matches(fields) is expected


@given(VALUES)
def test_an_escaped_value_is_one_value(value: str) -> None:
    selector = parse_field_selector(f"a={escape_field_value(value)}")
    assert selector.requires_exact_match("a") == value


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        (",,", ""),
        ("b=1,a!=2", "a!=2,b=1"),
        ("a==1", "a=1"),
        ("a=", "a="),
        ("=", ""),
        ("!=", ""),
        ("=b", "=b"),
        (r"a=b\,c\=d\\", r"a=b\,c\=d\\"),
        ("a= b ", "a= b "),
        (r"a\,b=c", r"a\,b=c"),
        ("a!b=c", "a!b=c"),
    ],
)
def test_printing_is_sorted_and_escaped(text: str, printed: str) -> None:
    assert str(parse_field_selector(text)) == printed


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a", "'a' must be like"),
        ("a=1,b", "'b' must be like"),
        ("a=b=c", "a backslash must stand before '=' in the value of 'a=b=c'"),
        (r"a=\b", "only a comma"),
        ("a=\\", "only a comma"),
        ("a===b", "a backslash must stand before '='"),
    ],
)
def test_a_bad_selector_is_quoted_with_the_place(text: str, place: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_field_selector(text)
    assert str(caught.value).startswith(f"field selector {text!r}: ")
    assert place in str(caught.value)


def test_everything_and_nothing() -> None:
    assert FieldSelector.everything().matches({})
    assert FieldSelector.everything().empty
    assert not FieldSelector.nothing().matches({})
    assert not FieldSelector.nothing().empty
    assert FieldSelector.nothing() != FieldSelector.everything()
    assert copy.deepcopy(FieldSelector.nothing()) == FieldSelector.nothing()
    assert FieldSelector.nothing().transform(lambda field, value: (field, value)) == FieldSelector.nothing()
    assert hash(FieldSelector.everything()) == hash(parse_field_selector(""))


def test_requires_exact_match_passes_over_what_is_unequal() -> None:
    selector = parse_field_selector("a!=1,a=2,b!=3")
    assert selector.requires_exact_match("a") == "2"
    assert selector.requires_exact_match("b") is None
    assert selector.requires_exact_match("c") is None


@pytest.mark.parametrize("field", ["a=b", "a!", "a,b", "a!=b,c", ","])
def test_a_field_cannot_smuggle_in_another_requirement(field: str) -> None:
    with pytest.raises(ParseError, match="is not a field to select by"):
        FieldSelector.from_fields({field: "x"})


def test_from_fields() -> None:
    assert str(FieldSelector.from_fields({"b": "1,2", "a": ""})) == r"a=,b=1\,2"


def test_a_transform_renames_drops_and_refuses() -> None:
    def convert(field: str, value: str) -> tuple[str, str]:
        if field == "spec.host":
            return "spec.nodeName", value.lower()
        if field == "drop":
            return "", ""
        if field == "metadata.name":
            return field, value
        raise ParseError(f"{field!r} is not a field to select by")

    selector = parse_field_selector("spec.host!=N1,drop=x,metadata.name=m", transform=convert)
    assert str(selector) == "metadata.name=m,spec.nodeName!=n1"
    with pytest.raises(ParseError, match=r"'spec\.x' is not a field"):
        parse_field_selector("spec.x=1", transform=convert)


def test_a_hostile_selector_is_read_in_no_time() -> None:
    parse_field_selector("a=" + "\\\\" * 200_000)
    parse_field_selector("," * 400_000)
    with pytest.raises(ParseError):
        parse_field_selector("\\" * 400_001)


TEXTS = st.lists(
    st.sampled_from(
        ["a", "b", "metadata.name", "=", "==", "!=", "!", ",", "\\", "\\,", "\\=", " ", "é", "\n", "\x00"]
    ),
    max_size=12,
).map("".join)


PRINTED = st.lists(REQUIREMENTS.map(str), max_size=4).map(",".join)


@pytest.mark.oracle
@given(TEXTS | PRINTED)
def test_texts_are_read_as_upstream_reads_them(oracle: Oracle, text: str) -> None:
    sets = [{}, {"a": "b"}, {"metadata.name": "a", "b": ""}, {"a": "=", "": "b"}, {"a": "b,a"}]
    keys = ["a", "b", "metadata.name", ""]
    try:
        theirs = oracle.ask("selectors.fields", {"text": text, "sets": sets, "keys": keys})
    except OracleRefusal:
        with pytest.raises(ParseError):
            parse_field_selector(text)
        return
    ours = parse_field_selector(text)
    assert {
        "string": str(ours),
        "empty": ours.empty,
        "matches": [ours.matches(fields) for fields in sets],
        "exact": [ours.requires_exact_match(key) for key in keys],
        "requirements": [[one.field, one.operator, one.value] for one in ours.requirements],
    } == theirs
