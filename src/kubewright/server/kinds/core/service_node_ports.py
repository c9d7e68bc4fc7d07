"""Node ports for services; see `service_allocation`."""

from __future__ import annotations

from collections.abc import Container
from random import Random
from typing import Final

from kubewright.machinery.field_errors import invalid
from kubewright.server.kinds.core.service_types import needs_health_check, node_ports
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["NodePorts", "PortFailure", "give_ports", "update_ports"]

_MADE_UP: Final = 32768
"""The ports that a dry run makes up start behind this one, as upstream's do."""

_ALLOCATED: Final = "provided port is already allocated"


class PortFailure(Exception):
    """There is no such port to be had: the causes of an Invalid status, or the message of a status 500."""

    def __init__(self, errors: Errors, failure: str = "", reason: str = "") -> None:
        super().__init__()
        self.errors = errors
        self.failure = failure
        self.reason = reason


def _internal(message: str) -> PortFailure:
    return PortFailure([], f"Internal error occurred: {message}", "InternalError")


class NodePorts:
    """Gives out node ports: dynamic ones from the upper part of the range first, as KEP-3682 has it."""

    def __init__(self, taken: Container[int], ports: range, random: Random, *, dry_run: bool) -> None:
        self._taken = taken
        self._ports = ports
        self._random = random
        self._dry_run = dry_run
        self.given: dict[int, None] = {}
        """What is given out so far, in order."""
        self._highest = 0

    def take(self, port: int) -> str:
        """Take a port that somebody asks for; what is wrong with that, or ""."""
        if port not in self._ports and not self._dry_run:
            valid = f"{self._ports.start}-{self._ports.stop - 1}"
            return f"provided port is not in the valid range. The range of valid ports is {valid}"
        if port in self._taken or port in self.given:
            return _ALLOCATED
        self._give(port)
        return ""

    def _give(self, port: int) -> None:
        self.given[port] = None
        self._highest = max(self._highest, port)

    def take_any(self) -> int | None:
        """Take a free port, if there is one."""
        if self._dry_run:
            found: int | None = (self._highest or _MADE_UP) + 1
        else:
            size = len(self._ports)
            # Upstream: a part of the range is kept for those who name a port.
            static = min(max(16, size // 32), 128) if size > 16 else 0
            found = self._free(self._ports[static:])
            if found is None:
                found = self._free(self._ports[:static])
        if found is not None:
            self._give(found)
        return found

    def _free(self, ports: range) -> int | None:
        start = self._random.randrange(len(ports)) if ports else 0
        for step in range(len(ports)):
            port = ports[(start + step) % len(ports)]
            if port not in self._taken and port not in self.given:
                return port
        return None


def give_ports(spec: Object, ports: NodePorts) -> None:
    """Fill in the node ports of a new service. Ports of the same number share one. Raises PortFailure."""
    if spec.get("type") in {"NodePort", "LoadBalancer"}:
        _give_all(spec, ports)
    if needs_health_check(spec):
        _give_health_check_port(spec, ports)


def _give_all(spec: Object, ports: NodePorts) -> None:
    by_port: dict[int, int] = {}
    wanted = spec.get("ports") or ()
    named_ports: dict[int, int] = {}
    for service_port in wanted:
        if service_port.get("nodePort"):
            named_ports.setdefault(service_port.get("port") or 0, service_port["nodePort"])
    for index, service_port in enumerate(wanted):
        asked, number = service_port.get("nodePort") or 0, service_port.get("port") or 0
        if not asked and not _allocates(spec):
            continue
        path = f"spec.ports[{index}].nodePort"
        shared = by_port.get(number)
        if shared is None:
            named = named_ports.get(number, 0)
            if named:
                _take(ports, named, path)
            by_port[number] = service_port["nodePort"] = named or _take_any(ports)
        elif not asked:
            service_port["nodePort"] = shared
        elif asked != shared:
            _take(ports, asked, path)


def _take(ports: NodePorts, port: int, path: str) -> None:
    wrong = ports.take(port)
    if wrong:
        raise PortFailure([invalid(path, port, wrong)])


def _take_any(ports: NodePorts) -> int:
    port = ports.take_any()
    if port is None:
        raise _internal("failed to allocate a nodePort: range is full")
    return port


def _give_health_check_port(spec: Object, ports: NodePorts) -> None:
    asked = spec.get("healthCheckNodePort") or 0
    if asked:
        wrong = ports.take(asked)
        if wrong:
            raise _internal(f"failed to allocate requested HealthCheck NodePort {asked}: {wrong}")
        return
    port = ports.take_any()
    if port is None:
        raise _internal("failed to allocate a HealthCheck NodePort 0: range is full")
    spec["healthCheckNodePort"] = port


def _allocates(spec: Object) -> bool:
    return spec.get("type") == "NodePort" or bool(spec.get("allocateLoadBalancerNodePorts"))


def update_ports(spec: Object, old: Object, ports: NodePorts) -> None:
    """Fill in the node ports that an updated service has not got yet. Raises PortFailure."""
    if spec.get("type") in {"NodePort", "LoadBalancer"}:
        _update_all(spec, old, ports)
    if needs_health_check(spec) and not needs_health_check(old):
        _give_health_check_port(spec, ports)


def _update_all(spec: Object, old: Object, ports: NodePorts) -> None:
    held = set(node_ports(old))
    seen: set[tuple[str, int]] = set()
    for index, service_port in enumerate(spec.get("ports") or ()):
        asked, protocol = service_port.get("nodePort") or 0, service_port.get("protocol") or ""
        if not asked:
            if not _allocates(spec):
                continue
            asked = service_port["nodePort"] = _take_any(ports)
        elif asked not in held:
            _take(ports, asked, f"spec.ports[{index}].nodePort")
            held.add(asked)
        if (protocol, asked) in seen:
            raise PortFailure([], f"duplicate nodePort: {{{protocol} {asked}}}")
        seen.add((protocol, asked))
