"""Where JSON is wrong, in the words of Go's encoding/json."""

from __future__ import annotations

import re
from typing import Final

from kubewright.machinery.field_errors import go_quote

__all__ = ["syntax_error"]

_BLANKS: Final = re.compile(rb"[ \t\r\n]*")
_TEXT: Final = re.compile(rb'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_DIGITS: Final = re.compile(rb"[0-9]*")
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")

_END: Final = "unexpected end of JSON input"
_LITERALS: Final = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
_AFTER: Final = {"{": "after object key:value pair", "[": "after array element", "": "after top-level value"}


class _Wrong(Exception):
    """Ends the scan with what is wrong."""


def syntax_error(data: bytes) -> str:
    """What Go says of a body that is no JSON; takes time in proportion to its length."""
    try:
        _scan(data)
    except _Wrong as wrong:
        return str(wrong)
    return "the body is no JSON"


def _scan(data: bytes) -> None:
    stack: list[str] = []
    pos, expected = 0, "value"
    while True:
        pos = _BLANKS.match(data, pos).end()  # type: ignore[union-attr]
        if pos == len(data):
            if stack or expected != "end":
                raise _Wrong(_END)
            return
        byte = data[pos]
        char = chr(byte)
        if expected == "end":
            pos, expected = pos + 1, _after_value(byte, stack)
        elif expected == "colon":
            if char != ":":
                raise _unexpected(byte, "after object key")
            pos, expected = pos + 1, "value"
        elif char == {"key or end": "}", "value or end": "]"}.get(expected):
            stack.pop()
            pos, expected = pos + 1, "end"
        elif expected.startswith("key"):
            if char != '"':
                raise _unexpected(byte, "looking for beginning of object key string")
            pos, expected = _string(data, pos + 1), "colon"
        elif char in "{[":
            stack.append(char)
            pos, expected = pos + 1, "key or end" if char == "{" else "value or end"
        else:
            pos, expected = _scalar(data, pos), "end"


def _after_value(byte: int, stack: list[str]) -> str:
    """What is expected after what follows a value: a comma, or the end of what is around it."""
    around = stack[-1] if stack else ""
    if around and byte == 0x2C:
        return "key" if around == "{" else "value"
    if not around or chr(byte) != ("}" if around == "{" else "]"):
        raise _unexpected(byte, _AFTER[around])
    stack.pop()
    return "end"


def _unexpected(byte: int, where: str) -> _Wrong:
    char = chr(byte)
    shown = {"'": "\\'", '"': '"'}.get(char) or go_quote(char)[1:-1]
    return _Wrong(f"invalid character '{shown}' {where}")


def _at(data: bytes, pos: int) -> int:
    """The byte there; past the end a blank, which is what Go lets its scanner see last."""
    return data[pos] if pos < len(data) else 0x20


def _scalar(data: bytes, pos: int) -> int:
    byte = data[pos]
    if byte == 0x22:
        return _string(data, pos + 1)
    if byte == 0x2D or 0x30 <= byte <= 0x39:
        return _number(data, pos)
    literal = _LITERALS.get(byte)
    if literal is None:
        raise _unexpected(byte, "looking for beginning of value")
    for offset in range(1, len(literal)):
        found = _at(data, pos + offset)
        if found != literal[offset]:
            raise _unexpected(found, f"in literal {literal.decode()} (expecting '{chr(literal[offset])}')")
    return pos + len(literal)


def _string(data: bytes, pos: int) -> int:
    pos = _TEXT.match(data, pos).end()  # type: ignore[union-attr]
    if pos == len(data):
        raise _Wrong(_END)
    byte = data[pos]
    if byte == 0x22:
        return pos + 1
    if byte != 0x5C:
        raise _unexpected(byte, "in string literal")
    if _at(data, pos + 1) != 0x75:
        raise _unexpected(_at(data, pos + 1), "in string escape code")
    pos += 2
    while _at(data, pos) in _HEX:
        pos += 1
    raise _unexpected(_at(data, pos), "in \\u hexadecimal character escape")


def _number(data: bytes, pos: int) -> int:
    if data[pos] == 0x2D:
        pos += 1
        if not 0x30 <= _at(data, pos) <= 0x39:
            raise _unexpected(_at(data, pos), "in numeric literal")
    pos = pos + 1 if data[pos] == 0x30 else _DIGITS.match(data, pos).end()  # type: ignore[union-attr]
    if _at(data, pos) == 0x2E:
        pos = _digits(data, pos + 1, "after decimal point in numeric literal")
    if _at(data, pos) in b"eE":
        pos += 1
        pos = _digits(data, pos + (_at(data, pos) in b"+-"), "in exponent of numeric literal")
    return pos


def _digits(data: bytes, pos: int, where: str) -> int:
    end: int = _DIGITS.match(data, pos).end()  # type: ignore[union-attr]
    if end == pos:
        raise _unexpected(_at(data, pos), where)
    return end
