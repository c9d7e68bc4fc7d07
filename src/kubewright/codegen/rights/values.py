"""The values that the analysis of an operator's code tells apart; anything else is unknown, the empty set."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubewright.codegen.rights.frames import Frame

__all__ = [
    "NOTHING",
    "ApiValue",
    "BoundFunction",
    "ClientValue",
    "Closure",
    "ContextValue",
    "EventsValue",
    "GroupVersionValue",
    "Instance",
    "Items",
    "Live",
    "ManagerValue",
    "Method",
    "ObjectValue",
    "PartialValue",
    "ReviewValue",
    "Target",
    "Value",
    "Values",
    "elements",
    "gives_access",
    "literals",
]


class Target(NamedTuple):
    """A resource, as RBAC names it."""

    group: str
    resource: str
    shown: str
    """What a mark calls it: the name of its class, or of its kind."""


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """An object of the imported program: a function, a class, a module, an instance, a constant."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Live):
            return False
        if isinstance(self.value, str):
            return isinstance(other.value, str) and other.value == self.value
        return other.value is self.value

    def __hash__(self) -> int:
        return hash(self.value) if isinstance(self.value, str) else id(self.value)


@dataclass(frozen=True, slots=True)
class ClientValue:
    """A client of a cluster."""

    cached: bool = False
    """Whether reads are answered by the manager's caches, which list and watch."""
    elsewhere: bool = False
    """Whether it is of another cluster than the manager's own, where roles of manifests do not count."""
    guessed: bool = False
    """Whether only its use suggests that it is a client: what cannot be resolved of it is not reported."""


@dataclass(frozen=True, slots=True)
class ContextValue:
    """The context of a reconcile."""

    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class ManagerValue:
    """A manager, or what stands in for it in `setup`."""


@dataclass(frozen=True, slots=True)
class EventsValue:
    """A recorder of events."""

    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class GroupVersionValue:
    """`client.core_v1` and its like."""

    client: ClientValue
    cls: type


@dataclass(frozen=True, slots=True)
class ApiValue:
    """The objects of one kind; without a target, of one that could not be resolved."""

    target: Target | None
    cached: bool = False
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An object of a kind; without a target, of one that could not be resolved."""

    target: Target | None


@dataclass(frozen=True, slots=True)
class ReviewValue:
    """What a webhook function gets."""

    target: Target | None


@dataclass(frozen=True, slots=True)
class Items:
    """A collection or an iterator, by what may be in it."""

    values: frozenset[Any]


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the program that the analysed code creates."""

    cls: type


@dataclass(frozen=True, slots=True)
class Method:
    """A method of one of the values above."""

    receiver: Any
    name: str


@dataclass(frozen=True, slots=True)
class BoundFunction:
    """A function of the program with its first argument."""

    function: Any
    receiver: Any


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function or lambda that is defined in a function, with the variables around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame = field(repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closure) and (other.node, other.frame) == (self.node, self.frame)

    def __hash__(self) -> int:
        return hash((self.node, id(self.frame)))


@dataclass(frozen=True, slots=True)
class PartialValue:
    """`functools.partial` of something."""

    function: Any
    arguments: tuple[frozenset[Any], ...]
    keywords: tuple[tuple[str, frozenset[Any]], ...]


Value: TypeAlias = (
    Live
    | ClientValue
    | ContextValue
    | ManagerValue
    | EventsValue
    | GroupVersionValue
    | ApiValue
    | ObjectValue
    | ReviewValue
    | Items
    | Instance
    | Method
    | BoundFunction
    | Closure
    | PartialValue
)
Values: TypeAlias = frozenset[Value]
"""What an expression may be; empty if nothing is known of it."""

NOTHING: Values = frozenset()

_ACCESS = (ClientValue, ContextValue, ManagerValue, GroupVersionValue, ApiValue, ReviewValue)


def gives_access(value: Value) -> bool:
    """Whether code that gets a value can send requests with it."""
    match value:
        case ClientValue(elsewhere=True) | ContextValue(elsewhere=True) | ApiValue(elsewhere=True):
            return False
        case Items(values):
            return any(map(gives_access, values))
        case Method(receiver, _):
            return gives_access(receiver)
        case PartialValue(_, arguments, keywords):
            groups = (*arguments, *(values for _, values in keywords))
            return any(gives_access(each) for values in groups for each in values)
        case _:
            return isinstance(value, _ACCESS)


def elements(values: Iterable[Value]) -> Values:
    """What iterating over values, or subscripting them, may give."""
    inner: set[Value] = set()
    for each in values:
        if isinstance(each, Items):
            inner |= each.values
        elif isinstance(each, Live) and isinstance(each.value, list | tuple | set | frozenset):
            inner |= {Live(item) for item in each.value}
        elif isinstance(each, Live) and isinstance(each.value, dict):
            # Keys and values: which of them is meant depends on how it is iterated over.
            inner |= {Live(item) for pair in each.value.items() for item in pair}
        elif isinstance(each, ObjectValue):
            # A pair of an object and something else, as `create_or_update` returns it.
            inner.add(each)
    return frozenset(inner)


def literals(values: Iterable[Value]) -> list[str]:
    """The texts among values."""
    return [each.value for each in values if isinstance(each, Live) and isinstance(each.value, str)]
