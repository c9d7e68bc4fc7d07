"""What the pods of each node take of it."""

from __future__ import annotations

from typing import Final, Generic, NamedTuple, TypeVar

from kubewright.cluster.scheduler.fit import Room
from kubewright.cluster.scheduler.requests import Amounts, HostPort, amounts_of, host_ports, requests_of
from kubewright.models.core_v1 import Node, PodSpec

__all__ = ["Usage"]

K = TypeVar("K")


class _Placed(NamedTuple):
    node: str
    amounts: Amounts
    ports: frozenset[HostPort]


class Usage(Generic[K]):
    """Adds up what pods, by their keys, take of nodes; each question costs as much however many there are."""

    def __init__(self) -> None:
        self._placed: Final[dict[K, _Placed]] = {}
        self._used: Final[dict[str, Amounts]] = {}
        self._ports: Final[dict[str, dict[K, frozenset[HostPort]]]] = {}
        """By node, of the pods that take some."""
        self._whole: Final[dict[str, tuple[str, Amounts]]] = {}
        """By node: what it has, and the revision of the object that told so."""

    def place(self, key: K, node: str, spec: PodSpec) -> bool:
        """A pod is on a node, or will be; whether it takes less there than before."""
        placed, there = _Placed(node, requests_of(spec), host_ports(spec)), self._placed.get(key)
        if there == placed:
            return False
        self.remove(key)
        self._placed[key] = placed
        used = self._used.setdefault(node, {})
        for name, amount in placed.amounts.items():
            used[name] = used.get(name, 0) + amount
        if placed.ports:
            self._ports.setdefault(node, {})[key] = placed.ports
        return there is not None

    def remove(self, key: K) -> bool:
        """A pod is on no node any more; whether it was."""
        placed = self._placed.pop(key, None)
        if placed is None:
            return False
        used = self._used[placed.node]
        for name, amount in placed.amounts.items():
            used[name] -= amount
        if not used["pods"]:
            del self._used[placed.node]
        if placed.ports:
            del self._ports[placed.node][key]
        return True

    def room(self, node: Node, ports: frozenset[HostPort]) -> Room:
        """What a node has, and whether some ports of it are free."""
        whole = self._whole_of(node)
        used = self._used.get(node.metadata.name, {})
        free = {name: amount - used.get(name, 0) for name, amount in whole.items()}
        return Room(free, whole, self._are_free(node.metadata.name, ports))

    def pods_on(self, node: str) -> int:
        """How many pods are on a node, in thousandths."""
        return self._used.get(node, {}).get("pods", 0)

    def forget(self, node: str) -> None:
        """A node is not there any more."""
        self._whole.pop(node, None)

    def _whole_of(self, node: Node) -> Amounts:
        revision, known = node.metadata.resource_version, self._whole.get(node.metadata.name)
        if known is not None and revision and known[0] == revision:
            return known[1]
        whole = amounts_of(node.status.allocatable)
        self._whole[node.metadata.name] = (revision, whole)
        return whole

    def _are_free(self, node: str, wanted: frozenset[HostPort]) -> bool:
        if not wanted:
            return True
        taken = [port for ports in self._ports.get(node, {}).values() for port in ports]
        return not any(mine.conflicts(port) for mine in wanted for port in taken)
