"""Connections to an API server: our own for requests and streams, the HTTP client's for all else.

WebSockets, proxies, and event loops that cannot watch file descriptors go through aiohttp, which only this
module imports.
"""

from __future__ import annotations

import asyncio
import io
import socket
import ssl
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from errno import ECONNABORTED
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from weakref import WeakSet

from kubewright.client.connections import MAX_ANSWER, Stream
from kubewright.client.fencing import may_send
from kubewright.client.http1.connection import ConnectionLost, reason_of
from kubewright.client.http1.messages import AnswerReader, encode_head
from kubewright.client.http1.pool import ConnectionPool
from kubewright.client.proxies import Proxy, proxy_of
from kubewright.client.request import Request, Response
from kubewright.client.retry import READS
from kubewright.client.tls import ssl_context
from kubewright.client.websocket import WebSocket
from kubewright.config import ClientCertificate, Config
from kubewright.machinery.errors import ClientClosed, RequestTimeout, TransportError

if TYPE_CHECKING:
    import aiohttp

__all__ = ["Transport"]

_CONNECT_TIMEOUT: Final = 30.0
"""Seconds to connect, TLS included: Go's dialer, which client-go uses, takes as long."""

_KEEP_ALIVE: Final = 60.0
"""Seconds that an idle connection is kept; API servers close theirs after 90, and who closes first knows."""

_CLOSE_TIMEOUT: Final = 0.5
"""Seconds in which those who use a connection hear that it was closed: some turns of the event loop."""

_PROBE_AFTER: Final = 30
"""Seconds of silence after which the kernel asks whether the other host is there, and between its questions;
client-go's dialer has the same."""

_PROBES: Final = 4
"""Unanswered questions after which the connection is dead: two minutes, for streams that may be silent."""

_MAX_MESSAGE: Final = 1 << 24
"""The largest message of a WebSocket; kubelets send at most some ten kilobytes at once."""

_MAX_AT_ONCE: Final = 1 << 20
"""Bytes of a body that the HTTP client gets at once; it warns of more, which would hold up the event loop."""

