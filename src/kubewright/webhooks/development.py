"""Webhooks of a program that runs beside its API server, on one machine: for development."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final

from kubewright.controllers.stopping import unwrapped
from kubewright.crd.declaration import declaration_of
from kubewright.machinery.errors import ApiError, NotFound, TransportError
from kubewright.machinery.resource import Resource
from kubewright.webhooks.installation import install, uninstall

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.client.client import Client
    from kubewright.models.apiextensions_v1 import CustomResourceConversion, CustomResourceDefinition
    from kubewright.webhooks.server import WebhookServer

__all__ = ["install_while_running"]

_log: Final = logging.getLogger("kubewright.webhooks")


async def install_while_running(
    client: Client, server: WebhookServer, *, name: str, converted: Sequence[type[Resource]] = ()
) -> None:
    """Have an API server ask a webhook server, by its URL, until this is cancelled, and no longer.

    `install` makes configurations of that `name`, which are deleted at the end. The definitions of
    `converted` kinds have objects converted by the server meanwhile, and say what they said before at the
    end, unless others have changed that; one that is not there does so when it comes. It is for
    `manager.add(..., leader=False)`. Raises ApiError.
    """
    with unwrapped():
        async with asyncio.TaskGroup() as tasks, AsyncExitStack() as stack:
            for kind in converted:
                converting = _converting(client, server, kind)
                if await _is_defined(client, kind):
                    await stack.enter_async_context(converting)
                else:
                    tasks.create_task(_later(client, kind, converting))
            await stack.enter_async_context(_asking(client, server, name))
            _log.info("the API server asks the webhooks at %s", server.url)
            await asyncio.Event().wait()


async def _is_defined(client: Client, kind: type[Resource]) -> bool:
    try:
        await _definitions(client).get(_name_of(kind))
    except NotFound:
        return False
    return True


async def _later(client: Client, kind: type[Resource], converting: AbstractAsyncContextManager[None]) -> None:
    """Begin when the definition is there, and go on until this is cancelled."""
    _log.info("there is no definition %s; its objects are converted when it is there", _name_of(kind))
    async with _definitions(client).watch(name=_name_of(kind)) as changes:
        async for change in changes:
            if change.type in {"ADDED", "MODIFIED"}:
                break
    async with converting:
        await asyncio.Event().wait()


@asynccontextmanager
async def _asking(client: Client, server: WebhookServer, name: str) -> AsyncIterator[None]:
    try:
        await install(client, server, name=name)
        yield
    finally:
        try:
            await uninstall(client, name=name)
        except (ApiError, TransportError) as error:
            _log.warning(
                "the webhook configurations %s are left, which keep objects from being written (%s); "
                "delete them with kubectl",
                name,
                error,
            )


@asynccontextmanager
async def _converting(client: Client, server: WebhookServer, kind: type[Resource]) -> AsyncIterator[None]:
    name, definitions = _name_of(kind), _definitions(client)
    before = (await definitions.get(name)).spec.conversion
    here = server.conversion()
    try:
        await definitions.patch(name, [_replaced(here)])
        yield
    finally:
        try:
            found = await definitions.get(name)
            # Others may have put another one there meanwhile, as `kubewright deploy` does, which stays.
            if url := _url_of(found.spec.conversion, here):
                is_here = {"op": "test", "path": "/spec/conversion/webhook/clientConfig/url", "value": url}
                await definitions.patch(name, [is_here, _replaced(before)])
        except (ApiError, TransportError) as error:
            _log.warning("the definition %s may still have objects converted here: %s", name, error)


def _name_of(kind: type[Resource]) -> str:
    names = declaration_of(kind).names
    return f"{names.plural}.{names.group}"


def _definitions(client: Client) -> Api[CustomResourceDefinition]:
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - few need it

    return client.api(CustomResourceDefinition)


def _replaced(conversion: CustomResourceConversion | None) -> dict[str, object]:
    """A step of a JSON patch, since a merge would mix where the webhook is with where it was."""
    value = conversion.to_dict() if conversion is not None else {"strategy": "None"}
    return {"op": "add", "path": "/spec/conversion", "value": value}


def _url_of(found: CustomResourceConversion | None, ours: CustomResourceConversion) -> str:
    """Where objects are converted, if that is here."""
    urls = [
        each.webhook.client_config.url if each and each.webhook and each.webhook.client_config else ""
        for each in (found, ours)
    ]
    return urls[0] if urls[0] == urls[1] else ""
