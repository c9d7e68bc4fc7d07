"""Calling webhooks: JSON over HTTPS to where a configuration says, within bounds of time and size."""

from __future__ import annotations

import asyncio
import base64
import math
import os
import ssl
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import aiohttp
import msgspec
from yarl import URL

from kubewright.config.verification import make_client_context
from kubewright.machinery.errors import KubewrightError, ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.server.kinds.kind import Object
from kubewright.server.webhook_answers import read_answer, refusal_text
from kubewright.server.webhook_services import Resolver, ServiceError

__all__ = ["WebhookClient", "WebhookError"]

_MAX_ANSWER: Final = 64 * 1024 * 1024
"""The largest answer that is read: a conversion may send back a whole list."""

_KEPT_CONTEXTS: Final = 64
"""How many certificate bundles are kept ready: making one takes milliseconds, and no connection is kept that
has another."""

_CERTIFICATE_PROBLEMS: Final = {
    **dict.fromkeys((2, 7, 18, 19, 20, 21), "certificate signed by unknown authority"),
    **dict.fromkeys((9, 10), "certificate has expired or is not yet valid"),
    26: "certificate specifies an incompatible key usage",
}
"""What Go says by OpenSSL's code of a problem, from x509_vfy.h, where it does not quote the certificate."""

_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, */*",
    "User-Agent": "kube-apiserver-admission",
}
"""What upstream sends; webhooks may tell by the last who asks."""

_LATE: Final = "context deadline exceeded"
"""What Go says of a call that takes too long."""

_DEFAULT_PORT: Final = 443
"""The port of a service that names none."""


class WebhookError(KubewrightError):
    """A webhook could not be called, or did not answer properly; the message says why."""


class _Target(NamedTuple):
    """Where a webhook is, and what it is called in errors and by its certificate."""

    url: URL
    shown: str
    server_name: str | None


class WebhookClient:
    """Calls webhooks over connections that are kept. Close it with `close`."""

    def __init__(self, services: Resolver | None = None) -> None:
        """`services` finds those behind services; without it there are none."""
        self._services: Final = services
        self._session: aiohttp.ClientSession | None = None
        self._contexts: Final[dict[str, ssl.SSLContext]] = {}

    async def call(self, client_config: Mapping[str, Any], body: Object, *, within: float) -> Object:
        """Send a review to a webhook and return its answer. Raises WebhookError."""
        return await self.post(client_config, msgspec.json.encode(body), within=within)

    async def post(self, client_config: Mapping[str, Any], body: bytes, *, within: float) -> Object:
        """The same with a review that is encoded already."""
        # The webhook is told how long its caller waits, as upstream tells it.
        query = f"?timeout={max(math.ceil(within), 0)}s"
        prefix = f"Post {go_quote(_shown(client_config) + query)}"
        if within <= 0:
            raise WebhookError(f"{prefix}: {_LATE}")
        try:
            target = self._target(client_config, query)
            async with asyncio.timeout(within):
                return await self._post(target, client_config.get("caBundle") or "", body)
        except TimeoutError:
            raise WebhookError(f"{prefix}: {_LATE}") from None
        except ServiceError as error:
            raise WebhookError(f"{prefix}: {error}") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise WebhookError(f"{prefix}: {_why(error)}") from None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _target(self, client_config: Mapping[str, Any], query: str) -> _Target:
        shown = _shown(client_config)
        if client_config.get("url"):
            return _Target(URL(shown + query), shown, None)
        service = client_config.get("service") or {}
        namespace, name = service.get("namespace", ""), service.get("name", "")
        port = service.get("port") or _DEFAULT_PORT
        if self._services is None:
            raise ServiceError(
                f"this server has no network of services; the webhook {namespace}/{name} is one"
            )
        found = self._services.resolve(namespace, name, port)
        url = URL.build(scheme="https", host=found.host, port=found.port, path=_path(service))
        return _Target(URL(f"{url}{query}", encoded=True), shown, f"{name}.{namespace}.svc")

    async def _post(self, target: _Target, bundle: str, body: bytes) -> Object:
        if self._session is None:
            # How long a call may take, and how many there are, is the caller's business.
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                headers=_HEADERS,
                timeout=aiohttp.ClientTimeout(total=None),
                trace_configs=[_redirects_over_tls()],
            )
        headers = {} if target.server_name is None else {"Host": target.shown.split("/")[2]}
        async with self._session.post(
            target.url,
            data=body,
            headers=headers,
            ssl=self._context(bundle),
            server_hostname=target.server_name,
        ) as response:
            data = await _read(response)
            kind = response.headers.get("Content-Type", "")
            if not 200 <= response.status <= 206:
                raise WebhookError(refusal_text(response.status, kind, data))
            if not data:
                status = response.status
                raise WebhookError(f"0-length response with status code: {status} and content type: {kind}")
            try:
                return read_answer(data)
            except ParseError as error:
                raise WebhookError(str(error)) from None

    def _context(self, bundle: str) -> ssl.SSLContext:
        found = self._contexts.get(bundle)
        if found is None:
            if len(self._contexts) >= _KEPT_CONTEXTS:
                del self._contexts[next(iter(self._contexts))]
            found = self._contexts[bundle] = _make_context(bundle)
        return found


def _shown(client_config: Mapping[str, Any]) -> str:
    """The URL of a webhook as errors name it."""
    url: str | None = client_config.get("url")
    if url:
        return url
    service = client_config.get("service") or {}
    host = f"{service.get('name', '')}.{service.get('namespace', '')}.svc"
    return f"https://{host}:{service.get('port') or _DEFAULT_PORT}{_path(service)}"


def _path(service: Mapping[str, Any]) -> str:
    path: str = service.get("path") or "/"
    return path if path.startswith("/") else f"/{path}"


def _redirects_over_tls() -> aiohttp.TraceConfig:
    """Refuse redirects to plain text, which upstream follows: reviews hold Secrets."""

    async def check(
        _session: aiohttp.ClientSession, _context: object, params: aiohttp.TraceRequestRedirectParams
    ) -> None:
        target = params.url.join(URL(params.response.headers.get("Location", "")))
        if target.scheme != "https":
            params.response.close()
            raise ValueError(f"the redirect to {target.scheme}://{target.host} leaves TLS")

    config = aiohttp.TraceConfig()
    config.on_request_redirect.append(check)
    return config


async def _read(response: aiohttp.ClientResponse) -> bytes:
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) > _MAX_ANSWER:
            raise WebhookError(f"the answer is larger than {_MAX_ANSWER} bytes")
    return bytes(data)


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
    if isinstance(error, aiohttp.TooManyRedirects):
        return "stopped after 10 redirects"
    return str(error) or type(error).__name__


def _certificate_problem(error: Exception) -> str:
    if not isinstance(error, ssl.SSLCertVerificationError):
        return str(error)
    return _CERTIFICATE_PROBLEMS.get(error.verify_code, error.verify_message)


def _make_context(bundle: str) -> ssl.SSLContext:
    try:
        authorities = base64.b64decode(bundle).strip() if bundle else b""
        return make_client_context(authorities or None)
    except (ValueError, ssl.SSLError) as error:
        raise WebhookError(f"unable to load root certificates: {error}") from None
