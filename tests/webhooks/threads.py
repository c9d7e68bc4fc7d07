"""A webhook server in a thread with an event loop of its own, for tests that block."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from kubewright import Resource
from kubewright.webhooks import WebhookServer

__all__ = ["serving"]


@contextmanager
def serving(*kinds: type[Resource], **options: Any) -> Iterator[WebhookServer]:
    """A server that converts these kinds, until the block is left."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def ran(coroutine: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, loop).result(30)

    webhooks = WebhookServer(**options)
    if kinds:
        webhooks.add_conversion(*kinds)
    try:
        ran(webhooks.__aenter__())
        try:
            yield webhooks
        finally:
            ran(webhooks.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
