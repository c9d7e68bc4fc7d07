"""Calling webhooks: JSON over HTTPS to where a configuration says, within bounds of time and size."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
import msgspec

from kubewright.machinery.errors import KubewrightError
from kubewright.server.kinds.kind import Object

__all__ = ["WebhookClient", "WebhookError"]

_MAX_ANSWER: Final = 64 * 1024 * 1024
"""The largest answer that is read: a conversion may send back a whole list."""


class WebhookError(KubewrightError):
    """A webhook could not be called, or did not answer properly; the message says why."""


class WebhookClient:
    """Calls webhooks over connections that are kept. Close it with `close`."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def call(self, client_config: Mapping[str, Any], body: Object, *, within: float) -> Object:
        """Send a review to a webhook and return its answer. Raises WebhookError."""
        url = client_config.get("url")
        if not url:
            service = client_config.get("service") or {}
            name = f"{service.get('namespace', '')}/{service.get('name', '')}"
            raise WebhookError(
                f"the webhook is behind the service {name}, and this server has no network of services; "
                "use clientConfig.url"
            )
        try:
            async with asyncio.timeout(within):
                return await self._post(str(url), client_config.get("caBundle"), body)
        except TimeoutError:
            raise WebhookError(f"Post {url!r}: no answer within {within:g} seconds") from None
        except (aiohttp.ClientError, OSError, ssl.SSLError) as error:
            raise WebhookError(f"Post {url!r}: {error}") from None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def _post(self, url: str, bundle: str | None, body: Object) -> Object:
        if self._session is None:
            self._session = aiohttp.ClientSession(auto_decompress=True)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        async with self._session.post(
            url,
            data=msgspec.json.encode(body),
            headers=headers,
            ssl=_context(bundle),
            allow_redirects=False,
        ) as response:
            data = await response.content.read(_MAX_ANSWER + 1)
            if len(data) > _MAX_ANSWER:
                raise WebhookError(f"Post {url!r}: the answer is larger than {_MAX_ANSWER} bytes")
            if response.status >= 300:
                raise WebhookError(f"Post {url!r}: the webhook answered with status {response.status}")
        return _object(url, data)


def _object(url: str, data: bytes) -> Object:
    try:
        decoded = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        raise WebhookError(f"Post {url!r}: the answer is no JSON object")
    return decoded


def _context(bundle: str | None) -> ssl.SSLContext:
    try:
        authorities = base64.b64decode(bundle).decode() if bundle else None
        return ssl.create_default_context(cadata=authorities)
    except (ValueError, ssl.SSLError) as error:
        raise WebhookError(f"the caBundle of the webhook is not usable: {error}") from None
