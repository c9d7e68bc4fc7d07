"""What is known while a body is read: where the reader is, and what it has found wrong so far."""

from __future__ import annotations

from typing import Final, Literal

from kubewright.machinery.field_errors import go_quote
from kubewright.server.wire.go_json import Number, Pairs, Tree

__all__ = ["Fatal", "Reading", "go_number_text"]

_MAX_PROBLEMS: Final = 100
"""Upstream tells no more."""


class Fatal(Exception):
    """Ends the reading at once; the first argument is Go's text."""


class Reading:
    """One reading of one body.

    An error of a type is kept and the reading goes on, because a later one may be fatal and then counts
    instead: that is Go's order. `struct` and `names` are the struct and the fields that Go names in errors,
    `path` the same for problems, with keys of maps and places in lists.
    """

    __slots__ = ("_seen", "_struct", "first_error", "names", "path", "strict", "struct")

    def __init__(self, *, strict: bool, within: Reading | None = None) -> None:
        """`within` is the reading around this one, where a type reads a part of the body on its own: Go then
        names the outer struct and the whole path."""
        self.strict: Final = strict
        self.struct = ""
        self.names: Final[list[str]] = [] if within is None else list(within.names)
        self._struct: Final[str] = "" if within is None else within._struct or within.struct
        self.path: list[str] = []
        self.first_error = ""
        self._seen: Final[dict[str, None]] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """Unknown and duplicate fields, each once, in the order of the body."""
        return tuple(self._seen)

    def problem(self, what: Literal["unknown", "duplicate"], key: str) -> None:
        """Note a field that is unknown or comes twice."""
        if self.strict and len(self._seen) < _MAX_PROBLEMS:
            path = "".join(self.path)
            self._seen[f"{what} field {go_quote(f'{path}.{key}'.removeprefix('.'))}"] = None

    def error(self, text: str) -> None:
        """Note an error; only the first counts."""
        if not self.first_error:
            self.first_error = text

    def type_error(self, tree: Tree, type_name: str, *, number: bool = False) -> None:
        """Note that JSON does not fit a type; `number` where the type would take other numbers."""
        if not self.first_error:
            self.first_error = self.type_error_text(tree, type_name, number=number)

    def type_error_text(self, tree: Tree, type_name: str, *, number: bool = False) -> str:
        """Go's sentence for JSON that does not fit a type, at this place."""
        what = _kind(tree)
        if number and what == "number":
            what = f"number {go_number_text(tree)}"
        if not self.names:
            return f"json: cannot unmarshal {what} into Go value of type {type_name}"
        field = f"{self._struct or self.struct}.{'.'.join(self.names)}"
        return f"json: cannot unmarshal {what} into Go struct field {field} of type {type_name}"


def _kind(tree: Tree) -> str:
    """What Go calls a JSON value in errors."""
    if isinstance(tree, bool):
        return "bool"
    if isinstance(tree, Number | int | float):
        return "number"
    if isinstance(tree, str):
        return "string"
    return "object" if isinstance(tree, Pairs | dict) else "array"


def go_number_text(tree: Tree) -> str:
    """A number's digits: as written, or as Go's JSON writes it."""
    if isinstance(tree, float) and abs(tree) < 1e21 and tree == int(tree):
        return str(int(tree))
    return str(tree)
