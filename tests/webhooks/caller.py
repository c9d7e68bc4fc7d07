"""A webhook server in the event loop of a test, and one who calls it as an API server would."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from kubewright.webhooks import WebhookServer
from tests.crd.versioned_kinds import Site

__all__ = ["JSON", "Caller", "review", "run"]

JSON = {"Content-Type": "application/json"}


def review(name: str = "web", address: str = "a:80", count: int = 1) -> bytes:
    obj = {
        "apiVersion": "sites.example.com/v1beta1",
        "kind": "Site",
        "metadata": {"name": name},
        "spec": {"address": address, "minReplicas": 1, "maxReplicas": 2},
    }
    request = {"uid": name, "desiredAPIVersion": "sites.example.com/v1", "objects": [obj] * count}
    body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
    return json.dumps(body).encode()


class Caller:
    """Sends requests to a server as an API server would, trusting its bundle alone."""

    def __init__(self, webhooks: WebhookServer, session: aiohttp.ClientSession) -> None:
        self.webhooks = webhooks
        self._session = session
        self._context = ssl.create_default_context(cadata=webhooks.ca_bundle.decode())

    async def send(
        self,
        body: Any = b"",
        *,
        path: str = "/convert",
        method: str = "POST",
        headers: dict[str, str] | None = None,
    ) -> tuple[int, str]:
        url = f"{self.webhooks.url}{path}"
        sent = JSON if headers is None else headers
        async with self._session.request(method, url, data=body, headers=sent, ssl=self._context) as answer:
            return answer.status, await answer.text()

    async def review(self, **options: Any) -> Any:
        status, text = await self.send(review(**options))
        assert status == 200, text
        return json.loads(text)["response"]


@asynccontextmanager
async def called(**options: Any) -> AsyncIterator[Caller]:
    async with WebhookServer(**options) as webhooks, aiohttp.ClientSession() as session:
        webhooks.add_conversion(Site)
        yield Caller(webhooks, session)


def run(test: Callable[[Caller], Awaitable[None]], **options: Any) -> None:
    async def ran() -> None:
        async with asyncio.timeout(120), called(**options) as caller:
            await test(caller)

    asyncio.run(ran())
