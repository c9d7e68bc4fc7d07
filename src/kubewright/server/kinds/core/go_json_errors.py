"""What Go's JSON decoder says of texts within objects that should be JSON."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from kubewright.machinery.depth import decode_json

__all__ = ["go_object_error", "go_syntax_error"]

_MAX_DEPTH: Final = 10000
"""Go's decoder gives up on values that are nested deeper."""

_END: Final = "unexpected end of JSON input"
_SPACE: Final = b" \t\r\n"
_SPACES: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb"""(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+""")
_DIGITS: Final = re.compile(rb"[0-9]*")
_ESCAPES: Final = b'bfnrt\\/"'
_HEX: Final = b"0123456789abcdefABCDEF"


def go_object_error(text: bytes) -> str:
    """The error of decoding a text into a map, in Go's words; "" if it is an object or null."""
    try:
        value = decode_json(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    else:
        if isinstance(value, dict):
            return ""
    return go_syntax_error(text) or _type_error(text.lstrip(_SPACE)[:1])


def go_syntax_error(text: bytes) -> str:
    """Why a text is no JSON, in Go's words; "" if it is."""
    try:
        _Scanner(text).document()
    except _SyntaxError as error:
        return str(error)
    return ""


def _type_error(first: bytes) -> str:
    if first in {b"{", b"n"}:
        return ""
    kind = {b'"': "string", b"[": "array", b"t": "bool", b"f": "bool"}.get(first, "number")
    return f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"


class _SyntaxError(Exception):
    pass


class _Scanner:
    """Reads a text as Go's scanner does, to find the place where it gives up."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._at = 0

    def document(self) -> None:
        """Read one value and nothing else. Containers are on a list, not on the stack."""
        open_containers: list[bytes] = []
        while True:
            opened = self._value_start(open_containers)
            if opened:
                continue
            while open_containers:
                if not self._after_element(open_containers):
                    break
            else:
                self._skip_space()
                if self._at < len(self._text):
                    raise self._wrong("after top-level value")
                return

    def _value_start(self, containers: list[bytes]) -> bool:
        """Read a scalar, or the start of a container up to its first value; whether one was opened."""
        char = self._next_char()
        if char in b"{[":
            containers.append(char)
            if len(containers) > _MAX_DEPTH:
                raise _SyntaxError("exceeded max depth")
            self._at += 1
            return self._container_start(containers, char)
        if char == b'"':
            self._at += 1
            self._string()
        elif char in b"-0123456789":
            self._number()
        elif char in b"tfn":
            self._literal({b"t": b"true", b"f": b"false", b"n": b"null"}[char])
        else:
            raise self._wrong("looking for beginning of value")
        return False

    def _container_start(self, containers: list[bytes], char: bytes) -> bool:
        if char == b"{":
            follows = self._next_char()
            if follows == b"}":
                self._at += 1
                containers.pop()
                return False
            self._key()
            return True
        if self._next_char() == b"]":
            self._at += 1
            containers.pop()
            return False
        return True

    def _after_element(self, containers: list[bytes]) -> bool:
        """Read what stands behind an element: whether its container ended there."""
        is_object = containers[-1] == b"{"
        place = "after object key:value pair" if is_object else "after array element"
        char = self._next_char()
        if char == b",":
            self._at += 1
            if is_object:
                self._next_char()
                self._key()
            return False
        if char != (b"}" if is_object else b"]"):
            raise self._wrong(place)
        self._at += 1
        containers.pop()
        return True

    def _key(self) -> None:
        if self._peek() != b'"':
            raise self._wrong("looking for beginning of object key string")
        self._at += 1
        self._string()
        if self._next_char() != b":":
            raise self._wrong("after object key")
        self._at += 1

    def _string(self) -> None:
        while True:
            found = _STRING.match(self._text, self._at)
            self._at = found.end() if found else self._at
            char = self._need()
            if char == b'"':
                self._at += 1
                return
            if char != b"\\":
                raise self._wrong("in string literal")
            self._at += 1
            self._escape()

    def _escape(self) -> None:
        char = self._peek_or_space()
        if char == b"u":
            for _ in range(4):
                self._at += 1
                if self._peek_or_space() not in _HEX:
                    raise self._wrong("in \\u hexadecimal character escape")
        elif char not in _ESCAPES:
            raise self._wrong("in string escape code")
        self._at += 1

    def _number(self) -> None:
        if self._peek() == b"-":
            self._at += 1
            if self._peek_or_space() not in b"0123456789":
                raise self._wrong("in numeric literal")
        if self._peek() == b"0":
            self._at += 1
        else:
            self._digits()
        if self._peek() == b".":
            self._at += 1
            if self._peek_or_space() not in b"0123456789":
                raise self._wrong("after decimal point in numeric literal")
            self._digits()
        if self._peek() in {b"e", b"E"}:
            self._at += 1
            if self._peek_or_space() in b"+-":
                self._at += 1
            if self._peek_or_space() not in b"0123456789":
                raise self._wrong("in exponent of numeric literal")
            self._digits()

    def _digits(self) -> None:
        found = _DIGITS.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _literal(self, word: bytes) -> None:
        for index in range(1, len(word)):
            self._at += 1
            if self._peek_or_space() != word[index : index + 1]:
                expected = word[index : index + 1].decode()
                raise self._wrong(f"in literal {word.decode()} (expecting '{expected}')")
        self._at += 1

    def _skip_space(self) -> None:
        found = _SPACES.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _next_char(self) -> bytes:
        self._skip_space()
        return self._need()

    def _need(self) -> bytes:
        char = self._peek()
        if not char:
            raise _SyntaxError(_END)
        return char

    def _peek(self) -> bytes:
        return self._text[self._at : self._at + 1]

    def _peek_or_space(self) -> bytes:
        # Go's scanner is told the end of a text by a space.
        return self._peek() or b" "

    def _wrong(self, place: str) -> _SyntaxError:
        return _SyntaxError(f"invalid character {_quoted(self._peek_or_space()[0])} {place}")


def _quoted(code: int) -> str:
    if code == ord("'"):
        return "'\\''"
    if code == ord('"'):
        return "'\"'"
    named = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 92: "\\\\"}
    if code in named:
        return f"'{named[code]}'"
    char = chr(code)
    if char.isprintable():
        return f"'{char}'"
    return f"'\\x{code:02x}'" if code < 0x80 else f"'\\u{code:04x}'"
