"""From what changes to what is to be reconciled: sources, and how they map objects to requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from kubewright.client.api import Api
from kubewright.controllers.registration import check_function, check_kind, check_lists, shown
from kubewright.controllers.requests import Request
from kubewright.informers.changes import Change
from kubewright.machinery.gvk import GroupKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from kubewright.controllers.managed_cluster import ManagedCluster

__all__ = ["LOW_PRIORITY", "Mapping", "PriorityFunction", "Source", "owned", "owners_of", "priority_of"]

K = TypeVar("K", bound=Resource | Unstructured)

Mapping = Callable[[Any], "Iterable[Request] | Awaitable[Iterable[Request]]"]
"""Which requests an object calls for: a function of the object, which may be a coroutine function."""

PriorityFunction = Callable[[Change[Any]], int]
"""How urgent a change is: keys of a higher number are reconciled first."""

LOW_PRIORITY: Final = -100
"""For what was there at the start and for resyncs, so that news comes first; controller-runtime's value."""


class Source(Generic[K]):
    """Objects whose changes call for reconciles of others: `Source(Secret, users_of_secret)`.

    `kind` is a type, or an `Api` for one without. `mapping` gives the requests for an object; of a change it
    is asked for the state before and the state after, so that whoever is no longer meant hears of it too.
    `cluster` is where the objects are: what `manager.cluster` returned, or its name, and "" for the manager's
    own; unless it is given, the cluster of the kind that is reconciled.
    """

    def __init__(
        self,
        kind: type[K] | Api[K],
        mapping: Mapping,
        *,
        predicates: Sequence[Callable[[Change[K]], bool]] = (),
        cluster: ManagedCluster | str | None = None,
    ) -> None:
        """Raises DeclarationError for what is no kind, and no function."""
        check_kind("Source", kind)
        check_function(f"Source({shown(kind)})", mapping, "a function that returns Requests for an object")
        check_lists(predicates=predicates)
        self.kind: Final = kind
        self.mapping: Final = mapping
        self.cluster: Final = cluster
        self.predicates: Final = tuple(predicates)

    def wants(self, change: Change[K]) -> bool:
        """Whether a change calls for anything at all."""
        return all(predicate(change) for predicate in self.predicates)

    async def requests(self, change: Change[K]) -> set[Request]:
        """What a change calls for, each request once. Raises what the mapping raises, and TypeError."""
        found: set[Request] = set()
        for state in (change.old, change.new):
            if state is not None:
                mapped = self.mapping(state)
                found.update(_checked(await mapped if isawaitable(mapped) else mapped))
        return found


def _checked(mapped: Any) -> list[Request]:
    """What a mapping returned. Raises TypeError: a Request is a tuple, and would be taken for two."""
    if not isinstance(mapped, Iterable) or isinstance(mapped, Request | str):
        raise TypeError(f"a mapping returns Requests in a list, not {type(mapped).__name__}")
    requests = list(mapped)
    for each in requests:
        if not isinstance(each, Request):
            # Not what it is: it may be a Secret, and this is logged.
            told = type(each).__name__
            raise TypeError(f"a mapping returns Requests in a list, and the list has something else: {told}")
    return requests


def owned(kind: type[K] | Api[K], *, predicates: Sequence[Callable[[Change[K]], bool]] = ()) -> Source[K]:
    """Objects that the reconciled kind controls, with predicates: `owns=[owned(Pod, predicates=[...])]`."""
    return Source(kind, _unmapped, predicates=predicates)


def owners_of(owner: GroupKind, *, namespaced: bool) -> Mapping:
    """The mapping to the owner of a kind that controls an object, by its owner references."""

    def mapping(obj: Any) -> tuple[Request, ...]:
        for reference in obj.metadata.owner_references:
            if reference.controller and reference.kind == owner.kind:
                group, _, _ = reference.api_version.rpartition("/")
                if group == owner.group:
                    return (Request(obj.metadata.namespace if namespaced else "", reference.name),)
        return ()

    return mapping


def priority_of(change: Change[Any]) -> int:
    """The default: what was there at the start, and resyncs, come after what has just changed."""
    return LOW_PRIORITY if change.initial or change.resync else 0


def _unmapped(_: object) -> tuple[Request, ...]:
    raise AssertionError("the controller maps what it owns")
