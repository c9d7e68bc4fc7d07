"""Who owns whom: the graph of all objects, and whom a change in it concerns. No requests are made here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from kubewright.cluster.garbage.node import FOREGROUND, ORPHAN, Coordinates, Metadata, Node
from kubewright.machinery.meta import OwnerReference

__all__ = ["Concerned", "Graph", "Stranger"]


class Stranger(NamedTuple):
    """A dependent that names an owner in a namespace in which it cannot have one."""

    dependent: Node
    reference: OwnerReference


class Concerned(NamedTuple):
    """Whom a change concerns."""

    to_delete: list[Node]
    """Perhaps to be deleted; and those who waited for dependents that do not hold them up any more."""
    to_orphan: list[Node]
    """Who is to be forgotten by its dependents."""
    strangers: list[Stranger]
    """To be told about; each is also one of those that may be deleted."""


class Graph:
    """The graph, fed with what is observed of objects, in any order of objects.

    The states of each object come in their order. An owner that is named and was not observed has a node,
    too, which is not `seen`; its dependents are concerned at once, since it may not be there at all.
    """

    def __init__(self) -> None:
        self._nodes: Final[dict[str, Node]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def node(self, uid: str) -> Node | None:
        """The node of an object, or of one that others say owns them."""
        return self._nodes.get(uid)

    def observe(self, coordinates: Coordinates, metadata: Metadata) -> Concerned:
        """An object is there, in this state."""
        concerned = Concerned([], [], [])
        node = self._nodes.get(metadata.uid)
        if node is None:
            node = self._nodes[metadata.uid] = Node(metadata.uid)
        if not node.seen:
            node.appear(coordinates)
            _find_strangers(node, concerned)
        # The version in which a kind is followed may change.
        node.coordinates = coordinates
        node.revision = metadata.resource_version
        owners = tuple(metadata.owner_references)
        if owners != node.owners:
            self._relate(node, owners, concerned)
        _note_deletion(node, metadata, concerned)
        return concerned

    def gone(self, uid: str) -> Concerned:
        """An object that was observed is not there any more."""
        concerned = Concerned([], [], [])
        node = self._nodes.get(uid)
        if node is None or not node.seen:
            return concerned
        del self._nodes[uid]
        node.lose(node)
        for owner in self._owners(node.owners):
            self._part(node, owner, concerned)
        if node.dependents:
            # Those who come to know of it later find it here, as one that is missing.
            missing = self._nodes[uid] = Node(uid)
            missing.missing |= {node.coordinates}
            missing.gain(node.dependents)
            concerned.to_delete.extend(node.dependents)
        return concerned

    def of_unseen(self, group: str, kind: str) -> list[Node]:
        """The dependents of owners of a kind that were not observed; for when that kind comes to be served.

        Looks at all nodes: kinds come seldom.
        """
        return [
            dependent
            for owner in self._nodes.values()
            if not owner.seen
            for dependent in owner.dependents
            if any(
                each.uid == owner.uid and each.kind == kind and _group(each) == group
                for each in dependent.owners
            )
        ]

    def _relate(self, node: Node, owners: tuple[OwnerReference, ...], concerned: Concerned) -> None:
        """Note who owns an object now."""
        before = node.owners
        blocked = {each.uid for each in before if each.block_owner_deletion}
        node.owners = owners
        for uid in blocked:
            owner = self._nodes.get(uid)
            if owner is not None and owner.foreground and not node.blocks(uid):
                # It may have waited for this one alone.
                _wake(owner, concerned)
        named = {each.uid for each in owners}
        for owner in self._owners(each for each in before if each.uid not in named):
            self._part(node, owner, concerned)
        self._name(node, [each for each in owners if each not in before], concerned)

    def _name(self, node: Node, references: Iterable[OwnerReference], concerned: Concerned) -> None:
        """An object names owners that it did not name so far, or not in this way."""
        doubtful = False
        for reference in references:
            owner = self._nodes.get(reference.uid)
            if owner is None:
                owner = self._nodes[reference.uid] = Node(reference.uid)
            if node not in owner.dependents:
                owner.gain([node])
                if owner.foreground:
                    owner.late |= {node}
            if not doubtful and not (owner.seen and owner.is_meant_by(node, reference)):
                doubtful = True
                concerned.to_delete.append(node)
                if owner.seen and owner.is_elsewhere_than(node):
                    concerned.strangers.append(Stranger(node, reference))

    def _part(self, node: Node, owner: Node, concerned: Concerned) -> None:
        """An object is not, or does not name, an owner's dependent any more."""
        owner.lose(node)
        if owner.late:
            owner.late -= {node}
        if owner.foreground:
            _wake(owner, concerned)
        if not owner.seen and not owner.dependents and not owner.owners:
            self._nodes.pop(owner.uid, None)

    def _owners(self, references: Iterable[OwnerReference]) -> list[Node]:
        found = {each.uid: self._nodes.get(each.uid) for each in references}
        return [each for each in found.values() if each is not None]


def _wake(owner: Node, concerned: Concerned) -> None:
    """Have an owner looked at that waits for its dependents, or those that came since it does."""
    if owner.blocked():
        # As upstream has it, what comes when its owner is on its way out already goes with the next one.
        concerned.to_delete.extend(each for each in owner.late if each.blocks(owner.uid))
    else:
        concerned.to_delete.append(owner)


def _find_strangers(owner: Node, concerned: Concerned) -> None:
    """Have those dependents looked at that name an owner otherwise than it turns out to be."""
    for dependent in owner.dependents:
        for reference in dependent.owners:
            if reference.uid == owner.uid and not owner.is_meant_by(dependent, reference):
                concerned.to_delete.append(dependent)
                if owner.is_elsewhere_than(dependent):
                    concerned.strangers.append(Stranger(dependent, reference))
                break


def _note_deletion(node: Node, metadata: Metadata, concerned: Concerned) -> None:
    was_orphaning, was_foreground = node.orphaning, node.foreground
    finalizers = metadata.finalizers
    node.deleting = metadata.deletion_timestamp is not None
    node.policy = "Background"
    if finalizers:
        if ORPHAN in finalizers:
            node.policy = "Orphan"
        elif FOREGROUND in finalizers:
            node.policy = "Foreground"
    if node.orphaning and not was_orphaning:
        concerned.to_orphan.append(node)
    if node.foreground and not was_foreground:
        concerned.to_delete.extend(node.dependents)
        concerned.to_delete.append(node)
    elif was_foreground and not node.foreground:
        node.late = frozenset()


def _group(reference: OwnerReference) -> str:
    return reference.api_version.rpartition("/")[0]
