"""The steps of a JSONPath, and what they find in JSON: those of client-go's util/jsonpath, its oddities too.

A step takes the values that were found so far and gives those that it finds in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from kubewright.machinery.errors import KubewrightError

__all__ = [
    "MAX_VALUES",
    "Budget",
    "Byte",
    "Constant",
    "Descent",
    "EvaluationError",
    "Field",
    "Filter",
    "Identifier",
    "Literal",
    "Slice",
    "Step",
    "Union",
    "Wildcard",
    "go_kind",
    "walk",
]

MAX_VALUES: Final = 100_000
"""How many values one evaluation may look at, so that `..*..*..*` ends; a large object has some thousand."""

_MAX_INT64: Final = 2**63 - 1


class EvaluationError(KubewrightError, ValueError):
    """A path that does not fit the object: an index out of bounds, a comparison of unlike things."""

    def __init__(self, message: str, found: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.found: Final = found
        """What the step had when it failed; upstream's test for existence goes by it."""


class Byte(int):
    """A byte of a text: what upstream finds when it looks for the parts of one."""

    __slots__ = ()


class Literal(int):
    """A whole number that a path says; upstream does not take it for one that JSON has."""

    __slots__ = ()


class Budget:
    """How many values may still be looked at."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_VALUES

    def spend(self, count: int) -> None:
        """Raises EvaluationError when nothing is left."""
        self.left -= count
        if self.left < 0:
            raise EvaluationError(f"the JSONPath finds more than {MAX_VALUES} values")


class Step(Protocol):
    """One step of a path."""

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        """What the step finds in values. Raises EvaluationError."""


def walk(steps: Sequence[Step], values: Sequence[Any], budget: Budget) -> Sequence[Any]:
    """What all steps find, one after the other."""
    for step in steps:
        values = step.find(values, budget)
        budget.spend(len(values) + 1)
    return values


class Constant(msgspec.Struct, frozen=True):
    """A text, a number or a truth value that the path itself says."""

    value: str | int | float | bool

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        return [self.value] * (1 if isinstance(self.value, str) else len(values))


class Field(msgspec.Struct, frozen=True):
    """`.name`"""

    name: str

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        name = self.name
        return [value[name] for value in values if isinstance(value, dict) and name in value]


class Wildcard(msgspec.Struct, frozen=True):
    """`.*`: all members of objects, in the order of their names, all elements of lists."""

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        found: list[Any] = []
        for value in values:
            parts = _parts(value)
            budget.spend(len(parts))
            found += parts
        return found


class Descent(msgspec.Struct, frozen=True):
    """`..`: everything that has parts, from the outside to the inside."""

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        found: list[Any] = []
        stack: list[Iterator[Any]] = [iter(values)]
        while stack:
            value = next(stack[-1], _END)
            if value is _END:
                stack.pop()
                continue
            parts = _parts(value)
            if parts:
                budget.spend(len(parts) + 1)
                found.append(value)
                if not isinstance(value, str):
                    stack.append(iter(parts))
        return found


_END: Final = object()


def _parts(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return [value[name] for name in sorted(value)]
    if isinstance(value, list):
        return value
    return [Byte(byte) for byte in value.encode()] if isinstance(value, str) else ()


class Slice(msgspec.Struct, frozen=True):
    """`[0]`, `[-1]`, `[1:3]`, `[::2]`, `[*]`"""

    start: int | None
    end: int | None
    step: int | None
    single: bool
    """Whether the end was not said, but follows from the start."""

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        found: list[Any] = []
        for value in values:
            if value is None:
                continue
            if not isinstance(value, list):
                raise EvaluationError(f"{_told(value)} is not array or slice", values)
            start, end = self._bounds(len(value))
            if start == end:
                # Upstream ends here, and leaves out what the other values have.
                return found
            self._check(start, end, len(value), values)
            elements = value[start : end : self.step or 1]
            budget.spend(len(elements))
            found += elements
        return found

    def _bounds(self, length: int) -> tuple[int, int]:
        start, end = self.start or 0, length if self.end is None else self.end
        if start < 0:
            start += length
        if end < 0 or (end == 0 and self.single):
            end += length
        return start, end

    def _check(self, start: int, end: int, length: int, values: Sequence[Any]) -> None:
        if not 0 <= start < length:
            told = f"array index out of bounds: index {start}, length {length}"
        elif not 0 <= end <= length:
            told = f"array index out of bounds: index {end - 1}, length {length}"
        elif start > end:
            told = f"starting index {start} is greater than ending index {end}"
        elif self.step is not None and self.step <= 0:
            told = "step must be > 0"
        else:
            return
        raise EvaluationError(told, values)


class Union(msgspec.Struct, frozen=True):
    """`['a','b']`, `[0,2]`"""

    choices: Sequence[Sequence[Step]]

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        found: list[Any] = []
        for choice in self.choices:
            try:
                found += walk(choice, values, budget)
            except EvaluationError as error:
                raise EvaluationError(str(error), values) from None
        return found


class Identifier(msgspec.Struct, frozen=True):
    """A bare word. kubectl's templates have `range` and `end`; in a single path they mean nothing."""

    name: str

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        raise EvaluationError(f"unrecognized identifier {self.name}", values)


class Filter(msgspec.Struct, frozen=True):
    """`[?(@.type=="Ready")]`, `[?(@.type)]`"""

    left: Sequence[Step]
    right: Sequence[Step]
    operator: str
    """Empty for a test whether `left` is there at all."""

    def find(self, values: Sequence[Any], budget: Budget) -> Sequence[Any]:
        found: list[Any] = []
        for value in values:
            if not isinstance(value, list):
                raise EvaluationError(f"{_told(value)} is not array or slice and cannot be filtered", values)
            found += [element for element in value if self._passes(element, values, budget)]
        return found

    def _passes(self, element: Any, values: Sequence[Any], budget: Budget) -> bool:
        budget.spend(1)
        try:
            lefts = walk(self.left, [element], budget)
        except EvaluationError as error:
            if budget.left < 0:
                raise
            if not self.operator:
                return bool(error.found)
            raise EvaluationError(str(error), values) from None
        if not self.operator:
            return bool(lefts)
        if not lefts:
            return False
        if len(lefts) > 1:
            raise EvaluationError("can only compare one element at a time", values)
        rights = walk(self.right, [element], budget)
        if not rights:
            return False
        if len(rights) > 1:
            raise EvaluationError("can only compare one element at a time", values)
        return _compare(lefts[0], self.operator, rights[0])


_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}


def go_kind(value: Any) -> str:
    """Which of Go's kinds a JSON value has: bool, int, uint, float or string; empty for all others."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, Byte):
        return "uint"
    if isinstance(value, int):
        return "int" if -_MAX_INT64 - 1 <= value <= _MAX_INT64 else "float"
    if isinstance(value, float):
        return "float"
    return "string" if isinstance(value, str) else ""


def _compare(left: Any, operator: str, right: Any) -> bool:
    """Compares as Go's templates do: only what is of one kind, and truth values for equality only."""
    compare = _COMPARISONS.get(operator)
    if compare is None:
        raise EvaluationError(f"unrecognized filter operator {operator}")
    kinds = {go_kind(left), go_kind(right)}
    if "" in kinds or (kinds == {"bool"} and operator not in {"==", "!="}):
        raise EvaluationError("invalid type for comparison")
    if len(kinds) > 1 and kinds != {"int", "uint"}:
        raise EvaluationError("incompatible types for comparison")
    return compare(left, right)


def _told(value: Any) -> str:
    return "null" if value is None else {dict: "an object"}.get(type(value), "a scalar")
