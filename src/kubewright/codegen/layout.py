"""Breaking a long line of source text the way the formatters of the field do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["layout", "layout_ending", "layout_inside"]

_INDENT: Final = "    "
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class _Bracket(NamedTuple):
    """A bracketed part of a line: the text is `before`, `inside` in brackets, `after`."""

    before: str
    inside: str
    after: str


def layout(line: str, *, width: int, indent: str = "", trailing: int = 0) -> Iterator[str]:
    """The lines of one statement: itself when it fits, else broken at its last brackets that hold anything.

    What is inside stands on one line if that fits, else its parts stand below each other, each laid out the
    same way and with a comma; one part alone gets none. `trailing` is how much follows on the last
    line.
    """
    bracket = _last_bracket(line, width - len(indent))
    if len(indent) + len(line) + trailing <= width or bracket is None:
        yield f"{indent}{line}"
        return
    inner = indent + _INDENT
    parts = _split(bracket.inside)
    yield f"{indent}{bracket.before}"
    fits = len(inner) + len(bracket.inside) <= width
    if fits and (len(parts) == 1 or not (_is_import(line) or _is_display(bracket.before))):
        yield f"{inner}{bracket.inside}"
    else:
        lonely = len(parts) == 1 and not bracket.inside.endswith(",")
        for part in parts:
            *first, last = layout_inside(part, width=width, indent=inner, trailing=0 if lonely else 1)
            yield from first
            yield last if lonely else f"{last},"
    yield from layout_ending(bracket.after, width=width, indent=indent, trailing=trailing)


def layout_ending(text: str, *, width: int, indent: str, trailing: int = 0) -> Iterator[str]:
    """The lines of what begins with the bracket that ends lines before it."""
    # A letter in place of the bracket, which would be taken for the end of one that was never open.
    lines = layout(f"_{text[1:]}", width=width, indent=indent, trailing=trailing)
    yield f"{indent}{text[0]}{next(lines)[len(indent) + 1 :]}"
    yield from lines


def layout_inside(text: str, *, width: int, indent: str, trailing: int = 0) -> Iterator[str]:
    """The lines of an expression in brackets, where a union that is too long has a line for each type."""
    types = _split(text, " | ")
    if len(indent) + len(text) + trailing <= width or len(types) == 1:
        yield from layout(text, width=width, indent=indent, trailing=trailing)
        return
    for index, each in enumerate(types):
        ends = trailing if index == len(types) - 1 else 0
        yield from layout(f"| {each}" if index else each, width=width, indent=indent, trailing=ends)


def _is_display(before: str) -> bool:
    """Whether a bracket begins a list, tuple or dict, and not the arguments of a call or subscript."""
    return not (before[-2:-1].isalnum() or before[-2:-1] in ("_", ")", "]"))


def _is_import(line: str) -> bool:
    """Imports are sorted one a line once they do not fit, which isort's profile wants."""
    return line.startswith("from ") and " import " in line


def _last_bracket(line: str, width: int) -> _Bracket | None:
    """The last outermost brackets that hold anything and whose beginning still fits on the line."""
    found = None
    depth = 0
    start = 0
    for position, character in _code(line):
        if character in _CLOSING:
            if depth == 0:
                start = position
            depth += 1
        elif character in _CLOSING.values():
            depth -= 1
            if depth == 0 and position > start + 1 and (found is None or start < width):
                found = _Bracket(line[: start + 1], line[start + 1 : position], line[position:])
    return found


def _split(text: str, separator: str = ",") -> list[str]:
    """The parts between outermost commas, or other separators."""
    parts, depth, start = [], 0, 0
    for position, character in _code(text):
        if character in _CLOSING:
            depth += 1
        elif character in _CLOSING.values():
            depth -= 1
        elif depth == 0 and text.startswith(separator, position):
            parts.append(text[start:position].strip())
            start = position + len(separator)
    last = text[start:].strip()
    return [*parts, last] if last else parts


def _code(text: str) -> Iterator[tuple[int, str]]:
    """The characters outside of string literals, with their positions."""
    quote = ""
    escaped = False
    for position, character in enumerate(text):
        if quote:
            if character == quote and not escaped:
                quote = ""
            escaped = character == "\\" and not escaped
        elif character in "\"'":
            quote = character
        else:
            yield position, character
