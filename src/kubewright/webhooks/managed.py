"""What a manager does with a webhook server: it takes functions in, lends its client, and runs it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from kubewright.controllers.probes import CheckFailed
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.resource import Resource
from kubewright.webhooks.declaration import webhook_of

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.controllers.cached_client import CachedClient
    from kubewright.webhooks.review import Review
    from kubewright.webhooks.server import WebhookServer

__all__ = ["Webhooks", "add_webhook", "check_served", "running"]

K = TypeVar("K", bound=Resource)

Webhooks: TypeAlias = "WebhookServer | Literal[False] | None"
"""What serves a manager's webhooks; False for nobody, who takes them in nevertheless."""


def add_webhook(
    server: Webhooks, function: Callable[[Review[K]], Coroutine[Any, Any, None]]
) -> Callable[[Review[K]], Coroutine[Any, Any, None]]:
    """Have a function served by a manager's server. Raises DeclarationError, also when it has none.

    Where nobody is to serve it, it is checked as a server would.
    """
    shown = getattr(function, "__qualname__", repr(function))
    if server is None:
        raise DeclarationError(
            f"webhook({shown}): the manager has no webhook server; give Manager(webhooks=WebhookServer(...)) "
            "one, or webhooks=False to run without"
        )
    if server is not False:
        return server.add(function)
    if webhook_of(function) is None:
        raise DeclarationError(
            f"webhook({shown}): it is no webhook; decorate it with @defaulting(Kind) or @validating(Kind)"
        )
    return function


def check_served(server: WebhookServer) -> None:
    """Raise CheckFailed while a manager's webhooks are not served: API servers ask pods that are ready."""
    if not server.is_running:
        raise CheckFailed("the webhooks are not served yet")


@asynccontextmanager
async def running(
    server: Webhooks, client: Client, cached: CachedClient | None = None
) -> AsyncIterator[None]:
    """Serve the webhooks of a manager, if it has any, with or without leadership: every replica is asked.

    `cached` is what functions read with, of the same cluster as `client`. A server that runs already is the
    caller's, who may need its URL before, for a kind that it converts.
    """
    if server:
        server.lend(client, cached)
    if not server or server.is_running:
        yield
        return
    async with server:
        yield
