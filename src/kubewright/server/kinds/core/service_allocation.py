"""Cluster IPs and node ports for services: what upstream's storage of services fills in before validation.

`allocate_service` runs on an object with its defaults, before `prepare_create` or `prepare_update` and the
validation, and only for writes of the service itself, not of its status. It is pure but for the object that
it fills in: the caller keeps the sets of what is taken, adds what an `Allocation` took, takes that out again
if the write fails, and takes out what the allocation releases once the write has happened. A deleted service
releases all of `allocated_by`. The cluster has one IP family, IPv4.
"""

from __future__ import annotations

from collections.abc import Container
from ipaddress import IPv4Address, IPv4Network
from random import Random
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.field_errors import go_quote, invalid, required
from kubewright.machinery.names import is_path_segment_name
from kubewright.server.kinds.core.ip_rules import is_ipv6, parse_ip
from kubewright.server.kinds.core.service_cluster_ips import validate_cluster_ips
from kubewright.server.kinds.core.service_node_ports import NodePorts, PortFailure, give_ports, update_ports
from kubewright.server.kinds.core.service_types import (
    needs_cluster_ip,
    needs_health_check,
    node_ports,
)
from kubewright.server.kinds.kind import Errors, Object

__all__ = [
    "SERVICE_IP_RANGE",
    "SERVICE_NODE_PORTS",
    "Allocation",
    "InUse",
    "allocate_service",
    "allocated_by",
]

SERVICE_IP_RANGE: Final = IPv4Network("10.0.0.0/24")
"""The range of cluster IPs that kube-apiserver has by default."""

SERVICE_NODE_PORTS: Final = range(30000, 32768)
"""The range of node ports that kube-apiserver has by default."""

_FAMILY: Final = "IPv4"


class InUse(NamedTuple):
    """What a service holds."""

    ips: list[str]
    ports: list[int]


class Allocation(msgspec.Struct):
    """What an allocation took and gave back, or why it failed: then nothing is to be taken or released."""

    ips: list[str] = []
    """The cluster IPs that are taken now."""
    ports: list[int] = []
    """The node ports that are taken now."""
    released: InUse = InUse([], [])
    """What is free once the write has happened."""
    errors: Errors = []
    """The causes of an Invalid status; the other validation does not run then, as upstream."""
    failure: str = ""
    """The message of a status 500."""
    reason: str = ""
    """The reason of that status: InternalError, or none at all, as upstream."""


class _Failed(Exception):
    def __init__(self, errors: Errors, failure: str = "") -> None:
        super().__init__()
        self.errors = errors
        self.failure = failure


def allocated_by(obj: Object) -> InUse:
    """All cluster IPs and node ports that a service holds."""
    spec = obj.get("spec") or {}
    ips = [ip for ip in spec.get("clusterIPs") or () if ip != "None"] if needs_cluster_ip(spec) else []
    # After a change of the type, an object may still have the ports that its old type gave it.
    has_ports = spec.get("type") in {"NodePort", "LoadBalancer"}
    ports = list(dict.fromkeys(node_ports(spec))) if has_ports else []
    if needs_health_check(spec) and spec.get("healthCheckNodePort"):
        ports.append(spec["healthCheckNodePort"])
    return InUse(ips, ports)


def allocate_service(
    obj: Object,
    old: Object | None,
    *,
    taken_ips: Container[str],
    taken_ports: Container[int],
    random: Random,
    dry_run: bool = False,
    ip_range: IPv4Network = SERVICE_IP_RANGE,
    port_range: range = SERVICE_NODE_PORTS,
) -> Allocation:
    """Fill in clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, the node ports and healthCheckNodePort.

    `old` is the stored service of an update and is not changed. Nothing is really taken by a dry run, which
    gives the first address of the range and ports that are made up, as upstream.
    """
    spec = obj.setdefault("spec", {})
    old_spec = (old.get("spec") or {}) if old is not None else None
    allocation = Allocation()
    ports = NodePorts(taken_ports, port_range, random, dry_run=dry_run)
    name = (obj.get("metadata") or {}).get("name") or ""
    give = _IPs(taken_ips, ip_range, random, name, dry_run=dry_run)
    try:
        if old_spec is not None:
            _keep_allocated(spec, old_spec)
        _normalize_cluster_ips(spec, old_spec)
        _init_families(spec, old_spec)
        if old_spec is None or not needs_cluster_ip(old_spec):
            _give_cluster_ip(spec, give)
        if old_spec is None:
            give_ports(spec, ports)
        else:
            update_ports(spec, old_spec, ports)
    except _Failed as failed:
        return Allocation(
            errors=failed.errors, failure=failed.failure, reason="InternalError" if failed.failure else ""
        )
    except PortFailure as failed:
        return Allocation(errors=failed.errors, failure=failed.failure, reason=failed.reason)
    if not dry_run:
        allocation.ips, allocation.ports = give.given, list(ports.given)
        allocation.released = _released(obj, old)
    return allocation


