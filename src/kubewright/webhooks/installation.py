"""`install`: the webhook configurations of a server's functions, put into a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from kubewright.controllers.rbac import rbac
from kubewright.machinery.errors import AlreadyExists, Conflict, NotFound
from kubewright.webhooks.configurations import WebhookConfiguration, make_configurations, service_at

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.models.admissionregistration_v1 import WebhookClientConfig
    from kubewright.webhooks.server import WebhookServer

__all__ = ["install", "uninstall"]

_ATTEMPTS: Final = 5
"""How often a write is tried that another replica's keeps overtaking: theirs say the same."""


_GROUPS: Final = ["admissionregistration.k8s.io"]
_RESOURCES: Final = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]


@rbac(groups=_GROUPS, resources=_RESOURCES, verbs=["create", "get", "update", "delete"])
async def install(
    client: Client,
    server: WebhookServer,
    *,
    name: str,
    service: str = "",
    port: int | None = None,
    labels: Mapping[str, str] | None = None,
) -> list[WebhookConfiguration]:
    """Have an API server ask the functions of a webhook server, by configurations of this name.

    Without `service` it calls the server's URL, which is for development: the server runs. With it, written
    `namespace/name`, it calls that service, at `port` or 443. A configuration of that name for which there
    are no functions any more is deleted. Returns the configurations as they are. Raises ApiError, and
    DeclarationError for functions that cannot be served together.
    """
    client_config = _service(server, service, port) if service else _at_url(server)
    wanted = make_configurations(server.declarations, client_config, mutating_name=name, validating_name=name)
    if labels:
        for each in wanted:
            each.metadata.labels = dict(labels)
    made = [await _put(client, each) for each in wanted]
    for kind in _kinds():
        if kind not in {type(each) for each in wanted}:
            await _drop(client, kind, name)
    return made


@rbac(groups=_GROUPS, resources=_RESOURCES, verbs=["delete"])
async def uninstall(client: Client, *, name: str) -> None:
    """Take the configurations of `name` out of a cluster, which then asks nobody. Raises ApiError."""
    for kind in _kinds():
        await _drop(client, kind, name)


def _kinds() -> tuple[type[Any], ...]:
    from kubewright.models.admissionregistration_v1 import (  # noqa: PLC0415 - large, and seldom used
        MutatingWebhookConfiguration,
        ValidatingWebhookConfiguration,
    )

    return (MutatingWebhookConfiguration, ValidatingWebhookConfiguration)


def _at_url(server: WebhookServer) -> Any:
    from kubewright.models.admissionregistration_v1 import WebhookClientConfig  # noqa: PLC0415 - as above

    def client_config(path: str) -> WebhookClientConfig:
        made = WebhookClientConfig(url=f"{server.url}{path}")
        if server.ca_bundle:
            made.ca_bundle = server.ca_bundle
        return made

    return client_config


def _service(server: WebhookServer, service: str, port: int | None) -> Any:
    namespace, slash, name = service.partition("/")
    if not (namespace and slash and name):
        raise ValueError(f"service={service!r} does not say where it is; write namespace/name")
    return service_at(name, namespace, port=port, ca_bundle=server.ca_bundle)


async def _put(client: Client, wanted: Any) -> Any:
    """Create an object, or make the present one say the same."""
    api = client.api(type(wanted))
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            try:
                return await api.create(wanted)
            except AlreadyExists:
                present = await api.get(wanted.metadata.name)
                present.webhooks = wanted.webhooks
                present.metadata.labels = {**present.metadata.labels, **wanted.metadata.labels}
                return await api.update(present)
        except (Conflict, NotFound):
            # It was changed or deleted between reading and writing.
            if attempt == _ATTEMPTS:
                raise
    raise AssertionError("unreachable")


async def _drop(client: Client, kind: type[Any], name: str) -> None:
    with suppress(NotFound):
        await client.api(kind).delete(name)