_MAX_REFUSAL: Final = 1 << 20
"""How much is read of what a server answers in place of a WebSocket."""

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""The statuses that send a client to another address (RFC 9110, section 15.4)."""

_MAX_LOCATION: Final = 512
"""How many characters of a Location header are read; a host name has at most 253 (RFC 1035)."""

_MAX_HEADS: Final = 64
"""How many different sets of headers are kept as bytes; a client has one for each kind of request."""

_PORTS: Final = {"http": 80, "https": 443}


class _HTTPStream(Stream):
    """An answer that comes over a connection of the HTTP client."""

    def __init__(self, response: aiohttp.ClientResponse, server: str) -> None:
        self._response: Final = response
        self._server: Final = server
        self.status = response.status
        self.headers = response.headers

    @property
    def warnings(self) -> Sequence[str]:
        """The Warning headers as they are."""
        return self._response.headers.getall("Warning", ())

    async def chunk(self, *, within: float | None = None) -> bytes:
        """What has come, as soon as anything has; empty at the end."""
        try:
            async with asyncio.timeout(within) as limit:
                return await self._response.content.readany()
        except Exception as error:
            if limit.expired():
                raise RequestTimeout(f"{self._server} sent nothing for {within:g} seconds") from None
            raise _translated(error, self._server) from None

    async def whole(self, *, limit: int = MAX_ANSWER) -> Response:
        """The whole answer, whatever its status; the connection is free for others then."""
        response = self._response
        length = response.content_length
        if length is not None and length > limit:
            raise TransportError(f"the answer of {self._server} has {length:,} bytes; ask for less at once")
        try:
            body = await response.read()
        except Exception as error:
            raise _translated(error, self._server) from None
        if len(body) > limit:
            raise TransportError(
                f"the answer of {self._server} has {len(body):,} bytes; ask for less at once"
            )
        return Response(self.status, body, self.headers)

    def close(self) -> None:
        """Let go of the answer; a connection with bytes to come is closed."""
        self._response.close()


class Transport:
    """Connections to the server of a configuration, kept for use again."""

    def __init__(self, config: Config) -> None:
        self._config: Final = config
        self._proxy: Final[Proxy | None] = proxy_of(config)
        self._session: aiohttp.ClientSession | None = None
        self._writing: aiohttp.ClientSession | None = None
        """The same connections, for requests that the HTTP client must not send again by itself."""
        self._sockets: Final[WeakSet[socket.socket]] = WeakSet()
        address = urlsplit(config.server)
        self._host: Final = address.netloc.rpartition("@")[2]
        self._prefix: Final = address.path
        self._heads: Final[dict[Sequence[tuple[str, str]], bytes]] = {}
        """The headers of requests as bytes."""
        self._pool: Final = ConnectionPool(
            address.hostname or "",
            address.port or _PORTS.get(address.scheme, 0),
            server=config.server,
            tls_server_name=config.tls_server_name,
            keep_alive=_KEEP_ALIVE,
            new_socket=self._new_plain_socket,
        )
        # Event loops on Windows watch no file descriptors.
        self._is_direct: Final = self._proxy is None and sys.platform != "win32"
        self._tls: tuple[ClientCertificate | None, ssl.SSLContext] | None = None
        self._closed = False

    async def open(
        self, request: Request, headers: Sequence[tuple[str, str]], certificate: ClientCertificate | None
    ) -> Stream:
        """Send a request, once, and return its answer as soon as its headers are there.

        `headers` are all that are sent. Redirects are not followed. Raises TransportError, and ConfigError
        for a bad certificate.
        """
        if self._is_direct:
            return await self._open_directly(request, headers, certificate)
        session = self._http() if request.method in READS else self._http_for_writes()
        connection = self._connection(certificate)
        try:
            response = await session.request(
                request.method,
                self._url(request),
                data=_sendable(request.body),
                headers=headers,
                allow_redirects=False,
                **connection,
            )
        except (Exception, asyncio.CancelledError) as error:
            raise self._failure(error) from None
        if response.status in _REDIRECTS:
            raise self._redirected(response)
        return _HTTPStream(response, self._config.server)

    async def _open_directly(
        self, request: Request, headers: Sequence[tuple[str, str]], certificate: ClientCertificate | None
    ) -> Stream:
        """The same over connections of our own."""
        if self._closed:
            raise ClientClosed
        context = self._context(certificate)
        data = self._message(request, headers)
        tls = context if isinstance(context, ssl.SSLContext) else None
        while True:
            connection = self._pool.idle(tls)
            is_fresh = connection is None
            try:
                if connection is None:
                    async with asyncio.timeout(_CONNECT_TIMEOUT) as limit:
                        connection = await self._pool.connect(tls)
            except (OSError, asyncio.CancelledError) as error:
                raise self._connect_failure(error, is_late=limit.expired()) from None
            try:
                answer = connection.send(data, AnswerReader(body_expected=request.method != "HEAD"))
                await answer.begin()
            except ConnectionLost:
                if is_fresh or request.method not in READS or self._closed:
                    raise
                # The server had closed a connection that was kept; a read may be sent again.
                continue
            except TransportError:
                raise
            except OSError as error:
                raise TransportError(
                    f"the connection to {self._config.server} broke: {reason_of(error)}"
                ) from None
            if answer.status in _REDIRECTS:
                raise self._redirected(answer)
            return answer

    def _message(self, request: Request, headers: Sequence[tuple[str, str]]) -> bytes:
        """A request as it is sent."""
        known = tuple(headers)
        head = self._heads.get(known)
        if head is None:
            if len(self._heads) >= _MAX_HEADS:
                self._heads.clear()
            head = self._heads[known] = encode_head(known, host=self._host)
        line = f"{request.method} {self._prefix}{request.target} HTTP/1.1\r\n".encode("ascii")
        if request.body or request.method not in READS:
            return b"%b%bContent-Length: %d\r\n\r\n%b" % (line, head, len(request.body), request.body)
        return b"%b%b\r\n" % (line, head)

    def _connect_failure(self, error: OSError | asyncio.CancelledError, *, is_late: bool) -> BaseException:
        """What is raised when no connection could be made."""
        server = self._config.server
        if isinstance(error, asyncio.CancelledError):
            return self._failure(error)
        if self._closed:
            return ClientClosed("the client was closed before the answer was there", was_sent=False)
        if is_late:
            return TransportError(
                f"{server} cannot be reached: no connection within {_CONNECT_TIMEOUT:g} seconds",
                was_sent=False,
            )
        if isinstance(error, ssl.SSLCertVerificationError):
            return _untrusted(error, server)
        return TransportError(f"{server} cannot be reached: {reason_of(error)}", was_sent=False)

    async def open_websocket(
        self,
        request: Request,
        headers: Sequence[tuple[str, str]],
        certificate: ClientCertificate | None,
        *,
        protocols: Sequence[str],
    ) -> WebSocket | Response:
        """Ask for a WebSocket; an answer in its place is the server's refusal. Raises TransportError."""
        import aiohttp  # noqa: PLC0415 - as in `_http`

        connection, server = self._connection(certificate), self._config.server
        refusal = bytearray()
        transports: list[asyncio.WriteTransport] = []

        async def answered(_session: object, _context: object, told: aiohttp.TraceRequestEndParams) -> None:
            # The one place where the HTTP client shows the body of a refusal, and what the answer came over.
            answer = told.response
            if answer.connection is not None and answer.connection.transport is not None:
                transports.append(answer.connection.transport)
            while answer.status != 101 and len(refusal) < _MAX_REFUSAL:
                part = await answer.content.readany()
                if not part:
                    break
                refusal.extend(part)

        async def redirected(
            _session: object, _context: object, told: aiohttp.TraceRequestRedirectParams
        ) -> None:
            # The HTTP client follows redirects of WebSockets, and has no option against it.
            raise self._redirected(told.response)

        watched = aiohttp.TraceConfig()
        watched.on_request_end.append(answered)
        watched.on_request_redirect.append(redirected)
        # Another session with the same connections, so that no other request pays for being watched.
        session = self._new_session(self._http().connector, owner=False, trace_configs=[watched])
        try:
            upgraded = await session.ws_connect(
                self._url(request),
                protocols=protocols,
                headers=headers,
                max_msg_size=_MAX_MESSAGE,
                autoping=False,
                **connection,
            )
        except aiohttp.WSServerHandshakeError as error:
            return Response(error.status, bytes(refusal), dict(error.headers or {}))
        except (Exception, asyncio.CancelledError) as error:
            raise self._failure(error) from None
        finally:
            session.detach()
        return WebSocket(
            upgraded, transports[-1], server=server, translated=lambda error: _translated(error, server)
        )

    async def close(self) -> None:
        """Close all connections, also those that are being made, and so end what is under way.

        May be called again.
        """
        self._closed = True
        self._pool.close(
            lambda: ClientClosed("the client was closed before the answer was there", was_sent=True)
        )
        # Those who wait for an answer are woken before this returns.
        await asyncio.sleep(0)
        session, self._session = self._session, None
        if self._writing is not None:
            self._writing.detach()
        if session is not None:
            await self._shut_down()
            await session.close()

    async def _shut_down(self) -> None:
        """Ends all connections as their servers would, so that whoever waits for one hears of it.

        The HTTP client's own close knows nothing of connections that are being made, and lets those wait
        forever who are reading an answer.
        """
        for opened in self._sockets:
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                while any(opened.fileno() >= 0 for opened in self._sockets):  # noqa: ASYNC110 - nobody tells of it
                    await asyncio.sleep(0)
        # Behind TLS one hears of it a turn later.
        await asyncio.sleep(0)

    def _redirected(self, response: aiohttp.ClientResponse | Stream) -> TransportError:
        """Close an answer that redirects, and return the error for it.

        Another address would get what the request holds: headers that impersonate, standard input, objects.
        API servers redirect no request of the API, so that this is a proxy's login page or an attack.
        """
        response.close()
        server, status = self._config.server, response.status
        target = _origin(response.headers.get("Location", ""))
        return TransportError(
            f"{server} redirects to {target} (status {status}), which is not followed; "
            "set the address of the API server itself",
            lasting=True,
        )

    def _failure(self, error: Exception | asyncio.CancelledError) -> BaseException:
        """What is raised for an error of the HTTP client."""
        if isinstance(error, TransportError):
            return error
        if isinstance(error, asyncio.CancelledError):
            task = asyncio.current_task()
            if not self._closed or (task is not None and task.cancelling()):
                return error
            # Nobody has cancelled this task; our close did so with a lookup of the server's name.
            told = TransportError("", was_sent=False)
        else:
            told = _translated(error, self._config.server)
        if not self._closed:
            return told
        return ClientClosed("the client was closed before the answer was there", was_sent=told.was_sent)

    def _http(self) -> aiohttp.ClientSession:
        if self._closed:
            raise ClientClosed
        if self._session is None:
            import aiohttp  # noqa: PLC0415 - slow to import, and a program may import us and do nothing

            # Watches keep their connections for hours, so that connections have no limit of their own.
            connector = aiohttp.TCPConnector(
                limit=0, keepalive_timeout=_KEEP_ALIVE, socket_factory=self._new_socket
            )
            self._session = self._new_session(connector, owner=True)
        return self._session

    def _http_for_writes(self) -> aiohttp.ClientSession:
        session = self._http()
        if self._writing is None:
            self._writing = self._new_session(session.connector, owner=False)
            # A PUT or DELETE would be sent again when a connection that was kept breaks, although the server
            # may have done it. There is no option for it; reads on such a connection are to be sent again.
            self._writing._retry_connection = False
        return self._writing

    def _new_socket(self, address: tuple[Any, ...]) -> socket.socket:
        if self._closed:
            raise ConnectionAbortedError(ECONNABORTED, "the client is closed")
        made = _new_socket(address)
        self._sockets.add(made)
        return made

    def _new_plain_socket(self, address: tuple[Any, ...]) -> socket.socket:
        if self._closed:
            raise ConnectionAbortedError(ECONNABORTED, "the client is closed")
        return _new_socket(address, socket.socket)

    def _new_session(
        self, connector: aiohttp.BaseConnector | None, *, owner: bool, **more: Any
    ) -> aiohttp.ClientSession:
        import aiohttp  # noqa: PLC0415 - as in `_http`

        return aiohttp.ClientSession(
            connector=connector,
            connector_owner=owner,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("User-Agent", "Content-Type"),
            response_class=_response_class(),
            **more,
        )

    def _url(self, request: Request) -> Any:
        from yarl import URL  # noqa: PLC0415 - comes with the HTTP client

        return URL(self._config.server + request.target, encoded=True)

    def _connection(self, certificate: ClientCertificate | None) -> dict[str, Any]:
        arguments: dict[str, Any] = {"ssl": self._context(certificate)}
        if self._config.tls_server_name:
            arguments["server_hostname"] = self._config.tls_server_name
        if self._proxy is not None:
            arguments["proxy"] = self._proxy.url
            arguments["proxy_headers"] = self._proxy.headers
        return arguments

    def _context(self, certificate: ClientCertificate | None) -> ssl.SSLContext | bool:
        if self._tls is not None and self._tls[0] is certificate:
            return self._tls[1]
        if not self._config.server.startswith("https:"):
            return True
        if self._tls is None or self._tls[0] != certificate:
            # Connections belong to their context: those with another certificate are not used again.
            self._tls = (certificate, ssl_context(self._config, certificate))
        return self._tls[1]


