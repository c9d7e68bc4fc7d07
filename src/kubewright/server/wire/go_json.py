"""JSON as Go's encoding/json reads it, where msgspec does not say enough: duplicate keys stay, numbers keep
their digits, text that is no UTF-8 gets replacement characters, and errors are told in Go's words.

MAX_DEPTH is the one difference: Go reads 10,000 levels, Python could not walk them.
"""

from __future__ import annotations

import json
import re
from typing import Final, NoReturn, TypeAlias

import msgspec

from kubewright.machinery import depth
from kubewright.machinery.depth import MAX_DEPTH
from kubewright.machinery.errors import ParseError
from kubewright.server.wire.go_syntax import syntax_error

__all__ = [
    "MAX_DEPTH",
    "Number",
    "Pairs",
    "Tree",
    "check_depth",
    "has_distinct_keys",
    "int64_or_float",
    "int64_or_float64",
    "is_encoding_of",
    "parse_tree",
]

_MAX_SCANNED: Final = 2**17
"""Larger bodies that are no JSON get Python's sentence, for Go's takes microseconds a byte to find."""

_MAX_INT64: Final = 20
"""Characters that an int64 has at most; Python takes its time with very many digits."""


class Number(str):
    """A number as it was written."""

    __slots__ = ()


class Pairs(tuple[tuple[str, "Tree"], ...]):
    """An object: its keys and values as they came, some keys perhaps twice."""

    __slots__ = ()


Tree: TypeAlias = "Pairs | list[Tree] | dict[str, Tree] | str | int | float | None"
"""A JSON value as `parse_tree` gives it (objects are Pairs, numbers are Numbers), or a plain one."""


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


_decode: Final = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=_no_constant
).decode

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_LONE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def parse_tree(data: bytes) -> Tree:
    """The JSON value in a body. Raises ParseError with Go's text for what is no JSON."""
    check_depth(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Go puts a replacement character in place of every byte that belongs to no character.
        text = _SURROGATES.sub("\ufffd", data.decode(errors="surrogateescape"))
    try:
        made: Tree = _decode(text)
    except ValueError as error:
        text = syntax_error(data) if len(data) <= _MAX_SCANNED else str(error)
        raise ParseError(text) from None
    except RecursionError:
        raise ParseError("the JSON nests too deep") from None
    return _without_surrogates(made) if _LONE_ESCAPE.search(text) else made


def _without_surrogates(tree: Tree) -> Tree:
    """The same with replacement characters for halves of pairs."""
    if isinstance(tree, Pairs):
        return Pairs((_SURROGATES.sub("\ufffd", key), _without_surrogates(value)) for key, value in tree)
    if isinstance(tree, list):
        return [_without_surrogates(item) for item in tree]
    if type(tree) is str:
        return _SURROGATES.sub("\ufffd", tree)
    return tree


def int64_or_float(number: Number | float) -> int | float:
    """A number as Go's unstructured objects have it, after a round trip through JSON.

    That is an int when the value is a whole one of 64 bits, however it was written (Go writes 1.0 as 1), else
    a float. Raises OverflowError when no float64 can hold it.
    """
    if isinstance(number, Number):
        digits = len(number) <= _MAX_INT64 and number.removeprefix("-").isdigit()
        number = int(number) if digits else float(number)
    if isinstance(number, float):
        if abs(number) == float("inf"):
            raise OverflowError
        if not number.is_integer():
            return number
    whole = int(number)
    return whole if -(2**63) <= whole < 2**63 else float(number)


def int64_or_float64(number: Number) -> int | float | None:
    """A number as Go reads it into an interface, by how it is written; None when no float64 can hold it."""
    if len(number) <= _MAX_INT64 and number.removeprefix("-").isdigit():
        whole = int(number)
        if -(2**63) <= whole < 2**63:
            return whole
    found = float(number)
    return None if abs(found) == float("inf") else found


def check_depth(data: bytes) -> None:
    """Raises ParseError when brackets nest deeper than MAX_DEPTH."""
    try:
        depth.check_depth(data)
    except depth.TooDeep as error:
        raise ParseError(str(error)) from None


_COLON: Final = re.compile(rb"\\u003[aA]")

_encode: Final = msgspec.json.Encoder().encode


def is_encoding_of(data: bytes, plain: object) -> bool:
    """Whether a body is, byte for byte, what a value encodes to: then it has no key twice.

    Go's encoders end a body with a newline, which may be there.
    """
    encoded = _encode(plain)
    return data == encoded or (len(data) == len(encoded) + 1 and data.startswith(encoded))


def has_distinct_keys(data: bytes, plain: object) -> bool:
    """Whether a body certainly has no key twice in an object; False where that takes a closer look.

    `plain` is what the body decodes to. Decoding keeps one value for each key, so when a key was twice, that
    encodes to fewer keys and so fewer colons, for the texts in it are none but the body's. Only colons that
    the body writes as escapes could make up for those, and with such the answer is False.
    """
    encoded = _encode(plain)
    if data == encoded:
        return True
    return data.count(b":") == encoded.count(b":") and not (b"\\u003" in data and _COLON.search(data))
