"""A function of CEL: what it does, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from kubewright.crd.cel.values import size_of

__all__ = ["Cost", "Function", "per_argument", "per_regex", "per_result"]

Cost: TypeAlias = Callable[[Sequence[object], object], int]
"""From the arguments and the result to what the call costs."""

TRAVERSAL: Final = 0.1
"""cel-go's StringTraversalCostFactor."""


class Function(NamedTuple):
    """An implementation, called with the arguments; a member function's target is the first of them."""

    call: Callable[..., object]
    cost: Cost | None = None
    """None: one. It is asked for before the call, so that what is too much is not done, with None for the
    result; unless `by_result`."""
    prepare: Callable[[object], Callable[..., object] | None] | None = None
    """Given a literal that is the second argument, a quicker implementation, or None. Raises CelError if the
    literal can never be right."""
    by_result: bool = False
    """Whether the cost can only be told once there is a result."""
    of_ints: Callable[[int, int], object] | None = None
    """What does the same for two ints, for the cost of one: most of what is compared are ints."""


def ceil_tenths(size: int, factor: int = 1) -> int:
    """The cost of reading a text of that size once, or `factor` times."""
    return -(-size * factor // 10)


def per_argument(factor: int = 1) -> Cost:
    """As long as it takes to read the first argument `factor` times."""
    return lambda args, _result: ceil_tenths(size_of(args[0]), factor)


def per_result(factor: int = 1) -> Cost:
    """As long as it takes to read the result `factor` times."""
    return lambda _args, result: ceil_tenths(size_of(result), factor)


def per_regex(args: Sequence[object], _result: object) -> int:
    """As long as a match takes: the text's length times the pattern's."""
    return ceil_tenths(1 + size_of(args[0])) * -(-size_of(args[1]) // 4)
