"""The addresses of pods: each node has a range of its own, as its `podCIDR` says."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Final

__all__ = ["PodAddresses"]


class PodAddresses:
    """Gives the pods of a node addresses of its range, and takes them back."""

    def __init__(self, cidr: str, taken: dict[str, str]) -> None:
        """`taken` are the addresses that pods have already, by their uids."""
        self.cidr: Final = cidr
        self._network: Final = ip_network(cidr)
        self._by_pod: Final = dict(taken)
        self._taken: Final = set(taken.values())
        self._last = 0

    def of(self, uid: str) -> str:
        """The address of a pod, the same each time; when none is left, the node's pods share one."""
        found = self._by_pod.get(uid)
        if found is None:
            found = self._by_pod[uid] = self._next()
            self._taken.add(found)
        return found

    def release(self, uid: str) -> None:
        """The address of a pod that is gone is free again."""
        found = self._by_pod.pop(uid, None)
        if found is not None:
            self._taken.discard(found)

    def _next(self) -> str:
        # The first is the network's, the second the node's, the last one for everybody; a range may be so
        # small that it has no others.
        network, first = self._network, min(2, self._network.num_addresses - 1)
        size = max(network.num_addresses - 3, 1)
        for _ in range(min(size, len(self._taken) + 1)):
            self._last = self._last % size + 1
            address = str(network[min(self._last + 1, network.num_addresses - 1)])
            if address not in self._taken:
                return address
        return str(network[first])
