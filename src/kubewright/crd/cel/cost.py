"""How much an expression may cost at most, by the largest values that its schema allows.

This follows cel-go's checker/cost.go and, for the functions of Kubernetes, `call_costs`. Sizes and costs are
pairs of the least and the most, which stay within 64 bits, where the largest number stands for "no limit".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubewright.crd.cel.ast import (
    DYN,
    Call,
    Checked,
    Comprehension,
    Const,
    Expr,
    Ident,
    ListExpr,
    MapExpr,
    Select,
    Type,
)
from kubewright.crd.cel.call_costs import call_cost
from kubewright.crd.cel.estimates import FREE, ONE, UNKNOWN, CallEstimate, Node, Range
from kubewright.crd.cel.schema_types import SchemaType
from kubewright.crd.cel.values import Uint

__all__ = ["estimate_cost"]

_LIST = Range(10, 10)
_MAP = Range(30, 30)


def estimate_cost(checked: Checked, root: SchemaType | None) -> int:
    """The most that evaluating the expression can cost; `root` is the type of `self`."""
    return _Coster(checked, root).cost(checked.expr).most


class _Entries(NamedTuple):
    """The sizes of what a list or map holds."""

    kind: str
    key: Range
    value: Range


class _Local(NamedTuple):
    path: tuple[str, ...]
    size: Range | None
    entries: _Entries | None


class _Coster:
    def __init__(self, checked: Checked, root: SchemaType | None) -> None:
        self._checked = checked
        self._root = root
        self._paths: dict[int, tuple[str, ...]] = {}
        self._sizes: dict[int, Range] = {}
        self._entries: dict[int, _Entries] = {}
        self._locals: dict[str, list[_Local]] = {}

    def cost(self, expr: Expr) -> Range:
        if isinstance(expr, Const):
            return FREE
        if isinstance(expr, Ident):
            return self._ident(expr)
        if isinstance(expr, Select):
            return self._select(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, ListExpr):
            return self._list(expr)
        if isinstance(expr, MapExpr):
            return self._map(expr)
        return self._bind(expr) if _is_bind(expr) else self._comprehension(expr)

    def _ident(self, expr: Ident) -> Range:
        local = self._local(expr.name)
        if local is not None:
            self._paths[expr.id] = local.path
            return ONE
        path = tuple(expr.name.split("."))
        self._paths[expr.id] = path
        return Range(len(path), len(path))

    def _local(self, name: str) -> _Local | None:
        stack = self._locals.get(name)
        return stack[-1] if stack else None

    def _select(self, expr: Select) -> Range:
        operand = self.cost(expr.operand)
        if expr.test_only:
            return operand
        self._paths[expr.id] = (*self._path(expr.operand), expr.field)
        kind = self._type(expr.operand).name
        return operand if kind in _NOT_SELECTED else operand.plus(ONE)

    def _list(self, expr: ListExpr) -> Range:
        total = _LIST
        size = Range(0, 0) if not expr.elements else Range(UNKNOWN.most, 0)
        for element in expr.elements:
            total = total.plus(self.cost(element))
            size = size.union(self.size_or_unknown(element))
        self._entries[expr.id] = _Entries("list", ONE, size)
        return total

    def _map(self, expr: MapExpr) -> Range:
        total = _MAP
        empty = Range(0, 0) if not expr.entries else Range(UNKNOWN.most, 0)
        keys = values = empty
        for entry in expr.entries:
            total = total.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            keys = keys.union(self.size_or_unknown(entry.key))
            values = values.union(self.size_or_unknown(entry.value))
        self._entries[expr.id] = _Entries("map", keys, values)
        return total

    def _call(self, expr: Call) -> Range:
        if expr.function == "dyn":
            cost = self.cost(expr.args[0]).plus(ONE)
            self._copy(expr, expr.args[0])
            return cost
        costs = [self.cost(arg) for arg in expr.args]
        nodes = [self._node(arg) for arg in expr.args]
        overloads = self._checked.references.get(expr.id, ("", ()))[1]
        if not overloads:
            return FREE
        own = Range(UNKNOWN.most, 0)
        size: Range | None = None
        for overload in overloads:
            estimate = self._overload(expr, overload, nodes, costs)
            own = own.union(estimate.cost)
            if estimate.size is not None:
                size = estimate.size if size is None else size.union(estimate.size)
            if overload in {"index_list", "index_map"}:
                entries = self._entries_of(expr.args[0])
                size = None if entries is None else entries.value
                part = "@items" if overload == "index_list" else "@values"
                self._paths[expr.id] = (*self._path(expr.args[0]), part)
            if size is None:
                size = self.size(expr)
        if size is not None:
            self._sizes[expr.id] = size
        return own

    def _overload(
        self, expr: Call, overload: str, nodes: Sequence[Node], costs: Sequence[Range]
    ) -> CallEstimate:
        function = expr.function
        if function in {"_&&_", "_||_"}:
            return CallEstimate(Range(costs[0].least, costs[0].plus(costs[1]).most))
        if function == "_?_:_":
            return self._conditional(expr, costs)
        if function == "_+_":
            self._concatenated(expr)
        estimate = call_cost(function, overload, nodes, is_member=expr.is_member)
        total = estimate.cost
        for cost in costs:
            total = total.plus(cost)
        return CallEstimate(total, estimate.size)

    def _conditional(self, expr: Call, costs: Sequence[Range]) -> CallEstimate:
        yes, no = expr.args[1], expr.args[2]
        self._set_entries(expr, _union(self._entries_of(yes), self._entries_of(no)))
        size = self.size_or_unknown(yes).union(self.size_or_unknown(no))
        return CallEstimate(costs[0].plus(costs[1].union(costs[2])), size)

    def _concatenated(self, expr: Call) -> None:
        self._set_entries(expr, _union(self._entries_of(expr.args[0]), self._entries_of(expr.args[1])))

    def _comprehension(self, expr: Comprehension) -> Range:
        total = self.cost(expr.iter_range).plus(self.cost(expr.accu_init))
        self._push(expr.accu_var, self._local_of(expr.accu_init))
        names = self._push_iteration(expr)
        per_item = self.cost(expr.loop_condition).plus(self.cost(expr.loop_step))
        for name in names:
            self._locals[name].pop()
        total = total.plus(self.cost(expr.result))
        self._locals[expr.accu_var].pop()
        count = self.size_or_unknown(expr.iter_range)
        if isinstance(expr.accu_init, Const):
            size = self.size(expr.accu_init)
            if size is not None:
                self._sizes[expr.id] = size
        elif isinstance(expr.accu_init, ListExpr | MapExpr):
            self._sizes[expr.id] = count
            self._set_entries(expr, self._entries_of(expr.loop_step))
        return total.plus(count.times(per_item))

    def _push(self, name: str, local: _Local) -> None:
        self._locals.setdefault(name, []).append(local)

    def _local_of(self, expr: Expr) -> _Local:
        return _Local(self._path(expr), self.size(expr), self._entries_of(expr))

    def _push_iteration(self, expr: Comprehension) -> list[str]:
        entries = self._entries_of(expr.iter_range)
        path = self._path(expr.iter_range)
        kind = entries.kind if entries is not None else self._type(expr.iter_range).name
        key = None if entries is None else entries.key
        value = None if entries is None else entries.value
        is_list = kind == "list"
        if expr.iter_var2:
            first = _Local((*path, "@indices" if is_list else "@keys"), key, None)
            second = _Local((*path, "@items" if is_list else "@values"), value, None)
            self._push(expr.iter_var, first)
            self._push(expr.iter_var2, second)
            return [expr.iter_var, expr.iter_var2]
        only = _Local((*path, "@items" if is_list else "@keys"), value if is_list else key, None)
        self._push(expr.iter_var, only)
        return [expr.iter_var]

    def _bind(self, expr: Comprehension) -> Range:
        total = self.cost(expr.iter_range).plus(self.cost(expr.accu_init))
        self._push(expr.accu_var, self._local_of(expr.accu_init))
        total = total.plus(self.cost(expr.result))
        self._locals[expr.accu_var].pop()
        self._copy(expr, expr.result)
        return total

    def _copy(self, to: Expr, source: Expr) -> None:
        size = self.size(source)
        if size is not None:
            self._sizes[to.id] = size
        self._set_entries(to, self._entries_of(source))

    def _set_entries(self, expr: Expr, entries: _Entries | None) -> None:
        if entries is not None:
            self._entries[expr.id] = entries

    def _entries_of(self, expr: Expr) -> _Entries | None:
        found = self._entries.get(expr.id)
        if found is None and isinstance(expr, Ident):
            local = self._local(expr.name)
            return None if local is None else local.entries
        return found

    def _path(self, expr: Expr) -> tuple[str, ...]:
        if isinstance(expr, Ident):
            local = self._local(expr.name)
            if local is not None:
                return local.path
        return self._paths.get(expr.id, ())

    def _type(self, expr: Expr) -> Type:
        return self._checked.types.get(expr.id, DYN)

    def _node(self, expr: Expr) -> Node:
        path = self._path(expr)
        if path and path[0] == "@result":
            path = ()
        return Node(path, self._type(expr), expr, self.size(expr), self._size_at)

    def _size_at(self, path: tuple[str, ...]) -> Range | None:
        """The size of what stands at a path below `self`, as far as the schema tells."""
        node = self._root
        if not path or node is None:
            return None
        for name in path[1:]:
            if name in {"@items", "@values"}:
                node = node.element
            elif name == "@keys":
                # Keys are texts of which nothing is known; upstream's type for them has no size.
                return Range(0, 0) if node.kind == "map" else None
            else:
                field = node.fields.get(name)
                node = None if field is None else field[1]
            if node is None:
                return None
        return Range(0, node.max_elements)

    def size(self, expr: Expr) -> Range | None:
        """The size of a node's value, if it can be told."""
        found = self._sizes.get(expr.id) or _literal_size(expr)
        if found is not None:
            return found
        found = self._size_at(self._path(expr))
        if found is not None:
            self._sizes[expr.id] = found
            return found
        if _is_scalar(self._type(expr)):
            return ONE
        if isinstance(expr, Ident):
            local = self._local(expr.name)
            return None if local is None else local.size
        return None

    def size_or_unknown(self, expr: Expr) -> Range:
        """The size of a node's value, or any."""
        return self.size(expr) or UNKNOWN


