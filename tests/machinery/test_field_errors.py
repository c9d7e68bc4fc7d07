"""What is wrong with fields, in the words of the API."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery import field_errors
from kubewright.machinery.field_errors import OMIT_VALUE, FieldError, aggregate, go_quote
from tests.conftest import Oracle

MESSAGES: list[tuple[FieldError, str, str]] = [
    (field_errors.required("a"), "FieldValueRequired", "Required value"),
    (field_errors.required("a", "why"), "FieldValueRequired", "Required value: why"),
    (field_errors.forbidden("a", "why"), "FieldValueForbidden", "Forbidden: why"),
    (field_errors.invalid("a", 'x"y', "why"), "FieldValueInvalid", 'Invalid value: "x\\"y": why'),
    (field_errors.invalid("a", 0, "why"), "FieldValueInvalid", "Invalid value: 0: why"),
    (field_errors.invalid("a", True, "why"), "FieldValueInvalid", "Invalid value: true: why"),
    (field_errors.invalid("a", None, "why"), "FieldValueInvalid", "Invalid value: null: why"),
    (field_errors.invalid("a", {"b": ["<"]}), "FieldValueInvalid", 'Invalid value: {"b":["\\u003c"]}'),
    (field_errors.invalid("a", OMIT_VALUE, "why"), "FieldValueInvalid", "Invalid value: why"),
    (field_errors.type_invalid("a", "x", "why"), "FieldValueTypeInvalid", 'Invalid value: "x": why'),
    (
        field_errors.not_supported("a", "x", ("b", "c")),
        "FieldValueNotSupported",
        'Unsupported value: "x": supported values: "b", "c"',
    ),
    (field_errors.not_supported("a", "x"), "FieldValueNotSupported", 'Unsupported value: "x"'),
    (field_errors.duplicate("a", "x"), "FieldValueDuplicate", 'Duplicate value: "x"'),
    (field_errors.not_found("a", "x"), "FieldValueNotFound", 'Not found: "x"'),
    (field_errors.too_long("a", 1), "FieldValueTooLong", "Too long: may not be more than 1 byte"),
    (field_errors.too_long("a", 5), "FieldValueTooLong", "Too long: may not be more than 5 bytes"),
    (
        field_errors.too_long_characters("a", 5),
        "FieldValueTooLong",
        "Too long: may not be more than 5 characters",
    ),
    (field_errors.too_short("a", 1), "FieldValueTooShort", "Too short: must have at least 1 character"),
    (field_errors.too_many("a", 3, 2), "FieldValueTooMany", "Too many: 3: must have at most 2 items"),
    (field_errors.too_few("a", 0, 1), "FieldValueTooFew", "Too few: 0: must have at least 1 item"),
    (field_errors.internal("a", "why"), "InternalError", "Internal error: why"),
]


@pytest.mark.parametrize(("error", "reason", "message"), MESSAGES)
def test_messages(error: FieldError, reason: str, message: str) -> None:
    assert error == FieldError(reason, "a", message)
    assert str(error) == f"a: {message}"
    cause = error.cause()
    assert (cause.reason, cause.message, cause.field) == (reason, message, "a")


def test_one_error_stands_alone_and_several_in_brackets() -> None:
    one, other = field_errors.required("a"), field_errors.required("b")
    assert aggregate([one]) == "a: Required value"
    assert aggregate([one, other]) == "[a: Required value, b: Required value]"
    # Each once, as upstream has it.
    assert aggregate([one, one]) == "a: Required value"
    assert aggregate([one, other, one]) == "[a: Required value, b: Required value]"


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", '""'),
        ("plain", '"plain"'),
        ("ä€😀", '"ä€😀"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("\n\t\r\a\b\f\v", '"\\n\\t\\r\\a\\b\\f\\v"'),
        ("\x00\x7f", '"\\x00\\x7f"'),
        ("\u200b\U000e0001", '"\\u200b\\U000e0001"'),
    ],
)
def test_texts_are_quoted_as_go_does_it(text: str, quoted: str) -> None:
    assert go_quote(text) == quoted


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
# Unicode grows: what the tables of Python and Go do not both know is left out.
known_texts = st.text(st.characters(max_codepoint=0x10FF, exclude_categories=["Cs", "Cn"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | known_texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(known_texts, inner, max_size=1),
    max_leaves=5,
)


@given(texts)
def test_quoted_texts_are_printable_and_end_where_they_end(text: str) -> None:
    quoted = go_quote(text)
    assert quoted.isprintable()
    assert quoted.replace("\\\\", "").replace('\\"', "").count('"') == 2


@pytest.mark.oracle
@given(known_texts)
def test_quotes_like_go(oracle: Oracle, text: str) -> None:
    assert go_quote(text) == oracle.ask("errors.quote", text)


SORTS = [
    "required",
    "forbidden",
    "invalid",
    "type_invalid",
    "not_supported",
    "duplicate",
    "not_found",
    "too_long",
    "too_many",
]


@st.composite
def wrong_fields(draw: st.DrawFn) -> tuple[dict[str, Any], FieldError]:
    """An error as the oracle is asked for it, and ours."""
    sort = draw(st.sampled_from(SORTS))
    field, value, detail = draw(st.sampled_from(["a", "a.b[0]"])), draw(values), draw(known_texts)
    supported, number = draw(st.lists(known_texts, max_size=2)), draw(st.integers(0, 3))
    asked = {
        "sort": sort,
        "field": field,
        "value": value,
        "detail": detail,
        "supported": supported,
        "number": number,
    }
    ours = {
        "required": lambda: field_errors.required(field, detail),
        "forbidden": lambda: field_errors.forbidden(field, detail),
        "invalid": lambda: field_errors.invalid(field, value, detail),
        "type_invalid": lambda: field_errors.type_invalid(field, value, detail),
        "not_supported": lambda: field_errors.not_supported(field, value, supported),
        "duplicate": lambda: field_errors.duplicate(field, value),
        "not_found": lambda: field_errors.not_found(field, value),
        "too_long": lambda: field_errors.too_long(field, number),
        "too_many": lambda: field_errors.too_many(field, 7, number),
    }[sort]()
    return asked, ours


@pytest.mark.oracle
@given(st.lists(wrong_fields(), min_size=1, max_size=4))
def test_words_like_upstream(oracle: Oracle, wrong: list[tuple[dict[str, Any], FieldError]]) -> None:
    told = oracle.ask("errors.fields", [asked for asked, _ in wrong])
    assert [list(ours) for _, ours in wrong] == [[kind, field, body] for kind, field, body in told["errors"]]
    assert aggregate([ours for _, ours in wrong]) == told["all"]