def _released(obj: Object, old: Object | None) -> InUse:
    if old is None:
        return InUse([], [])
    now, before = allocated_by(obj), allocated_by(old)
    return InUse(
        [ip for ip in before.ips if ip not in now.ips],
        [port for port in before.ports if port not in now.ports],
    )


class _IPs:
    """Gives out cluster IPs: dynamic ones from the upper part of the range first, as KEP-3070 has it."""

    def __init__(
        self, taken: Container[str], ip_range: IPv4Network, random: Random, service: str, *, dry_run: bool
    ) -> None:
        """`service` is the name of who gets the addresses."""
        self._taken = taken
        self._range = ip_range
        self._random = random
        self._service = service
        self._dry_run = dry_run
        self.given: list[str] = []

    def wanted(self, wanted: str, shown: list[str]) -> str:
        """The IP that somebody asks for. Raises if it cannot be had."""
        wrong = self._wrong(wanted)
        if wrong:
            detail = f"failed to allocate IP {wanted}: {wrong}"
            raise _Failed([invalid("spec.clusterIPs", shown, detail)])
        self.given.append(wanted)
        return wanted

    def _wrong(self, wanted: str) -> str:
        address = parse_ip(wanted)
        first, last = int(self._range.network_address) + 1, int(self._range.broadcast_address) - 1
        if not isinstance(address, IPv4Address) or not first <= int(address) <= last:
            if self._dry_run:
                return (
                    f"the provided IP ({wanted}) is not in the valid range. "
                    f"The range of valid IPs is {self._range}"
                )
            return "the provided network does not match the current range"
        if not self._dry_run and str(address) in self._taken:
            return "provided IP is already allocated"
        return self._nobodys(str(address))

    def _nobodys(self, address: str) -> str:
        """Upstream keeps an object for each address, which names its service and cannot without a name."""
        if self._dry_run:
            return ""
        name, path = self._service, "spec.parentRef.name"
        errors = [invalid(path, name, each) for each in is_path_segment_name(name)]
        if not name:
            errors = [required(path)]
        if not errors:
            return ""
        told = str(errors[0]) if len(errors) == 1 else f"[{', '.join(map(str, errors))}]"
        return f"IPAddress.networking.k8s.io {go_quote(address)} is invalid: {told}"

    def any_free(self) -> str:
        """Any IP. Raises if there is none."""
        base, size = int(self._range.network_address), self._range.num_addresses
        if self._dry_run:
            return str(self._range.network_address)
        # Upstream: a sixteenth of the range, but 16 to 256 addresses, is kept for those who name an IP.
        static = min(max(16, size // 16), 256) if size > 16 else 0
        for low, high in ((1 + static, size - 1), (1, 1 + static)):
            found = self._free(base, low, min(high, size - 1))
            wrong = self._nobodys(found) if found else ""
            if wrong:
                raise _Failed([invalid("spec.clusterIPs", [""], f"failed to allocate IP: {wrong}")])
            if found:
                self.given.append(found)
                return found
        message = f"failed to allocate a serviceIP for Service {go_quote(self._service)}: range is full"
        raise _Failed([], f"Internal error occurred: {message}")

    def _free(self, base: int, low: int, high: int) -> str:
        count = high - low
        start = self._random.randrange(count) if count > 0 else 0
        for step in range(max(count, 0)):
            ip = str(IPv4Address(base + low + (start + step) % count))
            if ip not in self._taken:
                return ip
        return ""


def _keep_allocated(spec: Object, old: Object) -> None:
    """Take over from the stored service what the update leaves out: a client need not send it again."""
    if needs_cluster_ip(old) and needs_cluster_ip(spec):
        if not spec.get("clusterIP") and old.get("clusterIP"):
            spec["clusterIP"] = old["clusterIP"]
        if not spec.get("clusterIPs") and old.get("clusterIPs"):
            spec["clusterIPs"] = list(old["clusterIPs"])
    if _has_node_ports(old) and _has_node_ports(spec):
        used = set(node_ports(old)).intersection(node_ports(spec))
        by_name = {port.get("name") or "": port.get("nodePort") or 0 for port in old.get("ports") or ()}
        for port in spec.get("ports") or ():
            before = by_name.get(port.get("name") or "", 0)
            if not port.get("nodePort") and before and before not in used:
                port["nodePort"] = before
    if needs_health_check(old) and needs_health_check(spec) and old.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = spec.get("healthCheckNodePort") or old["healthCheckNodePort"]


def _has_node_ports(spec: Object) -> bool:
    kind = spec.get("type")
    return kind == "NodePort" or (
        kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is not False
    )


def _normalize_cluster_ips(spec: Object, old: Object | None) -> None:
    """Make clusterIPs follow clusterIP, for clients that know only the older field."""
    ip, ips = spec.get("clusterIP") or "", spec.get("clusterIPs") or []
    if old is None:
        if ip and not ips:
            spec["clusterIPs"] = [ip]
        return
    old_ip, old_ips = old.get("clusterIP") or "", old.get("clusterIPs") or []
    if old_ips and not ips and ip == old_ip:
        ips = spec["clusterIPs"] = list(old_ips)
    if ip != old_ip and ips == old_ips:
        if ip:
            spec["clusterIPs"] = [ip]
        else:
            spec.pop("clusterIPs", None)


def _init_families(spec: Object, old: Object | None) -> None:
    """Fill in ipFamilyPolicy and ipFamilies. Raises with what cannot be had in a cluster of one family."""
    if not needs_cluster_ip(spec) or (old is not None and _is_settled(spec, old)):
        return
    headless = spec.get("clusterIP") == "None" and not spec.get("selector")
    if spec.get("ipFamilyPolicy") is None:
        kept = old.get("ipFamilyPolicy") if old is not None else None
        spec["ipFamilyPolicy"] = kept or ("RequireDualStack" if headless else "SingleStack")
    errors = validate_cluster_ips(spec, old)
    if errors:
        raise _Failed(errors)
    errors = _change_of_stacks(spec, old) if old is not None else []
    errors += _families_of_ips(spec)
    if errors:
        raise _Failed(errors)
    families = spec.get("ipFamilies") or [_FAMILY]
    if headless:
        # Whoever makes the endpoints of such a service may use either family.
        if len(families) < 2 and spec["ipFamilyPolicy"] != "SingleStack":
            families = [*families, "IPv6" if families[0] == "IPv4" else "IPv4"]
        spec["ipFamilies"] = families
        return
    if spec["ipFamilyPolicy"] == "RequireDualStack":
        detail = "this cluster is not configured for dual-stack services"
        errors.append(invalid("spec.ipFamilyPolicy", "RequireDualStack", detail))
    for index, family in enumerate(families):
        if family != _FAMILY:
            errors.append(invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster"))
    if errors:
        raise _Failed(errors)
    spec["ipFamilies"] = families


def _is_settled(spec: Object, old: Object) -> bool:
    """Whether a service that prefers two families has what it can get, and the update keeps all of it."""
    return (
        spec.get("type") == old.get("type")
        and spec.get("type") in {"ClusterIP", "NodePort", "LoadBalancer"}
        and spec.get("ipFamilyPolicy") == "PreferDualStack"
        and old.get("ipFamilyPolicy") in {None, "PreferDualStack"}
        and (spec.get("clusterIPs") or []) == (old.get("clusterIPs") or [])
        and (spec.get("ipFamilies") or []) == (old.get("ipFamilies") or [])
    )


def _change_of_stacks(spec: Object, old: Object) -> Errors:
    errors: Errors = []
    for field, what in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")):
        values, old_values = spec.get(field) or [], old.get(field) or []
        if spec["ipFamilyPolicy"] == "SingleStack":
            if values == old_values and len(values) > 1:
                spec[field] = values[:1]
        elif values and len(values) < len(old_values):
            detail = f"must be 'SingleStack' to release the secondary {what}"
            errors.append(invalid("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], detail))
    return errors


def _families_of_ips(spec: Object) -> Errors:
    errors: Errors = []
    ips, families = spec.get("clusterIPs") or [], list(spec.get("ipFamilies") or [])
    if spec["ipFamilyPolicy"] == "SingleStack":
        for values, what in ((ips, "cluster IPs"), (families, "IP families")):
            if len(values) == 2:
                detail = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
                errors.append(invalid("spec.ipFamilyPolicy", "SingleStack", detail))
    for index, ip in enumerate(ips):
        if ip == "None":
            break
        if index >= len(families):
            if is_ipv6(ip):
                detail = "IPv6 is not configured on this cluster"
                errors.append(invalid(f"spec.clusterIPs[{index}]", ips, detail))
            else:
                families.append(_FAMILY)
    if families:
        spec["ipFamilies"] = families
    return errors


def _give_cluster_ip(spec: Object, give: _IPs) -> None:
    ips = list(spec.get("clusterIPs") or [])
    if not needs_cluster_ip(spec) or ips[:1] == ["None"]:
        return
    # The families are validated: there is one.
    shown = ips or [""]
    ip = give.wanted(shown[0], shown) if shown[0] else give.any_free()
    spec["clusterIPs"] = [ip, *ips[1:]]
    spec["clusterIP"] = ip
