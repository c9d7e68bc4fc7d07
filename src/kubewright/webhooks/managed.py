"""What a manager does with a webhook server: it takes functions in, lends its client, and runs it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.resource import Resource

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.webhooks.review import Review
    from kubewright.webhooks.server import WebhookServer

__all__ = ["add_webhook", "running"]

K = TypeVar("K", bound=Resource)


def add_webhook(
    server: WebhookServer | None, function: Callable[[Review[K]], Coroutine[Any, Any, None]]
) -> Callable[[Review[K]], Coroutine[Any, Any, None]]:
    """Have a function served by a manager's server. Raises DeclarationError, also when it has none."""
    if server is None:
        shown = getattr(function, "__qualname__", repr(function))
        raise DeclarationError(
            f"webhook({shown}): the manager has no webhook server; give Manager(webhooks=WebhookServer(...))"
        )
    return server.add(function)


@asynccontextmanager
async def running(server: WebhookServer | None, client: Client) -> AsyncIterator[None]:
    """Serve the webhooks of a manager, if it has any, with or without leadership: every replica is asked."""
    if server is None:
        yield
        return
    server.lend(client)
    async with server:
        yield
