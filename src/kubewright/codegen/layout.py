"""Breaking a long line of source text the way the formatters of the field do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["layout"]

_INDENT: Final = "    "
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class _Bracket(NamedTuple):
    """A bracketed part of a line: the text is `before`, `inside` in brackets, `after`."""

    before: str
    inside: str
    after: str


def layout(line: str, *, width: int, indent: str = "") -> Iterator[str]:
    """The lines of one statement: itself when it fits, else broken at its last brackets that hold anything.

    What is inside stands on one line if that fits, else its parts stand below each other, each laid out the
    same way and with a comma; a subscript of one part gets none.
    """
    bracket = _last_bracket(line, width - len(indent))
    if len(indent) + len(line) <= width or bracket is None:
        yield f"{indent}{line}"
        return
    inner = indent + _INDENT
    parts = _split(bracket.inside)
    yield f"{indent}{bracket.before}"
    if len(inner) + len(bracket.inside) <= width and not _is_import(line):
        yield f"{inner}{bracket.inside}"
    else:
        lonely = len(parts) == 1 and bracket.before.endswith("[")
        for part in parts:
            *first, last = layout(part, width=width - (0 if lonely else 1), indent=inner)
            yield from first
            yield last if lonely else f"{last},"
    yield f"{indent}{bracket.after}"


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


def _split(text: str) -> list[str]:
    """The parts between outermost commas."""
    parts, depth, start = [], 0, 0
    for position, character in _code(text):
        if character in _CLOSING:
            depth += 1
        elif character in _CLOSING.values():
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
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
