"""Where services of webhooks are found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from kubewright.server.registry.stored import split
from kubewright.server.storage import MemoryStorage
from kubewright.server.webhook_services import Address, ServiceError, StoredServices

CLUSTER_IP = {"type": "ClusterIP", "clusterIP": "10.0.0.9", "ports": [{"name": "https", "port": 443}]}


def resolved(*stored: tuple[str, dict[str, Any]], port: int = 443) -> Address:
    """Where the service web of the namespace n is, of what is stored."""

    async def found() -> Address:
        storage = MemoryStorage()
        for key, obj in stored:
            await storage.create(f"/registry/{key}", split({"metadata": {}, **obj}, with_type=False))
        return StoredServices(storage).resolve("n", "web", port)

    return asyncio.run(found())


def service(spec: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "services/n/web", {"spec": spec}


def sliced(name: str, *, ready: bool | None = None, **fields: Any) -> tuple[str, dict[str, Any]]:
    conditions = {} if ready is None else {"ready": ready}
    return f"endpointslices/n/{name}", {
        "metadata": {"labels": {"kubernetes.io/service-name": "web"}},
        "ports": [{"name": "other", "port": 1}, {"name": "https", "port": 8443}],
        "endpoints": [{"addresses": [f"10.1.0.{len(name)}"], "conditions": conditions}],
        **fields,
    }


def test_a_name_outside() -> None:
    found = resolved(service({"type": "ExternalName", "externalName": "localhost"}), port=9443)
    assert found == Address("localhost", 9443)


def test_the_first_ready_endpoint() -> None:
    found = resolved(service(CLUSTER_IP), sliced("a", ready=False), sliced("bb", ready=True), sliced("ccc"))
    assert found == Address("10.1.0.2", 8443)


def test_slices_of_other_services_do_not_count() -> None:
    other = sliced("a", metadata={"labels": {"kubernetes.io/service-name": "other"}})
    assert resolved(service(CLUSTER_IP), other, sliced("bb")) == Address("10.1.0.2", 8443)


def test_endpoints_without_slices() -> None:
    subset = {"addresses": [{"ip": "10.2.0.1"}], "ports": [{"name": "https", "port": 9443}]}
    pending = {"notReadyAddresses": [{"ip": "10.2.0.2"}], "ports": [{"name": "https", "port": 1}]}
    endpoints = ("endpoints/n/web", {"subsets": [pending, subset]})
    assert resolved(service(CLUSTER_IP), endpoints) == Address("10.2.0.1", 9443)


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        (list, 'service "web" not found'),
        (lambda: [service({**CLUSTER_IP, "ports": [{"port": 80}]})], "no service port 443 found"),
        (lambda: [service(CLUSTER_IP)], "no endpoints available for service .*use clientConfig.url"),
        (lambda: [service(CLUSTER_IP), sliced("a", ready=False)], "no endpoints available"),
        (lambda: [service(CLUSTER_IP), sliced("a", ports=[{"name": "http", "port": 80}])], "no endpoints"),
        (lambda: [service(CLUSTER_IP), sliced("a", endpoints=None)], "no endpoints available"),
    ],
)
def test_nowhere(stored: Callable[[], list[tuple[str, dict[str, Any]]]], why: str) -> None:
    with pytest.raises(ServiceError, match=why):
        resolved(*stored())
