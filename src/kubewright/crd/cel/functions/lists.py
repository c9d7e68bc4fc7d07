"""The functions of lists: Kubernetes' own, the lists extension in its version 3, and sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key
from itertools import pairwise
from operator import itemgetter
from typing import Final

from kubewright.crd.cel.functions.function import Function
from kubewright.crd.cel.functions.operators import COMPARABLE, add
from kubewright.crd.cel.values import (
    CelError,
    CostExceededError,
    Duration,
    ObjectValue,
    Uint,
    compare,
    contains,
    equal,
    no_such_overload,
    size_of,
)

__all__ = ["FUNCTIONS", "list_index_of", "list_last_index_of", "traversal"]

_LIST_CALL: Final = 11
"""What a call that makes a list costs besides its elements: one, and ten for the list."""

_MAX_RANGE: Final = 10_000_000
"""The largest cost that any expression may have, and so the longest list that one could pay for."""


def traversal(value: object) -> int:
    """What going through a value costs: Kubernetes' own cost of `sum`, `max`, `indexOf` and their kin."""
    if isinstance(value, str):
        return len(value.encode(errors="surrogatepass")) // 10
    if isinstance(value, bytes):
        return len(value) // 10
    if isinstance(value, list):
        return sum(map(traversal, value))
    if isinstance(value, dict):
        return sum(traversal(key) + traversal(member) for key, member in value.items())
    if isinstance(value, ObjectValue):
        return sum(traversal(key) + traversal(value.find(key)[1]) for key in value.names())
    return 1


def _traversed(args: Sequence[object], _result: object) -> int:
    return traversal(args[0])


def list_index_of(elements: Sequence[object], value: object) -> int:
    """The place of the first element that is equal to the value, or -1."""
    return next((at for at, element in enumerate(elements) if equal(element, value)), -1)


def list_last_index_of(elements: Sequence[object], value: object) -> int:
    """The place of the last element that is equal to the value, or -1."""
    return next((at for at in range(len(elements) - 1, -1, -1) if equal(elements[at], value)), -1)


def _list(function: str, value: object) -> list[object]:
    if isinstance(value, list):
        return value
    raise no_such_overload(function, value)


def _is_sorted(value: object) -> bool:
    elements = _comparable(_list("isSorted", value))
    return all(_compared(one, other) <= 0 for one, other in pairwise(elements))


def _comparable(elements: list[object]) -> list[object]:
    if any(type(element) not in COMPARABLE for element in elements):
        raise no_such_overload()
    return elements


def _compared(one: object, other: object) -> int:
    try:
        return compare(one, other)
    except CelError:
        # Upstream takes an error of comparison for an answer that is not "greater".
        return 0


def _sum(value: object) -> object:
    elements = _list("sum", value)
    if not elements:
        return 0
    kind = type(elements[0])
    total: object = {int: 0, Uint: Uint(0), float: 0.0, Duration: Duration(0)}.get(kind, 0)
    for element in elements:
        total = add(total, element)
    return total


def _extreme(function: str, *, sign: int) -> Callable[[object], object]:
    def choose(value: object) -> object:
        elements = _comparable(_list(function, value))
        if not elements:
            raise CelError(f"{function} called on empty list")
        best = elements[0]
        for element in elements[1:]:
            if _compared(element, best) * sign > 0:
                best = element
        return best

    return choose


def _slice(value: object, start: object, end: object) -> list[object]:
    elements = _list("slice", value)
    if type(start) is not int or type(end) is not int:
        raise no_such_overload("slice", value, start, end)
    if start < 0 or end < 0:
        raise CelError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise CelError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(elements) < end:
        raise CelError(f"cannot slice({start}, {end}), list is length {len(elements)}")
    return list(elements[start:end])


