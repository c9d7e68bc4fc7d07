"""The numbers that cost estimation reckons with: ranges of sizes and costs that stay within 64 bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from kubewright.crd.cel.ast import Expr, Type

__all__ = ["FREE", "ONE", "UNKNOWN", "CallEstimate", "Node", "Range"]

_MAX: Final = 2**64 - 1


class Range(NamedTuple):
    """The least and the most that a size or a cost can be."""

    least: int
    most: int

    def plus(self, other: Range) -> Range:
        """The sum."""
        return Range(min(self.least + other.least, _MAX), min(self.most + other.most, _MAX))

    def times(self, other: Range) -> Range:
        """The product."""
        return Range(min(self.least * other.least, _MAX), min(self.most * other.most, _MAX))

    def scaled(self, factor: float) -> Range:
        """The product with a factor, rounded up."""
        return Range(_scaled(self.least, factor), _scaled(self.most, factor))

    def union(self, other: Range) -> Range:
        """The range that has both."""
        return Range(min(self.least, other.least), max(self.most, other.most))


def _scaled(value: int, factor: float) -> int:
    product = float(value) * factor
    return _MAX if product >= 2.0**64 else math.ceil(product)


FREE: Final = Range(0, 0)
ONE: Final = Range(1, 1)
UNKNOWN: Final = Range(0, _MAX)


class CallEstimate(NamedTuple):
    """What a call costs, and the size of its result if that can be told."""

    cost: Range
    size: Range | None = None


class Node(NamedTuple):
    """An argument: where it stands below `self`, its type, and its size if that can be told."""

    path: tuple[str, ...]
    type: Type
    expr: Expr | None
    computed: Range | None
    size_at: Callable[[tuple[str, ...]], Range | None]

    def size(self) -> Range:
        """The size, or any."""
        return self.computed or self.size_at(self.path) or UNKNOWN

    def element(self) -> Node | None:
        """What the list or map holds; None for what is neither."""
        if not self.type.params:
            return None
        path = (*self.path, "@items") if self.path else ()
        return Node(path, self.type.params[0], None, None, self.size_at)
