"""What a pod asks of its node: CPU, memory, and whatever else nodes have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from kubewright.cluster.kubelet.pod_status import is_sidecar
from kubewright.machinery.quantity import Quantity
from kubewright.models.core_v1 import Container, PodSpec

__all__ = ["Amounts", "HostPort", "amounts_of", "host_ports", "requests_of"]

Amounts = dict[str, int]
"""By resource, in thousandths: all that is compared are sums of the same resource."""

_THOUSAND: Final = 1000

_EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - nothing listens: a port without an address is one of all


def amounts_of(quantities: Mapping[str, Quantity]) -> Amounts:
    """Quantities as numbers that can be added quickly; fractions of a thousandth count as one."""
    return {name: quantity.milli_value() for name, quantity in quantities.items()}


def requests_of(spec: PodSpec) -> Amounts:
    """What a pod needs at its worst: what runs together added up, or more if one that initializes needs it.

    Each pod counts as one of the resource `pods`, too.
    """
    total: Amounts = {}
    for container in spec.containers:
        _add(total, _requested(container))
    worst: Amounts = {}
    beside: Amounts = {}
    for container in spec.init_containers:
        needed = _requested(container)
        if is_sidecar(container):
            _add(beside, needed)
            _add(total, needed)
            needed = dict(beside)
        else:
            _add(needed, beside)
        for name, amount in needed.items():
            worst[name] = max(worst.get(name, 0), amount)
    for name, amount in worst.items():
        total[name] = max(total.get(name, 0), amount)
    if spec.resources is not None:
        # What is asked for the pod as a whole stands for what its containers ask for.
        total.update(amounts_of(spec.resources.requests))
    _add(total, amounts_of(spec.overhead))
    total["pods"] = _THOUSAND
    return total


class HostPort(NamedTuple):
    """A port of a node."""

    protocol: str
    port: int
    address: str

    def conflicts(self, other: HostPort) -> bool:
        """Whether only one of two can have theirs."""
        return self[:2] == other[:2] and (
            self.address == other.address or _EVERYWHERE in {self.address, other.address}
        )


_NO_PORTS: Final[frozenset[HostPort]] = frozenset()
"""Of most pods, which are kept: each empty set that Python makes is a new one, of 216 bytes."""


def host_ports(spec: PodSpec) -> frozenset[HostPort]:
    """The ports of the node that a pod takes as long as it runs."""
    sidecars = [each for each in spec.init_containers if is_sidecar(each)]
    found = frozenset(
        HostPort(port.protocol, port.host_port, port.host_ip or _EVERYWHERE)
        for container in (*sidecars, *spec.containers)
        for port in container.ports
        if port.host_port
    )
    return found or _NO_PORTS


def _requested(container: Container) -> Amounts:
    return amounts_of(container.resources.requests)


def _add(total: Amounts, more: Mapping[str, int]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount
