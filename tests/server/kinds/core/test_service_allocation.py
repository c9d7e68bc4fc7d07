"""What is given out to services: against a real kube-apiserver, and what only shows over several writes."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv4Network
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.kinds import Context, kind_of
from kubewright.server.kinds.core.service_allocation import (
    SERVICE_IP_RANGE,
    SERVICE_NODE_PORTS,
    Allocation,
    allocate_service,
    allocated_by,
)
from tests.cases import check_each
from tests.server.kinds.core.service_allocation_cases import ANSWERS, CASES, ports, service
from tests.server.kinds.harness import Case, Json, _answer

SERVICE = kind_of("", "services")
CONTEXT = Context(now=datetime(2026, 1, 1, tzinfo=UTC))
RECORDED: Json = json.loads(ANSWERS.read_text())


class Cluster:
    """What is taken, and writes that keep it as a registry does."""

    def __init__(self) -> None:
        self.ips: set[str] = set()
        self.ports: set[int] = set()
        self.random = Random(1)  # noqa: S311 - the same ports in every run

    def allocate(self, obj: Json, old: Json | None = None, **options: Any) -> Allocation:
        SERVICE.default(obj)
        kept = copy.deepcopy(old)
        allocation = allocate_service(
            obj, old, taken_ips=self.ips, taken_ports=self.ports, random=self.random, **options
        )
        assert old == kept, "the old object was changed"
        if not allocation.errors and not allocation.failure:
            self.ips.update(allocation.ips)
            self.ports.update(allocation.ports)
            self.ips.difference_update(allocation.released.ips)
            self.ports.difference_update(allocation.released.ports)
        return allocation

    def write(self, obj: Json, old: Json | None = None) -> Json:
        """The stored form of what must be a good write."""
        obj = copy.deepcopy(obj)
        allocation = self.allocate(obj, old)
        assert not allocation.errors
        assert not allocation.failure
        if old is None:
            SERVICE.prepare_create(obj, CONTEXT)
            assert SERVICE.validate(obj) == []
        else:
            SERVICE.prepare_update(obj, old, CONTEXT)
            assert SERVICE.validate_update(obj, old) == []
        return obj


def test_as_the_real_server() -> None:
    check_each({case.name: case for case in CASES}, _check)


def _check(case: Case) -> None:
    cluster = Cluster()
    old = cluster.write(case.old) if case.old is not None else None
    obj = copy.deepcopy(case.obj)
    allocation = cluster.allocate(obj, old, dry_run=True)
    assert allocation.ips == allocation.ports == []
    expected = RECORDED[case.name]
    if allocation.failure:
        assert {"code": 500, "message": allocation.failure} == expected
        return
    if allocation.errors:
        assert _answer(obj, allocation.errors, []) == expected
        return
    if old is None:
        SERVICE.prepare_create(obj, CONTEXT)
        errors = SERVICE.validate(obj)
    else:
        SERVICE.prepare_update(obj, old, CONTEXT)
        errors = SERVICE.validate_update(obj, old)
    told = _answer(obj, errors, SERVICE.warnings(obj, old))
    _unify(told, expected, case)
    assert told == expected


def _unify(told: Json, expected: Json, case: Case) -> None:
    """An IP that the old object was given by chance is the same on both sides."""
    ours, theirs = (each.get("object", {}).get("spec", {}) for each in (told, expected))
    old_has_ip = case.old is None or "clusterIP" in case.old["spec"] or case.old["spec"].get("externalName")
    if not old_has_ip:
        ours["clusterIP"], ours["clusterIPs"] = theirs["clusterIP"], theirs["clusterIPs"]


def test_dynamic_ips_come_from_the_upper_part_until_it_is_full() -> None:
    cluster = Cluster()
    made = [cluster.write(service())["spec"]["clusterIP"] for _ in range(238)]
    assert min(map(IPv4Address, made)) == IPv4Address("10.0.0.17")
    assert max(map(IPv4Address, made)) == IPv4Address("10.0.0.254")
    rest = [cluster.write(service())["spec"]["clusterIP"] for _ in range(16)]
    assert min(map(IPv4Address, rest)) == IPv4Address("10.0.0.1")
    assert max(map(IPv4Address, rest)) == IPv4Address("10.0.0.16")
    assert len({*made, *rest}) == 254
    full = cluster.allocate(service())
    assert full.failure == (
        'Internal error occurred: failed to allocate a serviceIP for Service "allocation-case": range is full'
    )
    assert full.reason == "InternalError"


@pytest.mark.parametrize(
    ("ip", "told"),
    [
        ("10.0.0.0", "the provided network does not match the current range"),
        ("10.0.0.255", "the provided network does not match the current range"),
        ("10.9.9.9", "the provided network does not match the current range"),
        ("10.0.0.222", "provided IP is already allocated"),
    ],
)
def test_ips_that_cannot_be_had(ip: str, told: str) -> None:
    cluster = Cluster()
    cluster.write(service(clusterIP="10.0.0.222"))
    allocation = cluster.allocate(service(clusterIP=ip))
    assert [tuple(error) for error in allocation.errors] == [
        (
            "FieldValueInvalid",
            "spec.clusterIPs",
            f'Invalid value: ["{ip}"]: failed to allocate IP {ip}: {told}',
        )
    ]
    assert (allocation.ips, allocation.ports) == ([], [])


@pytest.mark.parametrize(
    ("port", "told"),
    [
        (31777, "provided port is already allocated"),
        (80, "provided port is not in the valid range. The range of valid ports is 30000-32767"),
        (32768, "provided port is not in the valid range. The range of valid ports is 30000-32767"),
    ],
)
def test_ports_that_cannot_be_had(port: int, told: str) -> None:
    cluster = Cluster()
    cluster.write(service(type="NodePort", ports=ports(31777)))
    wanted = service(type="NodePort", ports=ports(31000, port))
    allocation = cluster.allocate(wanted)
    assert [tuple(error) for error in allocation.errors] == [
        ("FieldValueInvalid", "spec.ports[1].nodePort", f"Invalid value: {port}: {told}")
    ]
    assert 31000 not in cluster.ports
    local = service(type="LoadBalancer", externalTrafficPolicy="Local", healthCheckNodePort=port)
    told_of_health = (
        f"Internal error occurred: failed to allocate requested HealthCheck NodePort {port}: {told}"
    )
    assert cluster.allocate(local).failure == told_of_health


def test_a_full_range_of_ports() -> None:
    cluster = Cluster()
    small = range(30000, 30002)
    obj = service(type="NodePort", ports=ports(0, 0, 0))
    full = cluster.allocate(obj, port_range=small)
    assert full.failure == "Internal error occurred: failed to allocate a nodePort: range is full"
    local = service(
        type="LoadBalancer",
        externalTrafficPolicy="Local",
        ports=ports(0, 0),
        allocateLoadBalancerNodePorts=True,
    )
    full = cluster.allocate(local, port_range=small)
    assert (
        full.failure == "Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full"
    )


def test_two_ports_of_the_same_protocol_cannot_share_a_node_port_after_an_update() -> None:
    cluster = Cluster()
    old = cluster.write(service(type="NodePort", ports=ports(31777, 31778)))
    allocation = cluster.allocate(service(type="NodePort", ports=ports(31777, 31777)), old)
    assert (allocation.failure, allocation.reason) == ("duplicate nodePort: {TCP 31777}", "")


def test_dynamic_ports_leave_the_lower_part_of_the_range_to_those_who_name_ports() -> None:
    cluster = Cluster()
    made = cluster.write(service(type="NodePort", ports=ports(*[0] * 500)))
    given_out = [port["nodePort"] for port in made["spec"]["ports"]]
    assert len(set(given_out)) == 500
    assert min(given_out) >= 30086
    assert max(given_out) in SERVICE_NODE_PORTS


def test_what_a_service_held_is_free_again() -> None:
    cluster = Cluster()
    local = {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}
    first = cluster.write(service(**local, ports=ports(0, 0)))
    assert len(cluster.ports) == 3
    second = cluster.write(service(**{**local, "externalTrafficPolicy": "Cluster"}, ports=ports(0)), first)
    assert cluster.ports == {second["spec"]["ports"][0]["nodePort"]}
    third = cluster.write(service(type="ClusterIP"), second)
    assert cluster.ports == set()
    assert cluster.ips == {third["spec"]["clusterIP"]}
    external = cluster.write(service(type="ExternalName", externalName="a"), third)
    assert (cluster.ips, cluster.ports) == (set(), set())
    back = cluster.write(service(), external)
    assert cluster.ips == {back["spec"]["clusterIP"]}


TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(TYPES), st.booleans(), st.integers(1, 3)), max_size=12
    )
)
def test_taken_is_always_what_the_services_hold(writes: list[tuple[int, str, bool, int]]) -> None:
    cluster = Cluster()
    stored: dict[int, Json] = {}
    for name, kind, local, count in writes:
        balancer = kind == "LoadBalancer" and local
        spec: dict[str, Any] = {"type": kind, "ports": ports(*[0] * count)}
        spec |= {"externalTrafficPolicy": "Local"} if balancer else {}
        spec |= {"externalName": "a"} if kind == "ExternalName" else {}
        stored[name] = cluster.write(service(**spec), stored.get(name))
        held = [allocated_by(obj) for obj in stored.values()]
        assert sorted(ip for each in held for ip in each.ips) == sorted(cluster.ips)
        assert sorted(port for each in held for port in each.ports) == sorted(cluster.ports)


def test_the_defaults_are_those_of_kube_apiserver() -> None:
    assert IPv4Network("10.0.0.0/24") == SERVICE_IP_RANGE
    assert (SERVICE_NODE_PORTS[0], SERVICE_NODE_PORTS[-1]) == (30000, 32767)
