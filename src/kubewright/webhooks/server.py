"""`WebhookServer`: the HTTPS server that API servers call.

async with WebhookServer() as webhooks:
    webhooks.add(defaults)
    webhooks.add(check)
    webhooks.add_conversion(App)
    await client.api(CustomResourceDefinition).create(App.crd(conversion=webhooks.conversion()))
    await install(client, webhooks, name="apps")
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from ipaddress import ip_address
from pathlib import Path
from ssl import SSLContext
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar

from aiohttp import web

from kubewright.controllers.bounded_server import BoundedServer
from kubewright.controllers.rbac import MARKS, permissions_of
from kubewright.crd.conversion_webhook import CONVERSION_PATH, webhook_conversion
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.resource import Resource
from kubewright.webhooks.admission import AdmissionHandler
from kubewright.webhooks.certificate_files import CertificateFiles
from kubewright.webhooks.certificates import (
    ServingCertificate,
    make_certificate,
    replace_certificate,
    server_context,
)
from kubewright.webhooks.conversion import ConversionHandler
from kubewright.webhooks.declaration import WebhookDeclaration, webhook_of
from kubewright.webhooks.http import Check, Endpoints
from kubewright.webhooks.metrics import WebhookMetrics
from kubewright.webhooks.review import Review

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.controllers.cached_client import CachedClient
    from kubewright.models.apiextensions_v1 import CustomResourceConversion, WebhookClientConfig
    from kubewright.webhooks.certificate_secret import CertificateSecret

__all__ = ["WebhookServer"]

K = TypeVar("K", bound=Resource)

_MAX_BODY: Final = 64 * 1024 * 1024
"""The largest review that is read: API servers send all objects of a list in one."""

_MAX_CONNECTIONS: Final = 512
"""How many connections there are at once. Each takes a quarter of a megabyte, and operators have little; an
API server has 200 writes under way by default (--max-mutating-requests-inflight), and clusters several."""

_GRACE: Final = 2.0
"""Seconds that reviews under way have to end when the server stops."""

_LAST_BYTES: Final = 0.02
"""Seconds for what was written last to leave before connections are cut."""

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class _Connections(logging.LoggerAdapter[logging.Logger]):
    """For what aiohttp says of requests that are no HTTP, which every scan of the port sends."""

    def exception(self, msg: object, *args: object, **_: object) -> None:
        self.debug(msg, *args)


class _Certificates(Protocol):
    """Where a server has its certificates from."""

    async def first(self) -> ServingCertificate: ...

    async def watch(self, use: Callable[[ServingCertificate], None]) -> None: ...


class WebhookServer:
    """The webhooks of this process, served over HTTPS while the block is entered.

    It listens on `host` and `port`; 0 is any free port. `names` are the names and addresses under which API
    servers reach it, and the first is in `url`; unless they are given it is reached at `host`, or on this
    machine alone when that is all interfaces.

    It makes a certificate for these names whenever it starts, and `ca_bundle` is its authority: that is for
    development and tests. With `certificates` it keeps them in a Secret, renews them, and injects their
    authority where API servers look for it; that needs a `client`, which a manager lends. The same client is
    `review.client` of the functions; a manager lends them one that reads from its caches. Give
    `certificate_file` and `key_file` for one of your own, with `ca_file` when API servers do not know its
    authority; they are read again when they change. Connections go on when certificates change. Bodies larger
    than `max_body` bytes are refused, and large ones while others of together as much are under way. It has
    512 connections at most, and ends those on which nothing comes for 90 seconds.

    Entering raises OSError when it cannot listen, CertificateError for certificates that cannot be used, and
    ApiError when the Secret cannot be read or written. Leaving gives reviews under way two seconds to end. It
    can be entered once.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        names: Sequence[str] = (),
        certificate_file: str | Path = "",
        key_file: str | Path = "",
        ca_file: str | Path = "",
        certificates: CertificateSecret | None = None,
        client: Client | None = None,
        reload_every: float = 10.0,
        max_body: int = _MAX_BODY,
    ) -> None:
        if bool(certificate_file) != bool(key_file) or (ca_file and not certificate_file):
            raise ValueError("a certificate comes with its key; give certificate_file= and key_file=")
        if isinstance(names, str):
            raise TypeError(f"names={names!r} is one text; write names=[{names!r}]")
        self._host: Final = host
        self._port: Final = port
        self._names: Final = tuple(names) or _names_of(host)
        if certificates is not None and certificate_file:
            raise ValueError("certificates are from a Secret or from files; leave one of them out")
        self._files: Final = (certificate_file, key_file, ca_file, reload_every)
        self._secret: Final = certificates
        # With the rights that they take, so that `kubewright manifests` finds them.
        vars(self)[MARKS] = permissions_of(certificates)
        self._client = client
        self._cached: CachedClient | None = None
        self._max_body: Final = max_body
        self._endpoints: Final = Endpoints(max_body=max_body)
        self._conversions: Final = ConversionHandler()
        self._functions: Final[dict[str, AdmissionHandler[Any]]] = {}
        self._stack: Final = AsyncExitStack()
        self._certificate: ServingCertificate | None = None
        self._bound = 0

    async def __aenter__(self) -> Self:
        if self._certificate is not None:
            raise RuntimeError("this WebhookServer was entered before; make another one")
        source = self._source()
        self._certificate = certificate = await source.first()
        context = server_context(certificate)
        async with AsyncExitStack() as stack:
            stack.callback(self._close_handlers)
            self._bound = await self._listen(stack, context)
            watching = asyncio.create_task(
                source.watch(lambda found: self._replace(context, found)), name="webhook certificates"
            )
            stack.push_async_callback(_cancelled, watching)
            await self._stack.enter_async_context(stack.pop_all())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bound = 0
        await self._stack.aclose()

    @property
    def is_running(self) -> bool:
        """Whether API servers that call it are answered."""
        return bool(self._bound)

    @property
    def url(self) -> str:
        """Where API servers reach it: https://, a name and the port. Raises RuntimeError unless it runs."""
        if not self._bound:
            raise RuntimeError("the WebhookServer does not run; use it in async with WebhookServer() as ...")
        name = self._names[0]
        return f"https://{f'[{name}]' if ':' in name else name}:{self._bound}"

    @property
    def ca_bundle(self) -> bytes:
        """The authority, in PEM, by which API servers know it; empty for files without `ca_file`.

        Raises RuntimeError before it is entered.
        """
        if self._certificate is None:
            raise RuntimeError("the WebhookServer has no certificate before it is entered; use async with")
        return self._certificate.authority

    def client_config(self, path: str) -> WebhookClientConfig:
        """How an API server calls the webhook at a path. Raises RuntimeError unless it runs."""
        from kubewright.models.apiextensions_v1 import WebhookClientConfig  # noqa: PLC0415 - not all ask

        config = WebhookClientConfig(url=f"{self.url}{path}")
        if self.ca_bundle:
            config.ca_bundle = self.ca_bundle
        return config

    @property
    def declarations(self) -> list[WebhookDeclaration]:
        """What is said of the functions that it serves."""
        return [each.declared for each in self._functions.values()]

    @property
    def metrics(self) -> list[WebhookMetrics]:
        """What is counted of each webhook, conversion included."""
        return list(self._endpoints.metrics.values())

    def lend(self, client: Client, cached: CachedClient | None = None) -> None:
        """Give it a client, for certificates in a Secret and for functions, unless it was made with another.

        `cached` reads from caches of the same cluster, and is what functions get.
        """
        if self._client is None or self._client is client:
            self._client, self._cached = client, cached

    def add(
        self, function: Callable[[Review[K]], Coroutine[Any, Any, None]]
    ) -> Callable[[Review[K]], Coroutine[Any, Any, None]]:
        """Serve a function with `@defaulting` or `@validating`; it may be done while the server runs.

        Raises DeclarationError for other functions, and for one at a path that another one has.
        """
        declared = webhook_of(function)
        shown = getattr(function, "__qualname__", repr(function))
        if declared is None:
            raise DeclarationError(
                f"add({shown}): it is no webhook; decorate it with @defaulting(Kind) or @validating(Kind)"
            )
        if declared.path in self._functions or declared.path == CONVERSION_PATH:
            raise DeclarationError(
                f"add({shown}): there is a webhook at {declared.path} already; give one of them another path="
            )
        handler = AdmissionHandler[Any](declared, function, client=self._for_functions)
        self._functions[declared.path] = handler
        self._endpoints.add(declared.path, handler)
        return function

    def add_probe(self, path: str, check: Check) -> None:
        """Answer GET of a path, such as `/healthz`, with `ok`, and with 500 when the check raises."""
        self._endpoints.add_probe(path, check)

    def add_conversion(self, *kinds: type[Resource]) -> None:
        """Convert objects between the versions of these kinds, each given by the class that lists the others.

        Conversion functions run in threads, several at once. Kinds may be added while it runs. Raises
        DeclarationError for a kind without conversion functions.
        """
        self._conversions.add(*kinds)
        self._endpoints.add(CONVERSION_PATH, self._conversions)

    def conversion(self) -> CustomResourceConversion:
        """What definitions say so that their objects are converted here: `App.crd(conversion=...)`.

        Raises RuntimeError unless it runs.
        """
        return webhook_conversion(url=f"{self.url}{CONVERSION_PATH}", ca_bundle=self.ca_bundle)

    def _for_functions(self) -> CachedClient | None:
        if self._cached is None and self._client is not None:
            from kubewright.controllers.cached_client import uncached_client  # noqa: PLC0415 - for some only

            self._cached = uncached_client(self._client)
        return self._cached

    def _source(self) -> _Certificates:
        certificate, key, authority, every = self._files
        if certificate:
            ca_file = Path(authority) if authority else None
            return CertificateFiles(Path(certificate), Path(key), ca_file, every=every)
        if self._secret is None:
            return _OwnCertificate(self._names)
        if self._client is None:
            raise RuntimeError("certificates in a Secret need a client; give WebhookServer(client=...) one")
        from kubewright.webhooks.certificate_secret import SecretCertificates  # noqa: PLC0415 - for some only

        return SecretCertificates(self._client, self._secret, self._names)

    def _replace(self, context: SSLContext, certificate: ServingCertificate) -> None:
        """Show another certificate from now on. Raises CertificateError, and then keeps the one it has."""
        present = self._certificate
        if present is None or (present.certificate, present.key) != (
            certificate.certificate,
            certificate.key,
        ):
            replace_certificate(context, certificate)
        self._certificate = certificate

    def _close_handlers(self) -> None:
        self._conversions.close()
        for each in self._functions.values():
            each.close()

    async def _listen(self, stack: AsyncExitStack, context: SSLContext) -> int:
        """Serve until the stack is left; returns the port. Raises OSError."""
        loop, size = asyncio.get_running_loop(), self._max_body

        def make_request(message: Any, body: Any, *rest: Any) -> web.BaseRequest:
            protocol, writer, task = rest
            return web.BaseRequest(message, body, protocol, writer, task, loop, client_max_size=size)

        # Without aiohttp's routes, of which there would be one: they take a tenth of a review's time.
        server = BoundedServer(
            self._endpoints.handle,
            connections=_MAX_CONNECTIONS,
            request_factory=make_request,
            # A caller who is gone wants no answer.
            handler_cancellation=True,
            access_log=None,
            logger=_Connections(logging.getLogger("kubewright.webhooks.connections")),
            auto_decompress=False,
        )
        runner = web.ServerRunner(server, shutdown_timeout=_GRACE)
        stack.push_async_callback(_end, runner)
        await runner.setup()
        await web.TCPSite(runner, self._host, self._port, ssl_context=context).start()
        port: int = runner.addresses[0][1]
        return port


