"""Addresses and ports of services: given out once, and given back."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from kubewright.machinery.errors import Invalid
from kubewright.server.registry.delete import DeleteRequest, delete
from kubewright.server.registry.services import ServiceReservations
from kubewright.server.storage import MemoryStorage
from tests.server.registry.objects import made, new_store, write


def service(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {
            "type": "ClusterIP",
            "sessionAffinity": "None",
            "internalTrafficPolicy": "Cluster",
            "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
            **spec,
        },
    }


def new_reservations() -> ServiceReservations:
    return ServiceReservations(MemoryStorage(), "/registry/services/", Random(1))  # noqa: S311


def test_each_service_gets_an_address_of_its_own() -> None:
    reservations = new_reservations()
    services = [service(f"s{number}") for number in range(20)]
    for each in services:
        reservations.reserve(each, None, dry_run=False).written()
    assert len({each["spec"]["clusterIP"] for each in services}) == 20


def test_an_address_that_is_taken_is_refused_until_it_is_released() -> None:
    reservations = new_reservations()
    first = service("a", clusterIP="10.0.0.77", clusterIPs=["10.0.0.77"])
    reservations.reserve(first, None, dry_run=False).written()
    wanted = service("b", clusterIP="10.0.0.77", clusterIPs=["10.0.0.77"])
    with pytest.raises(Invalid, match=r"spec\.clusterIPs: Invalid value: .*10\.0\.0\.77"):
        reservations.reserve(wanted, None, dry_run=False)
    reservations.release(first)
    reservations.reserve(wanted, None, dry_run=False).written()


def test_a_failed_write_gives_back_what_it_took() -> None:
    reservations = new_reservations()
    ports = [{"port": 80, "protocol": "TCP", "targetPort": 80, "nodePort": 30007}]
    obj = service("a", type="NodePort", externalTrafficPolicy="Cluster", ports=ports)
    reservations.reserve(obj, None, dry_run=False).failed()
    again = service("b", type="NodePort", externalTrafficPolicy="Cluster", ports=[dict(ports[0])])
    reservations.reserve(again, None, dry_run=False).written()
    other = service("c", type="NodePort", externalTrafficPolicy="Cluster", ports=[dict(ports[0])])
    with pytest.raises(Invalid, match="30007"):
        reservations.reserve(other, None, dry_run=False)


def test_a_write_frees_what_the_object_had_and_has_no_more() -> None:
    reservations = new_reservations()
    ports = [{"port": 80, "protocol": "TCP", "targetPort": 80, "nodePort": 30008}]
    old = service("a", type="NodePort", externalTrafficPolicy="Cluster", ports=ports)
    reservations.reserve(old, None, dry_run=False).written()
    new = service("a", clusterIP=old["spec"]["clusterIP"], clusterIPs=old["spec"]["clusterIPs"])
    reservation = reservations.reserve(new, old, dry_run=False)
    other = service("b", type="NodePort", externalTrafficPolicy="Cluster", ports=[dict(ports[0])])
    with pytest.raises(Invalid, match="30008"):
        # Not before it is written: it may still fail.
        reservations.reserve(other, old=None, dry_run=False)
    reservation.written()
    reservations.reserve(other, None, dry_run=False).written()


def test_what_is_stored_already_is_taken() -> None:
    async def check() -> None:
        store = new_store("services")
        await made(store, service("a", clusterIP="10.0.0.88", clusterIPs=["10.0.0.88"]))
        # A server that starts on this store reads it.
        reservations = ServiceReservations(store.storage, store.type.prefix, Random(1))  # noqa: S311
        with pytest.raises(Invalid, match=r"10\.0\.0\.88"):
            reservations.reserve(
                service("b", clusterIP="10.0.0.88", clusterIPs=["10.0.0.88"]), None, dry_run=False
            )

    asyncio.run(check())


def test_a_deleted_service_lets_go() -> None:
    async def check() -> None:
        store = new_store("services")
        for _ in range(3):
            await made(store, service("a", clusterIP="10.0.0.99", clusterIPs=["10.0.0.99"]))
            await delete(store, "a", DeleteRequest(), write())

    asyncio.run(check())
