"""The small HTTP server of a manager, for those who look after it: Prometheus and the kubelet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from kubewright.machinery.errors import KubewrightError

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["Address", "Answer", "HttpServer", "ListenError", "Page", "parse_address"]

_MAX_REQUESTS: Final = 64
"""How many requests are answered at once; more are refused. A pod has a handful of probes and scrapers."""

_MAX_CONNECTIONS: Final = 256
"""How many connections there are at once."""

_GRACE: Final = 1.0
"""Seconds that answers under way have to end when the server stops: the default timeout of a probe."""

_log: Final = logging.getLogger("kubewright.controllers.http")


class ListenError(KubewrightError, OSError):
    """The server cannot listen on its address."""


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    """Empty for all interfaces."""
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Answer(NamedTuple):
    """What a page says."""

    status: int
    body: bytes
    content_type: str = "text/plain; charset=utf-8"


Page = Callable[[str, "web.BaseRequest"], Awaitable[Answer | None]]
"""Answers a request; the text is what follows the path of the page. None: there is no such page."""


def parse_address(text: str, option: str) -> Address:
    """The address in `127.0.0.1:8080`, `[::1]:8080` or `:8080`. Raises ValueError, which names the option."""
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if (
        not colon
        or not (port.isascii() and port.isdecimal())
        or int(port) > 65535
        or (":" in host and not bracketed)
    ):
        raise ValueError(
            f'{option} is {text!r}; write a host and a port, such as "127.0.0.1:8080" or ":8080"'
        )
    return Address(host[1:-1] if bracketed else host, int(port))


class HttpServer:
    """Serves pages over plain HTTP while the block is entered; pages may be added before and meanwhile.

    Entering raises ListenError when it cannot listen. What it reads of a request is bounded: its head by
    aiohttp, and there is no body; so are connections, see `BoundedServer`. Leaving gives answers under way a
    second to end.
    """

    def __init__(self, address: Address, option: str) -> None:
        """`option` is how the user names the address, for errors; port 0 is any free port."""
        self.address = address
        """Where it listens; with the port that was found, once it does."""
        self._option: Final = option
        self._pages: Final[dict[str, Page]] = {}
        self._stack: Final = AsyncExitStack()
        self._under_way = 0

    def add(self, path: str, page: Page) -> None:
        """Serve a path, and those below it."""
        self._pages[path] = page

    async def __aenter__(self) -> Self:
        from aiohttp import web  # noqa: PLC0415 - not every manager serves something

        from kubewright.controllers.bounded_server import BoundedServer  # noqa: PLC0415 - as above

        server = BoundedServer(
            self._handle, connections=_MAX_CONNECTIONS, access_log=None, logger=_Connections(_log)
        )
        runner = web.ServerRunner(server, shutdown_timeout=_GRACE)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(_end, runner)
            await runner.setup()
            try:
                await web.TCPSite(runner, self.address.host or None, self.address.port).start()
            except (OSError, UnicodeError) as error:
                raise ListenError(self._why_not(error)) from error
            self.address = self.address._replace(port=runner.addresses[0][1])
            await self._stack.enter_async_context(stack.pop_all())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        from aiohttp import web  # noqa: PLC0415 - see __aenter__

        if request.method not in ("GET", "HEAD"):
            return web.Response(
                status=405, text="only GET is answered here\n", headers={"Allow": "GET, HEAD"}
            )
        if self._under_way >= _MAX_REQUESTS:
            return web.Response(status=503, text=f"{_MAX_REQUESTS} requests are under way already\n")
        self._under_way += 1
        try:
            answer = await self._answer(request)
        except Exception:
            _log.exception("%s was not answered", request.path)
            answer = Answer(500, b"the answer failed; the log says why\n")
        finally:
            self._under_way -= 1
        headers = {"Content-Type": answer.content_type, "X-Content-Type-Options": "nosniff"}
        return web.Response(status=answer.status, body=answer.body, headers=headers)

    async def _answer(self, request: web.BaseRequest) -> Answer:
        first, _, rest = request.path[1:].rstrip("/").partition("/")
        page = self._pages.get(f"/{first}")
        answer = await page(rest, request) if page is not None else None
        if answer is not None:
            return answer
        served = ", ".join(self._pages)
        return Answer(404, f"there is nothing at this path; there is {served}\n".encode())

    def _why_not(self, error: Exception) -> str:
        import errno  # noqa: PLC0415 - seldom needed

        match getattr(error, "errno", None):
            case errno.EADDRINUSE:
                why = "another program listens there; give another port, or 0 for any free one"
            case errno.EACCES:
                why = "this user may not; give a port above 1023"
            case _:
                why = f"{getattr(error, 'strerror', None) or error}; give an address of this machine"
        return f"{self._option}: cannot listen on {self.address}: {why}"


class _Connections(logging.LoggerAdapter[logging.Logger]):
    """For what aiohttp says of requests that are no HTTP, which every scan of the port sends."""

    def exception(self, msg: object, *args: object, **_: object) -> None:
        self.debug(msg, *args)


async def _end(runner: web.ServerRunner) -> None:
    """Let answers end, then cut the connections: scrapers keep theirs open."""
    connections = runner.server.connections if runner.server is not None else ()
    transports = [each.transport for each in connections if each.transport is not None]
    await runner.cleanup()
    for transport in transports:
        transport.abort()
    # The loop closes the sockets in its next round.
    await asyncio.sleep(0)
