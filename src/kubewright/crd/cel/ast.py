"""The checked syntax tree of an expression, read from the bytes that the checker hands out.

The checker (cel-expr-python) gives its result as a serialized `cel.expr.CheckedExpr` only. This module reads
just the fields of that message which evaluation and cost estimation need.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from kubewright.crd.cel.values import Uint

__all__ = [
    "Call",
    "Checked",
    "Comprehension",
    "Const",
    "Entry",
    "Expr",
    "Ident",
    "ListExpr",
    "MapExpr",
    "Select",
    "Type",
    "decode_checked",
    "decode_parsed",
    "parse_type",
    "split_types",
    "walk",
]


class Type(NamedTuple):
    """A type as the checker found it: its name, and the parameters of lists, maps, optionals and types."""

    name: str
    params: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.params))})" if self.params else self.name


DYN: Final = Type("dyn")


def parse_type(text: str) -> Type:
    """Read a type as it is written in declarations: `map<string, list<int>>`."""
    name, bracket, params = text.strip().partition("<")
    if not bracket:
        return Type(name)
    return Type(name, tuple(map(parse_type, split_types(params.rpartition(">")[0]))))


def split_types(text: str) -> list[str]:
    """The types between the commas that are in no brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


class Const(NamedTuple):
    """A literal."""

    id: int
    value: object


class Ident(NamedTuple):
    """A variable, or a type's name."""

    id: int
    name: str


class Select(NamedTuple):
    """`operand.field`, or with `test_only` the `has(operand.field)` of it."""

    id: int
    operand: Expr
    field: str
    test_only: bool


class Call(NamedTuple):
    """A function or operator; a member function's target stands first in `args`."""

    id: int
    function: str
    args: tuple[Expr, ...]
    is_member: bool


class ListExpr(NamedTuple):
    """`[a, ?b]`; `optional` has the positions of elements that an empty optional leaves out."""

    id: int
    elements: tuple[Expr, ...]
    optional: frozenset[int]


class Entry(NamedTuple):
    """One `key: value` of a map literal."""

    key: Expr
    value: Expr
    optional: bool


class MapExpr(NamedTuple):
    """`{key: value}`; with a `message` name, a message literal."""

    id: int
    entries: tuple[Entry, ...]
    message: str


class Comprehension(NamedTuple):
    """A fold, which all macros over lists and maps become."""

    id: int
    iter_var: str
    iter_var2: str
    iter_range: Expr
    accu_var: str
    accu_init: Expr
    loop_condition: Expr
    loop_step: Expr
    result: Expr


Expr: TypeAlias = Const | Ident | Select | Call | ListExpr | MapExpr | Comprehension


class Checked(NamedTuple):
    """An expression that passed the checker."""

    expr: Expr
    types: dict[int, Type]
    references: dict[int, tuple[str, tuple[str, ...]]]
    """What a name or call refers to: the name of a variable, or the overloads that may be meant."""
    positions: dict[int, int]
    """Where each node stands in the source, in code points."""

    def renamed(self, names: Mapping[str, str]) -> Checked:
        """With other names for types."""
        return self._replace(types={key: _renamed(kind, names) for key, kind in self.types.items()})

    def type_of(self, expr: Expr) -> Type:
        """The type of a node."""
        return self.types.get(expr.id, DYN)


def _renamed(kind: Type, names: Mapping[str, str]) -> Type:
    return Type(names.get(kind.name, kind.name), tuple(_renamed(param, names) for param in kind.params))


def walk(expr: Expr) -> Iterator[Expr]:
    """The node and all below it, parents first."""
    pending = [expr]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(children(node)))


def children(expr: Expr) -> tuple[Expr, ...]:
    """The nodes directly below a node, in the order of the source."""
    if isinstance(expr, Select):
        return (expr.operand,)
    if isinstance(expr, Call):
        return expr.args
    if isinstance(expr, ListExpr):
        return expr.elements
    if isinstance(expr, MapExpr):
        return tuple(part for entry in expr.entries for part in (entry.key, entry.value))
    if isinstance(expr, Comprehension):
        return (expr.iter_range, expr.accu_init, expr.loop_condition, expr.loop_step, expr.result)
    return ()


_Fields: TypeAlias = list[tuple[int, "int | bytes"]]

# Field numbers of google/cel-spec's syntax.proto and checked.proto.
_PRIMITIVES: Final = {1: "bool", 2: "int", 3: "uint", 4: "double", 5: "string", 6: "bytes"}
_WELL_KNOWN: Final = {1: "any", 2: "timestamp", 3: "duration"}
_CONTAINERS: Final = {6: "list", 7: "map"}


def decode_checked(serialized: bytes) -> Checked:
    """Read the `google.protobuf.Any` with a `CheckedExpr` which the checker's expression serializes to."""
    message = next(value for number, value in _fields(serialized) if number == 2)
    references: dict[int, tuple[str, tuple[str, ...]]] = {}
    types: dict[int, Type] = {}
    positions: dict[int, int] = {}
    expr: Expr = Const(0, None)
    for number, value in _fields(_bytes(message)):
        if number == 2:
            key, entry = _map_entry(_bytes(value))
            references[key] = _reference(entry)
        elif number == 3:
            key, entry = _map_entry(_bytes(value))
            types[key] = _type(entry)
        elif number == 4:
            expr = _expr(_bytes(value))
        elif number == 5:
            positions = _positions(_bytes(value))
    return Checked(expr, types, references, positions)


def decode_parsed(serialized: bytes) -> Checked:
    """Read the `ParsedExpr` of an expression that was not checked: it has no types and references."""
    message = next(value for number, value in _fields(serialized) if number == 2)
    fields = dict(_fields(_bytes(message)))
    return Checked(_expr(_bytes(fields[2])), {}, {}, _positions(_bytes(fields.get(3, b""))))