_NOT_SELECTED = frozenset(
    [
        "dyn",
        "bool",
        "int",
        "uint",
        "double",
        "string",
        "bytes",
        "null_type",
        "timestamp",
        "duration",
        "list",
        "type",
        "any",
        "optional_type",
    ]
)
"""The types whose selection upstream does not count, which are those that are no map and no object."""

_SCALARS = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


def _is_scalar(kind: Type) -> bool:
    if kind.name == "optional_type" and kind.params:
        return _is_scalar(kind.params[0])
    return kind.name in _SCALARS


def _literal_size(expr: Expr) -> Range | None:
    if isinstance(expr, Const):
        value = expr.value
        size = len(value) if isinstance(value, str | bytes) else 1
        return (
            Range(size, size) if isinstance(value, str | bytes | bool | int | float | Uint | None) else None
        )
    if isinstance(expr, ListExpr):
        return Range(len(expr.elements), len(expr.elements))
    if isinstance(expr, MapExpr) and not expr.message:
        return Range(len(expr.entries), len(expr.entries))
    return None


def _union(one: _Entries | None, other: _Entries | None) -> _Entries | None:
    if one is None or other is None:
        return None
    return _Entries(one.kind, one.key.union(other.key), one.value.union(other.value))


def _is_bind(expr: Comprehension) -> bool:
    return (
        isinstance(expr.iter_range, ListExpr)
        and not expr.iter_range.elements
        and isinstance(expr.loop_condition, Const)
        and expr.loop_condition.value is False
        and expr.accu_var != "@result"
    )
