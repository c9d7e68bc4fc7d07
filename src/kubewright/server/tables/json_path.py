"""JSONPath as client-go reads it: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`.

The printer columns and the selectable fields of custom resources are such paths. They are compiled once;
evaluating one looks at a bounded number of values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import reduce
from typing import Any, Final, NoReturn

from kubewright.machinery.errors import ParseError, quoted
from kubewright.server.tables.json_path_nodes import (
    Budget,
    Constant,
    Descent,
    EvaluationError,
    Field,
    Filter,
    Identifier,
    Literal,
    Slice,
    Step,
    Union,
    Wildcard,
    walk,
)

__all__ = ["EvaluationError", "JSONPath", "ParseError", "compile_json_path"]

_MAX_DEPTH: Final = 16
"""How deep filters may stand in filters. Upstream has no limit; its own syntax hardly lets them nest."""

_DICT_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)")
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")
_FLOAT: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_END_OF_NAME: Final = frozenset(" \t\r\n.,[]$@{}")
_MAX_INT64: Final = 2**63 - 1

_ESCAPES: Final = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
"""The bytes that Go's escapes of one letter stand for."""

_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}


class JSONPath:
    """A compiled path. Immutable; made by `compile_json_path`."""

    __slots__ = ("_names", "_sections", "text")

    def __init__(self, text: str, sections: Sequence[Sequence[Step]]) -> None:
        self.text: Final = text
        self._sections: Final = sections
        steps = sections[0]
        plain = len(sections) == 1 and all(isinstance(step, Field) for step in steps)
        # Nearly all paths are names only, and need no lists of values.
        self._names: Final = [step.name for step in steps if isinstance(step, Field)] if plain else None

    def find(self, data: object) -> Sequence[Any]:
        """The values that the path leads to, [] where there are none.

        Raises EvaluationError where the path does not fit the data: an index that is out of bounds, a filter
        on what is no list, a comparison of a text with a number.
        """
        if self._names is None:
            budget = Budget()
            found = [walk(steps, [data], budget) for steps in self._sections]
            return found[0]
        value = data
        for name in self._names:
            if not isinstance(value, dict) or name not in value:
                return []
            value = value[name]
        return [value]

    def __repr__(self) -> str:
        return f"JSONPath({self.text!r})"


def compile_json_path(text: str) -> JSONPath:
    """A path as CRDs have them, without the braces of kubectl's templates. Raises ParseError.

    Takes what upstream takes. A path that closes a brace and opens another is several paths there; they are
    all evaluated, and the first is the one that counts. `range` and `end`, which kubectl's templates have,
    are read but never evaluated.
    """
    try:
        return JSONPath(text, _Parser(f"{{{text}}}", 0).sections())
    except _SyntaxError as error:
        raise ParseError(f"JSONPath {quoted(text)}: {error}") from None


class _SyntaxError(Exception):
    pass


def _fail(told: str) -> NoReturn:
    raise _SyntaxError(told)


