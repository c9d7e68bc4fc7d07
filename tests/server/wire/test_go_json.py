"""JSON in Go's words, and the shortcuts that must never be wrong: duplicate keys and depth."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.server.wire.go_json import (
    MAX_DEPTH,
    Number,
    Pairs,
    check_depth,
    has_distinct_keys,
    int64_or_float,
    is_encoding_of,
    parse_tree,
)

TEXTS = st.sampled_from(
    ['"a"', '"b"', '"a:b"', '"\\u003a"', '"\\":"', '"\\u003A"', '"\\\\u003a"', '"\\"b\\":1"', '"\\u0061"']
)
COLONS = st.sampled_from([":", " :", ": ", "\n:\t"])


def _objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(TEXTS, COLONS, values).map("".join)
    return st.lists(member, max_size=4).map(lambda members: "{" + ",".join(members) + "}")


BODIES = st.recursive(
    TEXTS | st.sampled_from(["1", "null", "1.0", "1e2"]),
    lambda values: _objects(values) | st.lists(values, max_size=3).map(lambda items: f"[{','.join(items)}]"),
    max_leaves=12,
)


def _repeats(tree: Any) -> bool:
    if isinstance(tree, Pairs):
        keys = [key for key, _ in tree]
        return len(set(keys)) < len(keys) or any(_repeats(value) for _, value in tree)
    return isinstance(tree, list) and any(map(_repeats, tree))


@given(BODIES)
def test_keys_that_are_said_to_be_distinct_are(body: str) -> None:
    data = body.encode()
    plain = msgspec.json.decode(data)
    if has_distinct_keys(data, plain) or is_encoding_of(data, plain):
        assert not _repeats(parse_tree(data))


@given(BODIES)
def test_common_bodies_need_no_closer_look(body: str) -> None:
    assume("u003" not in body)  # an escaped backslash before it looks like an escaped colon
    plain = msgspec.json.decode(body.encode())
    for text in (json.dumps(plain), json.dumps(plain, indent=2), msgspec.json.encode(plain).decode()):
        assert has_distinct_keys(text.encode(), plain)
    assert is_encoding_of(msgspec.json.encode(plain) + b"\n", plain)


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _nested(depth: int, siblings: str) -> bytes:
    text = "[{}]"
    for level in range(depth - 2):
        sibling = f"{siblings}," * 3 if siblings else ""
        text = f"[{sibling}{text}]" if level % 2 else f'{{"[{{\\"":[],"b":{text}}}'
    return text.encode()


@pytest.mark.parametrize("siblings", ["", "[]", "[[{}]]", '"\\\\"', '"[[[\\""'])
def test_the_depth_is_exact(siblings: str) -> None:
    for depth in (MAX_DEPTH - 1, MAX_DEPTH):
        data = _nested(depth, siblings)
        assert _depth(json.loads(data)) == depth
        check_depth(data)
    with pytest.raises(ParseError, match="deeper than 200 levels"):
        check_depth(_nested(MAX_DEPTH + 1, siblings))


def test_wide_is_not_deep() -> None:
    check_depth(b"[" + b'[{"a":[]}],' * 10_000 + b"1]")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("", "unexpected end of JSON input"),
        ('{"a"', "unexpected end of JSON input"),
        ('"a', "unexpected end of JSON input"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a":1 2}', "invalid character '2' after object key:value pair"),
        ("[1 2]", "invalid character '2' after array element"),
        ("01", "invalid character '1' after top-level value"),
        ("{} x", "invalid character 'x' after top-level value"),
        ("[1,]", "invalid character ']' looking for beginning of value"),
        ("{a:1}", "invalid character 'a' looking for beginning of object key string"),
        ("nul", "invalid character ' ' in literal null (expecting 'l')"),
        ("[-]", "invalid character ']' in numeric literal"),
        ("1.", "invalid character ' ' after decimal point in numeric literal"),
        ("1e+", "invalid character ' ' in exponent of numeric literal"),
        ('"\\x"', "invalid character 'x' in string escape code"),
        ('"\\u12"', "invalid character '\"' in \\u hexadecimal character escape"),
        ('"\x01"', "invalid character '\\x01' in string literal"),
        ("'a'", "invalid character '\\'' looking for beginning of value"),
        ("NaN", "invalid character 'N' looking for beginning of value"),
        ("-Infinity", "invalid character 'I' in numeric literal"),
        ("\ufeff{}", "invalid character '\u00ef' looking for beginning of value"),
    ],
)
def test_syntax_errors(body: str, text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_tree(body.encode())
    assert str(caught.value) == text


def test_large_bodies_that_are_no_json_are_refused_quickly() -> None:
    with pytest.raises(ParseError, match="char 400001"):
        parse_tree(b"[" + b"1," * 200_000)


def test_a_tree_keeps_what_was_written() -> None:
    tree = parse_tree(b'{"a":1.0,"a":[1e3,"\\ud800\xff",null]}')
    assert tree == Pairs((("a", "1.0"), ("a", ["1e3", "\ufffd\ufffd", None])))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("-0", 0),
        ("1.0", 1),
        ("1e3", 1000),
        ("1.5", 1.5),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 9.223372036854775808e18),
        ("-9223372036854775808", -(2**63)),
        ("1e21", 1e21),
        ("1" + "0" * 300, 1e300),
    ],
)
def test_numbers(text: str, number: float) -> None:
    found = int64_or_float(Number(text))
    assert (found, type(found)) == (number, type(number))


def test_numbers_that_no_float_holds() -> None:
    for text in ("1e400", "-1e400", "1" * 5000):
        with pytest.raises(OverflowError):
            int64_or_float(Number(text))
