"""One object in the graph of owners, and where it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from kubewright.machinery.meta import OwnerReference

__all__ = ["FOREGROUND", "ORPHAN", "Coordinates", "Metadata", "Node", "Policy", "meant"]

FOREGROUND: Final = "foregroundDeletion"
"""The finalizer of an object that goes after its dependents."""

ORPHAN: Final = "orphan"
"""The finalizer of an object that goes when its dependents no longer say that it owns them."""

Policy: TypeAlias = Literal["Background", "Foreground", "Orphan"]


class Coordinates(NamedTuple):
    """Where an object is."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.api_version} {self.kind} {where}{self.name}"


class Metadata(Protocol):
    """What the graph needs of an object."""

    @property
    def uid(self) -> str: ...

    @property
    def resource_version(self) -> str: ...

    @property
    def deletion_timestamp(self) -> object | None: ...

    @property
    def owner_references(self) -> Sequence[OwnerReference]: ...

    @property
    def finalizers(self) -> Sequence[str]: ...


_NOWHERE: Final = Coordinates("", "", "", "")

_NO_NODES: Final[frozenset[Node]] = frozenset()
_NO_PLACES: Final[frozenset[Coordinates]] = frozenset()
"""Of which most objects have none: each empty set that Python makes is a new one, of 216 bytes."""


class Node:
    """An object, or one that others say is their owner and that nobody has observed."""

    __slots__ = (
        "_dependents",
        "coordinates",
        "deleting",
        "late",
        "missing",
        "owners",
        "policy",
        "revision",
        "seen",
        "uid",
    )

    def __init__(self, uid: str) -> None:
        self.uid: Final = uid
        self.seen = False
        """Whether the object itself was observed, and changes of it will be."""
        self.coordinates = _NOWHERE
        """Where it is; only of one that was seen."""
        self.revision = ""
        """The resourceVersion of what is known of it."""
        self.owners: tuple[OwnerReference, ...] = ()
        self._dependents: set[Node] | None = None
        self.late = _NO_NODES
        """Those dependents that came when it waited for its dependents already."""
        self.missing = _NO_PLACES
        """Where it is known not to be, of one that was not seen."""
        self.deleting = False
        self.policy: Policy = "Background"
        """How it is deleted, as its finalizers say."""

    def __repr__(self) -> str:
        return f"<Node {self.coordinates} {self.uid}{'' if self.seen else ', not seen'}>"

    @property
    def foreground(self) -> bool:
        """Whether it is deleted, and waits for its dependents."""
        return self.deleting and self.policy == "Foreground"

    @property
    def orphaning(self) -> bool:
        """Whether it is deleted, and lets its dependents go first."""
        return self.deleting and self.policy == "Orphan"

    def appear(self, coordinates: Coordinates) -> None:
        """It was observed."""
        self.seen = True
        self.coordinates = coordinates
        self.missing = _NO_PLACES

    @property
    def dependents(self) -> AbstractSet[Node]:
        """Those that say that it owns them."""
        return _NO_NODES if self._dependents is None else self._dependents

    def gain(self, dependents: Iterable[Node]) -> None:
        """Others say that it owns them."""
        if self._dependents is None:
            self._dependents = set()
        self._dependents.update(dependents)

    def lose(self, dependent: Node) -> None:
        """Another does not say so any more, if it did."""
        if self._dependents is not None:
            self._dependents.discard(dependent)

    def blocked(self) -> bool:
        """Whether there is a dependent that it has to wait for."""
        return any(each.blocks(self.uid) for each in self.dependents)

    def blocks(self, owner: str) -> bool:
        """Whether this dependent holds up the deletion of an owner."""
        return any(each.uid == owner and each.block_owner_deletion for each in self.owners)

    def is_meant_by(self, dependent: Node, reference: OwnerReference) -> bool:
        """Whether the reference of a dependent names this owner as it is."""
        where = self.coordinates
        return where == meant(reference, where.namespace and dependent.coordinates.namespace)

    def is_elsewhere_than(self, dependent: Node) -> bool:
        """Whether this owner is in a namespace, and the dependent in another or in none."""
        namespace = self.coordinates.namespace
        return bool(namespace) and namespace != dependent.coordinates.namespace

    def is_missing_at(self, where: Coordinates) -> bool:
        """Whether it is known not to be there, in the namespace or as an object without one."""
        return where in self.missing or where._replace(namespace="") in self.missing


def meant(reference: OwnerReference, namespace: str) -> Coordinates:
    """Where the owner is that a reference names, which is in the namespace of the dependent, or in none."""
    return Coordinates(reference.api_version, reference.kind, namespace, reference.name)