@cache
def _response_class() -> type[aiohttp.ClientResponse]:
    """The HTTP client's answer, but for its end before it is there, cancellation included: that is at once.

    The farewell of TLS would wait half a minute for a peer that is not there any more.
    """
    import aiohttp  # noqa: PLC0415 - as in `_http`

    class Answer(aiohttp.ClientResponse):
        def close(self) -> None:
            connection = self.connection
            if connection is not None and connection.transport is not None:
                connection.transport.abort()
            super().close()

    return Answer


class _Socket(socket.socket):
    """A socket that does not mind writing to a server that is done: how it ended is for the reader to find.

    A server that answers without reading all, as with a command that leaves its input, closes with bytes
    unread, and TCP makes that a reset. Its answer has come before, but an event loop would not look once
    a write has failed.
    """

    __slots__ = ()

    def send(self, data: Any, flags: int = 0, /) -> int:
        if not may_send():
            raise _not_sent()
        try:
            return _send(self, data, flags)
        except (ConnectionResetError, BrokenPipeError):
            return len(data)

    def sendmsg(self, buffers: Iterable[Any], /, *more: Any) -> int:
        if not may_send():
            raise _not_sent()
        parts = list(buffers)
        try:
            return super().sendmsg(parts, *more)
        except (ConnectionResetError, BrokenPipeError):
            return sum(len(part) for part in parts)