class _Parser:
    """Reads the text of a template; `position` is where the next character is read."""

    __slots__ = ("depth", "position", "text")

    def __init__(self, text: str, depth: int) -> None:
        if depth > _MAX_DEPTH:
            _fail("filters are nested too deeply")
        self.text: Final = text
        self.depth: Final = depth
        self.position = 0

    def sections(self) -> list[list[Step]]:
        """What stands in each pair of braces; what stands outside of them is text."""
        found: list[list[Step]] = []
        while self.position < len(self.text):
            brace = self.text.find("{", self.position)
            end = len(self.text) if brace < 0 else brace
            if end > self.position:
                found.append([Constant(self.text[self.position : end])])
            self.position = end + 1
            if brace >= 0:
                found.append(self._action())
        return found

    def _nested(self, text: str) -> list[Step]:
        return _Parser(f"{{{text}}}", self.depth + 1).sections()[0]

    def _next(self) -> str:
        """The next character; empty at the end."""
        char = self.text[self.position : self.position + 1]
        self.position += 1
        return char

    def _action(self) -> list[Step]:
        """The steps up to the closing brace."""
        steps: list[Step] = []
        while True:
            if self.text.startswith("[?(", self.position):
                steps.append(self._filter())
                continue
            if self.text.startswith("..", self.position):
                self._descent(steps)
                continue
            char = self._next()
            if char == "}":
                return steps
            if not char or char in "\r\n":
                _fail("unclosed action")
            if char == "[":
                steps += self._brackets()
            elif char == ".":
                steps.append(self._field())
            elif char not in " @$":
                self.position -= 1
                steps.append(self._constant(char))

    def _descent(self, steps: list[Step]) -> None:
        if steps and isinstance(steps[-1], Descent):
            _fail("invalid multiple recursive descent")
        self.position += 2
        steps.append(Descent())
        if _is_word(self.text[self.position : self.position + 1]):
            steps.append(self._field())

    def _field(self) -> Step:
        start = self.position
        while (char := self._next()) and char not in _END_OF_NAME:
            if char == "\\":
                self.position += 1
        self.position = min(self.position, len(self.text) + 1) - 1
        name = self.text[start : self.position]
        return Wildcard() if name == "*" else Field(name.replace("\\", ""))

    def _constant(self, char: str) -> Step:
        if char in "\"'":
            return Constant(self._quoted())
        start = self.position
        if char in "+-" or char.isdecimal():
            self.position += char in "+-"
            while (char := self._next()) == "." or char.isdecimal():
                pass
            self.position -= 1
            return Constant(_number(self.text[start : self.position]))
        if not _is_word(char):
            _fail(f"unrecognized character in action: U+{ord(char):04X} '{char}'")
        while (char := self._next()) and char not in _END_OF_NAME:
            pass
        self.position -= 1
        word = self.text[start : self.position]
        return Constant(word == "true") if word in {"true", "false"} else Identifier(word)

    def _quoted(self) -> str:
        start = self.position
        quote = self._next()
        while True:
            char = self._next()
            if not char or char == "\n":
                _fail("unterminated quoted string")
            if char == quote and self.text[self.position - 2] != "\\":
                return _unquoted(self.text[start : self.position])

    def _brackets(self) -> Sequence[Step]:
        end = self.text.find("]", self.position)
        inside = self.text[self.position : end] if end >= 0 else "\n"
        if "\n" in inside:
            _fail("unterminated array")
        self.position = end + 1
        if inside == "*":
            inside = ":"
        if "," in inside:
            return [Union([self._nested(f"[{choice.strip(' ')}]") for choice in inside.split(",")])]
        if match := _DICT_KEY.fullmatch(inside):
            return self._nested(f".{match[1]}")
        if match := _SLICE.fullmatch(inside):
            return [_slice(*match.groups(""))]
        return _fail(f"invalid array index {inside}")

    def _filter(self) -> Step:
        self.position += 3
        start = self.position
        quote, closed = "", False
        while (char := self._next()) != ")" or bool(quote) != closed:
            if not char or char == "\n":
                _fail("unterminated filter")
            if char in "\"'":
                if not quote:
                    quote = char
                elif char == quote and self.text[self.position - 2] != "\\":
                    closed = True
        if self._next() != "]":
            _fail("unclosed array expect ]")
        inside = self.text[start : self.position - 2]
        match = _COMPARISON.fullmatch(inside)
        if match is None:
            return Filter(self._nested(inside), (), "")
        return Filter(self._nested(match[1]), self._nested(match[3]), match[2])


def _is_word(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()


def _number(text: str) -> int | float:
    if _INTEGER.fullmatch(text) and -_MAX_INT64 - 1 <= int(text) <= _MAX_INT64:
        return Literal(text)
    number = float(text) if _FLOAT.fullmatch(text) else math.inf
    return _fail(f"cannot parse number {text}") if math.isinf(number) else number


def _slice(start: str, end: str, step: str) -> Slice:
    first, last, by = (_index(part.removeprefix(":")) for part in (start, end, step))
    return Slice(first, last if end else (first or 0) + 1, by, single=not end)


def _index(text: str) -> int | None:
    if not text:
        return None
    if not _INTEGER.fullmatch(text) or not -_MAX_INT64 - 1 <= int(text) <= _MAX_INT64:
        _fail(f"array index {text} is not a number")
    return int(text)


def _unquoted(text: str) -> str:
    """What stands in quotes, single or double, with Go's escapes."""
    quote, inside = text[0], text[1:-1]
    if "\\" not in inside:
        return inside
    found = bytearray()
    position = 0
    while position < len(inside):
        char = inside[position]
        position += 1
        if char == quote:
            _fail(f"unquote string {quoted(text)} error invalid syntax")
        if char == "\\":
            position = _unescaped(inside, position, quote, found)
        else:
            found += char.encode(errors="replace")
    return found.decode(errors="replace")


def _unescaped(text: str, position: int, quote: str, found: bytearray) -> int:
    """Adds what an escape stands for; where it ends."""
    letter = text[position : position + 1]
    if letter in _ESCAPES:
        found.append(_ESCAPES[letter])
        return position + 1
    if letter == quote:
        found += quote.encode()
        return position + 1
    octal = letter in set("01234567")
    digits, base = (3, 8) if octal else (_HEX_DIGITS.get(letter, 0), 16)
    start = position if octal else position + 1
    shown = text[start : start + digits]
    code = _digits(shown, base) if digits and len(shown) == digits else None
    if code is None or (octal and code > 255) or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        _fail(f"unquote string {quoted(text)} error invalid syntax")
    found += bytes([code]) if octal or letter == "x" else chr(code).encode()
    return start + digits


def _digits(text: str, base: int) -> int | None:
    values = ["0123456789abcdef".find(char) for char in text.lower()]
    if any(not 0 <= value < base for value in values):
        return None
    return reduce(lambda total, value: total * base + value, values, 0)