def _flatten(value: object, depth: object = 1) -> list[object]:
    elements = _list("flatten", value)
    if type(depth) is not int:
        raise no_such_overload("flatten", value, depth)
    if depth < 0:
        raise CelError("level must be non-negative")
    flat = list(elements)
    for _ in range(depth):
        if not any(isinstance(element, list) for element in flat):
            break
        flat = [
            member for element in flat for member in (element if isinstance(element, list) else (element,))
        ]
    return flat


def _range(count: object) -> list[object]:
    if type(count) is not int:
        raise no_such_overload("lists.range", count)
    if count > _MAX_RANGE:
        raise CostExceededError("operation cancelled: actual cost limit exceeded")
    return list(range(count))


def _reverse(value: object) -> list[object]:
    return _list("reverse", value)[::-1]


def _distinct(value: object) -> list[object]:
    elements = _list("distinct", value)
    if all(type(element) is str for element in elements):
        return list(dict.fromkeys(elements))
    unique: list[object] = []
    for element in elements:
        if not contains(unique, element):
            unique.append(element)
    return unique


def _sort(value: object) -> list[object]:
    elements = _list("sort", value)
    return _sorted_by(elements, elements)


def _sorted_by(value: object, by: object) -> list[object]:
    elements, keys = _list("sort", value), _list("sort", by)
    if len(elements) != len(keys):
        raise CelError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
            f"but got {len(elements)} and {len(keys)} elements respectively"
        )
    if not elements:
        return elements
    try:
        compare(keys[0], keys[0])
    except CelError:
        raise CelError("list elements must be comparable") from None
    if len({type(key) for key in keys}) > 1:
        raise CelError("list elements must have the same type")
    rank = cmp_to_key(_compared)
    return [element for _, element in sorted(zip(map(rank, keys), elements, strict=True), key=itemgetter(0))]


def _sets_contain(value: object, other: object) -> bool:
    elements, wanted = _list("sets.contains", value), _list("sets.contains", other)
    return all(contains(elements, element) for element in wanted)


def _sets_equivalent(value: object, other: object) -> bool:
    return _sets_contain(value, other) and _sets_contain(other, value)


def _sets_intersect(value: object, other: object) -> bool:
    elements, wanted = _list("sets.intersects", value), _list("sets.intersects", other)
    return any(contains(elements, element) for element in wanted)


def _by_result(_args: Sequence[object], result: object) -> int:
    return size_of(result) + _LIST_CALL


def _flatten_cost(args: Sequence[object], _result: object) -> int:
    depth = args[1] if len(args) == 2 else 1
    return size_of(args[0]) * (depth if isinstance(depth, int) else 1) + _LIST_CALL


def _self_compared(at: int) -> Callable[[Sequence[object], object], int]:
    def cost(args: Sequence[object], _result: object) -> int:
        elements = args[at]
        if not isinstance(elements, list) or not elements:
            return _LIST_CALL
        factor = 2.1 if isinstance(elements[0], str | bytes) else 2.0
        return int(len(elements) ** 2 * factor) + _LIST_CALL

    return cost


def _product(factor: int) -> Callable[[Sequence[object], object], int]:
    return lambda args, _result: size_of(args[0]) * size_of(args[1]) * factor + 1


FUNCTIONS: Final[Mapping[str, Function]] = {
    "isSorted": Function(_is_sorted, _traversed),
    "sum": Function(_sum, _traversed),
    "max": Function(_extreme("max", sign=1), _traversed),
    "min": Function(_extreme("min", sign=-1), _traversed),
    "slice": Function(_slice, _by_result, by_result=True),
    "flatten": Function(_flatten, _flatten_cost),
    "lists.range": Function(_range, _by_result, by_result=True),
    "reverse": Function(_reverse, _by_result, by_result=True),
    "distinct": Function(_distinct, _self_compared(0)),
    "sort": Function(_sort, _self_compared(0)),
    "@sortByAssociatedKeys": Function(_sorted_by, _self_compared(1)),
    "sets.contains": Function(_sets_contain, _product(1)),
    "sets.intersects": Function(_sets_intersect, _product(1)),
    "sets.equivalent": Function(_sets_equivalent, _product(2)),
}