def _fields(data: bytes) -> _Fields:
    found: _Fields = []
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        wire = tag & 7
        if wire == 0:
            number, at = _varint(data, at)
            found.append((tag >> 3, number))
        elif wire == 2:
            size, at = _varint(data, at)
            found.append((tag >> 3, data[at : at + size]))
            at += size
        else:
            size = 8 if wire == 1 else 4
            found.append((tag >> 3, data[at : at + size]))
            at += size
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _bytes(value: int | bytes) -> bytes:
    return value if isinstance(value, bytes) else b""


def _text(value: int | bytes) -> str:
    return _bytes(value).decode()


def _signed(value: int | bytes) -> int:
    number = value if isinstance(value, int) else 0
    return number - (1 << 64) if number >= 1 << 63 else number


def _map_entry(data: bytes) -> tuple[int, bytes]:
    fields = dict(_fields(data))
    return _signed(fields.get(1, 0)), _bytes(fields.get(2, b""))


def _positions(data: bytes) -> dict[int, int]:
    entries = [dict(_fields(_bytes(value))) for number, value in _fields(data) if number == 4]
    return {_signed(entry.get(1, 0)): _signed(entry.get(2, 0)) for entry in entries}


def _reference(data: bytes) -> tuple[str, tuple[str, ...]]:
    name = ""
    overloads: list[str] = []
    for number, value in _fields(data):
        if number == 1:
            name = _text(value)
        elif number == 3:
            overloads.append(_text(value))
    return name, tuple(overloads)


def _type(data: bytes) -> Type:
    fields = _fields(data)
    if not fields:
        return DYN
    number, value = fields[-1]
    if number == 2:
        return Type("null_type")
    if number in {3, 4}:
        return Type(_PRIMITIVES.get(_signed(value), "dyn"))
    if number == 5:
        return Type(_WELL_KNOWN.get(_signed(value), "dyn"))
    if number in {9, 10}:
        return Type(_text(value))
    if number in _CONTAINERS:
        return Type(_CONTAINERS[number], tuple(_type(_bytes(part)) for _, part in _fields(_bytes(value))))
    if number == 11:
        return Type("type", (_type(_bytes(value)),))
    if number == 14:
        parts = _fields(_bytes(value))
        name = next((_text(part) for at, part in parts if at == 1), "")
        return Type(name, tuple(_type(_bytes(part)) for at, part in parts if at == 2))
    return DYN


def _expr(data: bytes) -> Expr:
    node_id = 0
    kind, body = 0, b""
    for number, value in _fields(data):
        if number == 2:
            node_id = _signed(value)
        else:
            kind, body = number, _bytes(value)
    return _READERS[kind](node_id, body)


def _const(node_id: int, body: bytes) -> Expr:
    value: object = None
    for number, raw in _fields(body):
        if number == 2:
            value = bool(raw)
        elif number == 3:
            value = _signed(raw)
        elif number == 4:
            value = Uint(_signed(raw) % (1 << 64))
        elif number == 5:
            value = struct.unpack("<d", _bytes(raw))[0]
        elif number == 6:
            value = _text(raw)
        elif number == 7:
            value = _bytes(raw)
    return Const(node_id, value)


def _ident(node_id: int, body: bytes) -> Expr:
    return Ident(node_id, _text(dict(_fields(body)).get(1, b"")))


def _select(node_id: int, body: bytes) -> Expr:
    fields = dict(_fields(body))
    return Select(node_id, _expr(_bytes(fields[1])), _text(fields.get(2, b"")), bool(fields.get(3)))


def _call(node_id: int, body: bytes) -> Expr:
    function, is_member = "", False
    args: list[Expr] = []
    for number, value in _fields(body):
        if number == 1:
            args.insert(0, _expr(_bytes(value)))
            is_member = True
        elif number == 2:
            function = _text(value)
        else:
            args.append(_expr(_bytes(value)))
    return Call(node_id, function, tuple(args), is_member)


def _list(node_id: int, body: bytes) -> Expr:
    elements: list[Expr] = []
    optional: set[int] = set()
    for number, value in _fields(body):
        if number == 1:
            elements.append(_expr(_bytes(value)))
        elif isinstance(value, int):
            optional.add(value)
        else:
            optional.update(_packed(value))
    return ListExpr(node_id, tuple(elements), frozenset(optional))


def _packed(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _struct(node_id: int, body: bytes) -> Expr:
    message = ""
    entries: list[Entry] = []
    for number, value in _fields(body):
        if number == 1:
            message = _text(value)
        else:
            entries.append(_entry(_bytes(value)))
    return MapExpr(node_id, tuple(entries), message)


def _entry(data: bytes) -> Entry:
    key: Expr = Const(0, None)
    value: Expr = Const(0, None)
    optional = False
    for number, part in _fields(data):
        if number == 2:
            key = Const(0, _text(part))
        elif number == 3:
            key = _expr(_bytes(part))
        elif number == 4:
            value = _expr(_bytes(part))
        elif number == 5:
            optional = bool(part)
    return Entry(key, value, optional)


def _comprehension(node_id: int, body: bytes) -> Expr:
    fields = dict(_fields(body))
    parts = (_expr(_bytes(fields[number])) for number in (2, 4, 5, 6, 7))
    iter_range, accu_init, condition, step, result = parts
    names = (_text(fields.get(number, b"")) for number in (1, 8, 3))
    iter_var, iter_var2, accu_var = names
    return Comprehension(
        node_id, iter_var, iter_var2, iter_range, accu_var, accu_init, condition, step, result
    )


_READERS: Final = {
    3: _const,
    4: _ident,
    5: _select,
    6: _call,
    7: _list,
    8: _struct,
    9: _comprehension,
}
