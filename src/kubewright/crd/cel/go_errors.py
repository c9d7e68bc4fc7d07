"""The errors of compilation in the words and with the marks of cel-go, which is what a real server answers.

The checker in use is another implementation of the same language: it finds the same errors at the same
places, but words some of them otherwise, and lists them in the order it finds them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kubewright.crd.cel.ast import Call, Checked, split_types, walk

__all__ = ["DESCRIPTOR_PACKAGE", "go_text", "located"]

DESCRIPTOR_PACKAGE: Final = "kubewright_schema"
"""The protobuf package that the objects of a schema are declared in."""

_STATUS: Final = re.compile(r"^[A-Z_]+: |(?: \[[A-Z_]+\])+$")
_ERROR: Final = re.compile(
    r"^ERROR: <input>:(\d+):(\d+): (.*?)(?=\n \| |\nERROR: |\Z)", re.DOTALL | re.MULTILINE
)
_DEPTH: Final = re.compile(r"recursion depth|recursion limit").search
_SIZE: Final = re.compile(r"expression size exceeds codepoint limit\. input size: (\d+), limit: (\d+)")

_WORDS: Final = (
    (re.compile(r"undefined field '([^']*)' not found in struct '[^']*'"), r"undefined field '\1'"),
    (
        re.compile(r"expression of type '([^']*)' cannot be the operand of a select operation"),
        r"type '\1' does not support field selection",
    ),
    (
        re.compile(r"type '((?:kubernetes|net)\.[^']*)' does not support field selection"),
        r"unexpected failed resolution of '\1'",
    ),
    (re.compile(r"cannot be the range of a comprehension"), "cannot be range of a comprehension"),
    (re.compile(r"^has\(\) argument must be a field selection"), "invalid argument to has() macro"),
    (
        re.compile(
            r"^(?:all|exists|exists_one|existsOne|map|filter)\(\) variable name must be a simple identifier"
        ),
        "argument must be a simple name",
    ),
    (
        re.compile(r"no viable alternative at input '\.(true|false|null)'"),
        r"mismatched input '\1' expecting IDENTIFIER",
    ),
    (re.compile(r"\bnull_type\b"), "null"),
    (re.compile(r"\bT%\d+"), "dyn"),
    (re.compile(r"google\.protobuf\.Timestamp"), "timestamp"),
    (re.compile(r"google\.protobuf\.Duration"), "duration"),
)
"""Where the checker's words are not cel-go's: what to look for, and what cel-go says."""

_OVERLOAD: Final = re.compile(r"found no matching overload for '([^']*)' applied to '\((.*)\)'").fullmatch
_UNDECLARED: Final = re.compile(r"undeclared reference to '([^']*)' \(in container ''\)").fullmatch
_NAME_BEFORE: Final = re.compile(r"\.\s*(\w+)\s*$")


class _Error(NamedTuple):
    position: int
    message: str


def go_text(error: str, source: str, parse: Callable[[str], Checked | None]) -> str:
    """What cel-go says where the checker said `error`; `parse` reads an expression without checking it."""
    text = _STATUS.sub("", error)
    if _DEPTH(text):
        return "ERROR: <input>:-1:0: expression recursion limit exceeded: 32"
    text = _SIZE.sub(
        r"ERROR: <input>:-1:0: expression code point size exceeds limit: size: \1, limit \2", text
    )
    starts = _line_starts(source)
    found: list[_Error] = []
    for match in _ERROR.finditer(text):
        line, column = int(match[1]), int(match[2])
        if not 1 <= line <= len(starts):
            return text
        found.extend(_reworded(_Error(starts[line - 1] + column - 1, match[3]), source, parse))
    if not found:
        return text
    found.sort(key=lambda entry: entry.position)
    return "\n".join(located(source, entry.position, entry.message) for entry in found)


def _line_starts(source: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", source))]


def located(source: str, position: int, message: str) -> str:
    """An error as cel-go shows it: with the line it is in, and a mark below its place."""
    start = source.rfind("\n", 0, position) + 1
    end = source.find("\n", position)
    line = source[start : len(source) if end < 0 else end].replace("\t", " ")
    column = position - start
    marks = "".join("." if char.isascii() else "．" for char in line[:column])  # noqa: RUF001 - cel-go's marks
    at = line[column : column + 1]
    mark = "＾" if at and not at.isascii() else "^"  # noqa: RUF001 - cel-go's mark below wide characters
    number = source.count("\n", 0, start) + 1
    return f"ERROR: <input>:{number}:{column + 1}: {message}\n | {line}\n | {marks}{mark}"


def _reworded(error: _Error, source: str, parse: Callable[[str], Checked | None]) -> Iterator[_Error]:
    if "*error*" in error.message:
        # What follows from an error that is told already.
        return
    message = error.message
    for pattern, words in _WORDS:
        message = pattern.sub(words, message)
    overload = _OVERLOAD(message)
    if overload:
        yield from _no_overload(error.position, message, overload[1], split_types(overload[2]), source, parse)
        return
    undeclared = _UNDECLARED(message)
    yield (
        _Error(error.position, message)
        if undeclared is None
        else _missing(error.position, undeclared[1], source)
    )


def _no_overload(
    position: int,
    message: str,
    function: str,
    types: list[str],
    source: str,
    parse: Callable[[str], Checked | None],
) -> Iterator[_Error]:
    if function in {"_&&_", "_||_"}:
        yield from _not_bools(position, function, types, source, parse)
        return
    before = _NAME_BEFORE.search(source, 0, position)
    is_member = function.startswith("@sortBy") or (before is not None and before[1] == function)
    if is_member:
        message = (
            f"found no matching overload for '{function}' applied to '{types[0]}.({', '.join(types[1:])})'"
        )
    yield _Error(position, message)


def _not_bools(
    position: int, function: str, types: list[str], source: str, parse: Callable[[str], Checked | None]
) -> Iterator[_Error]:
    """cel-go says of each side of `&&` and `||` that it is no bool."""
    parsed = parse(source)
    if parsed is None:
        return
    for expr in walk(parsed.expr):
        if isinstance(expr, Call) and expr.function == function:
            if parsed.positions.get(expr.id) != position:
                continue
            for arg, kind in zip(expr.args, types, strict=False):
                if kind not in {"bool", "dyn"}:
                    at = parsed.positions.get(arg.id, position)
                    yield _Error(at, f"expected type 'bool' but found '{kind}'")
            return


def _missing(position: int, name: str, source: str) -> _Error:
    """cel-go names the variable that is missing, not the whole chain of names that begins with it."""
    owner, dot, _ = name.rpartition(".")
    if dot and source[position - len(owner) : position] == owner:
        position, name = position - len(owner), owner.partition(".")[0]
    elif source.startswith(f"{name}{{", position):
        # Of a message it marks the brace.
        position += len(name)
    return _Error(position, f"undeclared reference to '{name}' (in container '')")
