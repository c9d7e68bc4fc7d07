"""Calling webhooks: JSON over HTTPS to where a configuration says, within bounds of time and size."""

from __future__ import annotations

import asyncio
import base64
import os
import ssl
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
import msgspec

from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.field_errors import go_quote
from kubewright.server.kinds.kind import Object

__all__ = ["WebhookClient", "WebhookError"]

_MAX_ANSWER: Final = 64 * 1024 * 1024
"""The largest answer that is read: a conversion may send back a whole list."""

_KEPT_CONTEXTS: Final = 64
"""How many certificate bundles are kept ready: making one takes milliseconds, and no connection is kept that
has another."""

_UNKNOWN_AUTHORITY: Final = frozenset({2, 7, 18, 19, 20, 21})
"""The codes of OpenSSL for a certificate that no authority of the bundle has signed."""


class WebhookError(KubewrightError):
    """A webhook could not be called, or did not answer properly; the message says why."""


class WebhookClient:
    """Calls webhooks over connections that are kept. Close it with `close`."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._contexts: Final[dict[str, ssl.SSLContext]] = {}

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
        # The webhook is told how long its caller waits, as upstream tells it.
        target = f"{url}?timeout={within:g}s"
        prefix = f"Post {go_quote(target)}"
        try:
            async with asyncio.timeout(within):
                return await self._post(target, client_config.get("caBundle") or "", body)
        except TimeoutError:
            raise WebhookError(f"{prefix}: context deadline exceeded") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise WebhookError(f"{prefix}: {_why(error)}") from None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def _post(self, url: str, bundle: str, body: Object) -> Object:
        if self._session is None:
            self._session = aiohttp.ClientSession(auto_decompress=True)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        async with self._session.post(
            url,
            data=msgspec.json.encode(body),
            headers=headers,
            ssl=self._context(bundle),
            allow_redirects=False,
        ) as response:
            data = await _read(response)
            if not 200 <= response.status < 300:
                raise WebhookError(_refusal(response.status))
            return _object(data, response)

    def _context(self, bundle: str) -> ssl.SSLContext:
        found = self._contexts.get(bundle)
        if found is None:
            if len(self._contexts) >= _KEPT_CONTEXTS:
                del self._contexts[next(iter(self._contexts))]
            found = self._contexts[bundle] = _make_context(bundle)
        return found


async def _read(response: aiohttp.ClientResponse) -> bytes:
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) > _MAX_ANSWER:
            raise WebhookError(f"the answer is larger than {_MAX_ANSWER} bytes")
    return bytes(data)


def _object(data: bytes, response: aiohttp.ClientResponse) -> Object:
    if not data:
        kind = response.headers.get("Content-Type", "")
        raise WebhookError(f"0-length response with status code: {response.status} and content type: {kind}")
    try:
        decoded = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        raise WebhookError("the answer is no JSON object")
    return decoded


def _refusal(status: int) -> str:
    """What Go's client says of an answer with such a status and nothing to read in it."""
    if status == 404:
        return "the server could not find the requested resource"
    if status >= 500:
        return 'an error on the server ("unknown") has prevented the request from succeeding'
    return f"the server responded with the status code {status} but did not return more information"


def _why(error: Exception) -> str:
    """Why there was no answer, in the words of Go where there are simple ones."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"tls: failed to verify certificate: x509: {_certificate_problem(error.certificate_error)}"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"dial tcp: lookup {error.host}: no such host"
    if isinstance(error, aiohttp.ClientConnectorError) and error.os_error.errno:
        return f"dial tcp {error.host}:{error.port}: connect: {os.strerror(error.os_error.errno).lower()}"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "EOF"
    return str(error) or type(error).__name__


def _certificate_problem(error: Exception) -> str:
    if not isinstance(error, ssl.SSLCertVerificationError):
        return str(error)
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return "certificate signed by unknown authority"
    return error.verify_message


def _make_context(bundle: str) -> ssl.SSLContext:
    try:
        authorities = base64.b64decode(bundle).decode().strip() if bundle else ""
        return ssl.create_default_context(cadata=authorities or None)
    except (ValueError, ssl.SSLError) as error:
        raise WebhookError(f"unable to load root certificates: {error}") from None