class _OwnCertificate:
    """A certificate for one process: its authority is nowhere else, so that it cannot be renewed in time."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names: Final = names

    async def first(self) -> ServingCertificate:
        # Keys take milliseconds, and so does loading what makes them.
        return await asyncio.to_thread(make_certificate, self._names)

    async def watch(self, use: Callable[[ServingCertificate], None]) -> None:
        pass


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait((task,))
    if not task.cancelled() and (error := task.exception()) is not None:
        logging.getLogger("kubewright.webhooks").error(
            "the certificates of the webhooks were not looked after any more", exc_info=error
        )


async def _end(runner: web.ServerRunner) -> None:
    """Let requests end, then cut the connections: callers keep theirs open and need not say goodbye."""
    connections = runner.server.connections if runner.server is not None else ()
    transports = [each.transport for each in connections if each.transport is not None]
    await runner.cleanup()
    await asyncio.sleep(_LAST_BYTES)
    for transport in transports:
        transport.abort()
    # The loop closes the sockets, one round for TLS and one for what is below it.
    for _ in range(3):
        await asyncio.sleep(0)


def _names_of(host: str) -> tuple[str, ...]:
    """Under which names a server is reached that listens on a host."""
    try:
        address = ip_address(host)
    except ValueError:
        return (host,) if host else _LOOPBACK
    if address.is_unspecified:
        return _LOOPBACK
    return (host, *(each for each in _LOOPBACK if each != host)) if address.is_loopback else (host,)