_send: Final = socket.socket.send


def _not_sent() -> OSError:
    # Of this kind, since the event loop breaks the connection off for it without a word in the log.
    return ConnectionAbortedError(ECONNABORTED, "it may not be written any more")


def _new_socket(address: tuple[Any, ...], of_class: type[socket.socket] = _Socket) -> socket.socket:
    """A socket that notices when the other host is gone."""
    family, kind, protocol, _, _ = address
    made = of_class(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", _PROBE_AFTER),
        ("TCP_KEEPINTVL", _PROBE_AFTER),
        ("TCP_KEEPCNT", _PROBES),
    ):
        # Not every system has them all.
        if hasattr(socket, option):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return made


def _translated(error: Exception, server: str) -> TransportError:
    """What went wrong in one sentence, with whether the server may have got the request."""
    import aiohttp  # noqa: PLC0415 - as in `_http`

    if isinstance(error, aiohttp.ClientConnectorCertificateError | ssl.SSLCertVerificationError):
        return _untrusted(getattr(error, "certificate_error", error), server)
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return TransportError(f"the proxy to {server} cannot be used: {reason_of(error)}", was_sent=False)
    if isinstance(error, aiohttp.ClientConnectorError):
        return TransportError(f"{server} cannot be reached: {reason_of(error)}", was_sent=False)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return TransportError(
            f"{server} cannot be reached: no connection within {_CONNECT_TIMEOUT:g} seconds", was_sent=False
        )
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError | OSError):
        return TransportError(f"the connection to {server} broke: {reason_of(error)}")
    if isinstance(error, aiohttp.ClientError | ValueError):
        return TransportError(f"{server} does not answer as an API server does: {reason_of(error)}")
    raise error


def _untrusted(error: Exception, server: str) -> TransportError:
    reason = (getattr(error, "verify_message", None) or str(error)).removesuffix(".")
    remedy = "set its certificate-authority, or tls-server-name where it has another name"
    message = f"the certificate of {server} is not trusted: {reason}; {remedy}"
    return TransportError(message, was_sent=False, lasting=True)


def _origin(location: str) -> str:
    """The address in a Location header without its path and query, which may hold secrets."""
    try:
        parts = urlsplit(location[:_MAX_LOCATION])
    except ValueError:
        return "an invalid address"
    if not parts.hostname:
        return "another path"
    host = "".join(character if character.isprintable() else "?" for character in parts.netloc)
    return f"{parts.scheme or 'https'}://{host.rpartition('@')[2]}"


def _sendable(body: bytes) -> bytes | io.BytesIO | None:
    """A body as the HTTP client takes it: a large one is sent piece by piece."""
    if len(body) > _MAX_AT_ONCE:
        return io.BytesIO(body)
    return body or None
