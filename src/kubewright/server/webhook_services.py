"""Where the services of webhooks are: upstream's resolver, with endpoints in place of a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.field_errors import go_quote
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.stored import decode_stored, read_meta
from kubewright.server.storage import Storage

__all__ = ["Address", "Resolver", "ServiceError", "StoredServices"]

_SERVICE_NAME: Final = "kubernetes.io/service-name"
"""The label by which the slices of a service are found."""


class ServiceError(KubewrightError):
    """A service that cannot be reached; the message says why."""


class Address(NamedTuple):
    """Where a service is."""

    host: str
    port: int


class Resolver(Protocol):
    """Finds services."""

    def resolve(self, namespace: str, name: str, port: int) -> Address:
        """Where a port of a service is. Raises ServiceError."""
        ...


class StoredServices:
    """Finds services by what is stored of them.

    A service of type ExternalName is where its name says, as upstream has it. Any other is at its first ready
    endpoint, of its EndpointSlices or else of its Endpoints: nobody listens at cluster addresses here.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage: Final = storage

    def resolve(self, namespace: str, name: str, port: int) -> Address:
        """Where a port of a service is. Raises ServiceError."""
        entry = self._storage.get(f"{REGISTRY_ROOT}services/{namespace}/{name}")
        if entry is None:
            raise ServiceError(f"service {go_quote(name)} not found")
        spec: Mapping[str, Any] = decode_stored(entry.value).get("spec") or {}
        if spec.get("type") == "ExternalName":
            return Address(spec.get("externalName") or "", port)
        for each in spec.get("ports") or ():
            if each.get("port") == port:
                called = each.get("name") or ""
                break
        else:
            raise ServiceError(f"no service port {port} found for service {go_quote(name)}")
        found = next(self._endpoints(namespace, name, called), None)
        if found is None:
            raise ServiceError(
                f"no endpoints available for service {go_quote(name)}: this server has no network of "
                "services; give the service endpoints, or use clientConfig.url"
            )
        return found

    def _endpoints(self, namespace: str, name: str, port_name: str) -> Iterator[Address]:
        for entry in self._storage.list(f"{REGISTRY_ROOT}endpointslices/{namespace}/").entries:
            if (read_meta(entry.value).labels or {}).get(_SERVICE_NAME) == name:
                yield from _of_slice(decode_stored(entry.value), port_name)
        stored = self._storage.get(f"{REGISTRY_ROOT}endpoints/{namespace}/{name}")
        for subset in (decode_stored(stored.value).get("subsets") or ()) if stored is not None else ():
            for port in subset.get("ports") or ():
                if (port.get("name") or "") == port_name:
                    for address in subset.get("addresses") or ():
                        yield Address(address["ip"], port["port"])


def _of_slice(found: Mapping[str, Any], port_name: str) -> Iterator[Address]:
    for port in found.get("ports") or ():
        if (port.get("name") or "") != port_name or port.get("port") is None:
            continue
        for endpoint in found.get("endpoints") or ():
            if (endpoint.get("conditions") or {}).get("ready") is not False:
                yield Address(endpoint["addresses"][0], port["port"])
