"""What calls cost at most: of cel-go's standard functions, of its extensions, and of Kubernetes' own.

The numbers are those of cel-go's checker/cost.go and ext/lists.go, and of upstream's pkg/cel/library/cost.go.
They decide which rules a CustomResourceDefinition may have: a difference is a rule that only one of both
takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kubewright.crd.cel.ast import Const
from kubewright.crd.cel.estimates import ONE, UNKNOWN, CallEstimate, Node, Range

__all__ = ["call_cost"]

_TRAVERSAL: Final = 0.1
_REGEX: Final = 0.25
_LIST_CALL: Final = Range(11, 11)
_FORMAT_REGEX_SIZE: Final = 128
"""Upstream's MaxNameFormatRegexSize."""


def call_cost(function: str, overload: str, nodes: Sequence[Node], *, is_member: bool) -> CallEstimate:
    """The cost of a call without that of its arguments; a member function's target is the first node."""
    estimate = _ESTIMATES.get(function)
    if estimate is not None:
        found = estimate(overload, nodes, is_member)
        if found is not None:
            return found
    return CallEstimate(ONE)


_Estimate = Callable[[str, Sequence[Node], bool], CallEstimate | None]


def _traversed(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    target = nodes[0]
    element = target.element()
    if element is None:
        return CallEstimate(target.size().scaled(_TRAVERSAL))
    cost = ONE
    if element.type.name in {"string", "bytes"}:
        cost = cost.plus(element.size().scaled(_TRAVERSAL))
    return CallEstimate(target.size().times(cost))


def _read(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    size = nodes[0].size()
    return CallEstimate(size.scaled(_TRAVERSAL), size)


def _parsed(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return CallEstimate(nodes[0].size().scaled(_TRAVERSAL))


def _parsed_twice(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return CallEstimate(nodes[0].size().scaled(2 * _TRAVERSAL))


def _ip(overload: str, nodes: Sequence[Node], is_member: bool) -> CallEstimate | None:
    return CallEstimate(ONE) if is_member else _parsed(overload, nodes, is_member)


def _replace(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    size, old, new = (node.size() for node in nodes[:3])
    most, kept_most = 0, 0
    if old.least == 0:
        most, kept_most = min(size.most + 1, UNKNOWN.most), size.most
    elif new.most <= old.least:
        kept_most = size.most
    else:
        most = math.ceil(size.most / old.least)
    least, kept_least = 0, 0
    if old.most == 0:
        least, kept_least = min(size.least + 1, UNKNOWN.most), size.least
    elif old.most <= new.least:
        kept_least = size.least
    else:
        least = math.ceil(size.least / old.most)
    result = Range(least, most).times(new).plus(Range(kept_least, kept_most))
    return CallEstimate(size.scaled(2 * _TRAVERSAL), result)


def _split(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    size = nodes[0].size()
    most = size.most
    if len(nodes) > 2 and isinstance(nodes[2].expr, Const) and isinstance(nodes[2].expr.value, int):
        most = nodes[2].expr.value % 2**64
    return CallEstimate(size.scaled(2 * _TRAVERSAL), Range(0, most))


def _join(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    count = nodes[0].size()
    element = nodes[0].element()
    size = count.times(element.size()) if element is not None else Range(0, 0)
    if len(nodes) > 1:
        between = Range(max(count.least - 1, 0), max(count.most - 1, 0))
        size = size.plus(nodes[1].size().times(between))
    return CallEstimate(size.scaled(_TRAVERSAL), size)


def _matched(nodes: Sequence[Node]) -> Range:
    text = nodes[0].size().plus(ONE).scaled(_TRAVERSAL)
    return text.times(nodes[1].size().scaled(_REGEX))


def _find(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return CallEstimate(_matched(nodes), Range(0, nodes[0].size().most))


def _matches(_overload: str, nodes: Sequence[Node], is_member: bool) -> CallEstimate | None:
    return CallEstimate(_matched(nodes)) if is_member else None


def _contains(_overload: str, nodes: Sequence[Node], is_member: bool) -> CallEstimate | None:
    if not is_member:
        return None
    return CallEstimate(nodes[0].size().scaled(_TRAVERSAL).times(nodes[1].size().scaled(_TRAVERSAL)))


def _prefixed(_overload: str, nodes: Sequence[Node], is_member: bool) -> CallEstimate | None:
    return CallEstimate(nodes[1].size().scaled(_TRAVERSAL)) if is_member else None


_ADDRESS: Final = Range(4, 16)
"""How many bytes an address has."""


def _contains_ip(overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    cost = _ADDRESS.plus(_ADDRESS).scaled(_TRAVERSAL)
    return CallEstimate(cost.plus(_text_argument(overload, nodes)))


def _contains_cidr(overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    cost = _ADDRESS.plus(_ADDRESS).scaled(_TRAVERSAL).plus(_ADDRESS.scaled(_TRAVERSAL)).plus(ONE)
    return CallEstimate(cost.plus(_text_argument(overload, nodes)))


def _text_argument(overload: str, nodes: Sequence[Node]) -> Range:
    return nodes[1].size().scaled(_TRAVERSAL) if "(string)" in overload else Range(0, 0)


def _validate(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return CallEstimate(nodes[1].size().scaled(_TRAVERSAL).scaled(_FORMAT_REGEX_SIZE * _REGEX))


def _constant(_overload: str, _nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return CallEstimate(ONE)


def _equals(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    one, other = nodes
    if one.type == other.type:
        if one.type.name in {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"}:
            return CallEstimate(ONE)
        if one.type.name == "kubernetes.NamedFormat":
            return CallEstimate(Range(1, 64).scaled(_TRAVERSAL))
        if one.type.name == "kubernetes.URL":
            size = other.computed or ONE
            return CallEstimate(Range(1, size.most).scaled(_TRAVERSAL))
    return _compared(nodes)


def _not_equals(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return _compared(nodes)


def _compared(nodes: Sequence[Node]) -> CallEstimate:
    most = min((node.computed or UNKNOWN).most for node in nodes)
    return CallEstimate(Range(1 if most else 0, most).scaled(_TRAVERSAL))


def _ordered(overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    texts = "(string, string)" in overload or "(bytes, bytes)" in overload
    return _compared(nodes) if texts else None


def _in(overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return CallEstimate((nodes[1].computed or UNKNOWN).scaled(1)) if overload == "in_list" else None


def _add(overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    size = (nodes[0].computed or UNKNOWN).plus(nodes[1].computed or UNKNOWN)
    if overload == "add_list":
        return CallEstimate(ONE, size)
    if overload in {"add_string", "add_bytes"}:
        return CallEstimate(size.scaled(_TRAVERSAL), size)
    return None


def _to_bytes(overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    if overload != "string_to_bytes":
        return None
    size = nodes[0].computed or UNKNOWN
    return CallEstimate(size.scaled(_TRAVERSAL), Range(size.least, min(size.most * 4, UNKNOWN.most)))


def _to_string(overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    if "(bytes)" not in overload:
        return None
    size = nodes[0].computed or UNKNOWN
    return CallEstimate(size.scaled(_TRAVERSAL), Range(size.least // 4, size.most))


def _quote(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    size = nodes[0].computed or UNKNOWN
    result = Range(min(size.least + 2, UNKNOWN.most), min(size.most * 2 + 2, UNKNOWN.most))
    return CallEstimate(size.scaled(_TRAVERSAL), result)


def _format(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return CallEstimate((nodes[0].computed or UNKNOWN).scaled(_TRAVERSAL))


def _integer(node: Node, default: int) -> int:
    value = node.expr.value if isinstance(node.expr, Const) else None
    return max(value, 0) if type(value) is int else default


def _made(factor: float, size: Range) -> CallEstimate:
    return CallEstimate(size.scaled(factor).plus(_LIST_CALL), size)


def _slice(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    size = nodes[0].size()
    count = (_integer(nodes[2], size.most) - _integer(nodes[1], 0)) % 2**64
    return _made(1, Range(count, count))


def _flatten(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    depth = _integer(nodes[1], UNKNOWN.most) if len(nodes) > 1 else 1
    return _made(float(depth), nodes[0].size())


def _range(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    count = _integer(nodes[0], UNKNOWN.most)
    return _made(1, Range(count, count))


def _reverse(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    return _made(1, nodes[0].size())


def _distinct(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    size = nodes[0].size()
    return _made(2, size.times(size))


def _sort(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
    node = nodes[-1]
    size = node.size()
    element = node.element()
    texts = element is not None and element.type.name in {"string", "bytes"}
    return _made(2.1 if texts else 2.0, size.times(size))


def _sets(factor: int) -> _Estimate:
    def estimate(_overload: str, nodes: Sequence[Node], _is_member: bool) -> CallEstimate | None:
        return CallEstimate(nodes[0].size().times(nodes[1].size()).scaled(factor).plus(ONE))

    return estimate


_ESTIMATES: Final[Mapping[str, _Estimate]] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversed),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim"), _read),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _parsed),
    "ip": _ip,
    "ip.isCanonical": _parsed_twice,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "find": _find,
    "findAll": _find,
    "matches": _matches,
    "contains": _contains,
    "startsWith": _prefixed,
    "endsWith": _prefixed,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    "format.named": _constant,
    "_==_": _equals,
    "_!=_": _not_equals,
    **dict.fromkeys(("_<_", "_<=_", "_>_", "_>=_"), _ordered),
    "@in": _in,
    "_+_": _add,
    "bytes": _to_bytes,
    "string": _to_string,
    "strings.quote": _quote,
    "format": _format,
    "slice": _slice,
    "flatten": _flatten,
    "lists.range": _range,
    "reverse": _reverse,
    "distinct": _distinct,
    "sort": _sort,
    "@sortByAssociatedKeys": _sort,
    "sets.contains": _sets(1),
    "sets.intersects": _sets(1),
    "sets.equivalent": _sets(2),
}
