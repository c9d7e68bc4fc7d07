"""`FaultProxy`: a TCP proxy on loopback that does to connections what networks do.

with Cluster.in_thread() as cluster, FaultProxy(cluster.url) as proxy:
    ...                          # a client of proxy.url, which is the same server; TLS passes through
    proxy.cut()                  # every open connection breaks
    proxy.cut_after(1000)        # each connection breaks after another 1,000 bytes of the server
    proxy.black_hole()           # open connections stay open, and nothing ever comes through them again
    proxy.stall(); proxy.resume()
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Literal, Self, TypeVar
from urllib.parse import urlsplit

__all__ = ["FaultProxy"]

T = TypeVar("T")

_CHUNK: Final = 64 * 1024
"""Bytes that are read at once, and so held at most, in each direction of a connection."""

_MAX_CONNECTIONS: Final = 1000
"""Open connections at most; those beyond are cut as they come. Processes have about as many descriptors."""

_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with no time to linger: closing sends RST in place of FIN."""

_ROUNDS: Final = 5
"""Rounds of an event loop in which asyncio makes a transport of an accepted socket; it takes two."""

_PORTS: Final = {"http": 80, "https": 443}


class FaultProxy:
    """Stands between clients and one server, and breaks connections as told; for `with` and `async with`.

    It runs in a thread of its own. All methods may be called from any thread and any event loop, wait for
    nothing, and have taken effect when they return. Each applies to what both sides send, but for
    `cut_after`, which counts what the server sends. Leaving the block closes every connection.
    """

    def __init__(self, target: str) -> None:
        """`target` is the server's URL, or `host:port`. Raises ValueError for what is neither."""
        parts = urlsplit(target if "//" in target else f"//{target}")
        port = parts.port or _PORTS.get(parts.scheme)
        if not parts.hostname or port is None:
            raise ValueError(f"{target!r} is no server to stand before; write https://host:port or host:port")
        self._target: Final = (parts.hostname, port)
        self._scheme: Final = parts.scheme
        self._path: Final = parts.path.rstrip("/")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._proxying: _Proxying | None = None
        self.address = ""
        """Where clients connect, as `host:port`, inside the block."""

    @property
    def url(self) -> str:
        """The server's URL through this proxy."""
        return f"{self._scheme}://{self.address}{self._path}" if self._scheme else self.address

    @property
    def connections(self) -> int:
        """How many connections have come so far, refused ones included."""
        return self._call(lambda proxying: proxying.accepted)

    @property
    def open_connections(self) -> int:
        """How many are open now."""
        return self._call(lambda proxying: len(proxying.open))

    @property
    def bytes_from_server(self) -> int:
        """How many bytes the server has sent to clients through this proxy."""
        return self._call(lambda proxying: proxying.forwarded)

    def cut(self, *, reset: bool = True) -> int:
        """Break every open connection now: by RST, or by FIN without `reset`. How many there were."""
        return self._call(lambda proxying: proxying.cut(reset=reset))

    def cut_after(self, size: int | None, *, reset: bool = True) -> None:
        """Break each connection, open or to come, after so many more bytes of the server; None: never.

        Without `reset` it ends by FIN: the answer is truncated after exactly so many bytes. With it a client
        that is slow to read may get fewer, as with any RST.
        """
        self._call(lambda proxying: proxying.cut_after(size, reset=reset))

    def black_hole(self, *, new: bool = False) -> None:
        """Let nothing through the open connections any more, for ever, and keep them open.

        With `new` those to come as well, until `resume`: they are accepted and never answered.
        """
        self._call(lambda proxying: proxying.black_hole(new=new))

    def refuse(self) -> None:
        """Break connections to come at once, until `resume`: the server is down. Open ones stay."""
        self._call(lambda proxying: proxying.let_in("refuse"))

    def stall(self) -> None:
        """Hold back what is sent, both ways, until `resume`; nothing of it is lost."""
        self._call(lambda proxying: proxying.flowing.clear())

    def delay(self, seconds: float) -> None:
        """Let each piece that is sent wait so long first, both ways."""
        self._call(lambda proxying: proxying.set_delay(seconds))

    def resume(self) -> None:
        """Work as a plain proxy again. What was black-holed stays so."""
        self._call(lambda proxying: proxying.resume())

    def start(self) -> None:
        """Begin to listen; `with` does it."""
        started: Future[str] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._run(started)), name="kubewright-fault-proxy", daemon=True
        )
        self._thread.start()
        self.address = started.result()

    def close(self) -> None:
        """Close every connection and stop. May be called again."""
        loop, thread, self._thread = self._loop, self._thread, None
        if thread is None or loop is None or self._proxying is None:
            return
        loop.call_soon_threadsafe(self._proxying.stopped.set)
        thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    async def _run(self, started: Future[str]) -> None:
        self._loop = asyncio.get_running_loop()
        self._proxying = _Proxying(self._target)
        try:
            async with await asyncio.start_server(self._proxying.accept, "127.0.0.1", 0) as server:
                host, port = server.sockets[0].getsockname()
                started.set_result(f"{host}:{port}")
                await self._proxying.stopped.wait()
                # Closed, it would leave open what it has accepted and not handed over yet (Python 3.11).
                self._loop.remove_reader(server.sockets[0])
                await self._proxying.close()
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    def _call(self, function: Callable[[_Proxying], T]) -> T:
        """Calls a function in the proxy's thread, so that nothing needs a lock, and gives what it returns."""
        loop, proxying = self._loop, self._proxying
        if loop is None or proxying is None or self._thread is None:
            raise RuntimeError("the proxy does not run; use it in a `with` block")
        called: Future[T] = Future()

        def call() -> None:
            try:
                called.set_result(function(proxying))
            except BaseException as error:
                called.set_exception(error)

        loop.call_soon_threadsafe(call)
        return called.result()


class _Proxying:
    """The connections, and what is to be done to them; of the proxy's thread alone."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target: Final = target
        self._mode: Literal["pass", "refuse", "black hole"] = "pass"
        self._budget: int | None = None
        self._reset = True
        self.open: Final[set[_Connection]] = set()
        self.stopped: Final = asyncio.Event()
        self.flowing: Final = asyncio.Event()
        self.flowing.set()
        self.pause = 0.0
        self.accepted = 0
        self.forwarded = 0
        self._work: Final[set[asyncio.Task[None]]] = set()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Takes a connection in. No coroutine: one that is cancelled before it begins would leave it open."""
        self.accepted += 1
        connection = _Connection(self, reader, writer, self._budget, reset=self._reset)
        if self._mode == "refuse" or self.stopped.is_set() or len(self.open) >= _MAX_CONNECTIONS:
            connection.cut(reset=True)
            return
        connection.dead = self._mode == "black hole"
        self.open.add(connection)
        work = asyncio.create_task(self._serve(connection))
        self._work.add(work)
        work.add_done_callback(self._work.discard)

    async def _serve(self, connection: _Connection) -> None:
        try:
            await connection.run(self._target)
        finally:
            self.open.discard(connection)
            connection.cut(reset=False)

    def cut(self, *, reset: bool) -> int:
        cut = list(self.open)
        self.open.clear()
        for connection in cut:
            connection.cut(reset=reset)
        return len(cut)

    def cut_after(self, size: int | None, *, reset: bool) -> None:
        self._budget, self._reset = size, reset
        for connection in self.open:
            connection.budget, connection.reset = size, reset

    def black_hole(self, *, new: bool) -> None:
        for connection in self.open:
            connection.dead = True
        if new:
            self._mode = "black hole"

    def let_in(self, mode: Literal["pass", "refuse"]) -> None:
        self._mode = mode

    def set_delay(self, seconds: float) -> None:
        self.pause = seconds

    def resume(self) -> None:
        self._mode = "pass"
        self.pause = 0.0
        self.cut_after(None, reset=True)
        self.flowing.set()

    async def close(self) -> None:
        """Cuts all, and waits until what belongs to them has ended."""
        # What the system has accepted already reaches `accept` in a few rounds of the loop, and not later.
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)
        self.cut(reset=False)
        await asyncio.gather(*self._work)


class _Connection:
    """One client, and its connection to the server."""

    def __init__(
        self,
        owner: _Proxying,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        budget: int | None,
        *,
        reset: bool,
    ) -> None:
        self._owner: Final = owner
        self._client: Final = (reader, writer)
        self._server: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.budget = budget
        self.reset = reset
        self.dead = False
        self._work: asyncio.Task[None] | None = None

    async def run(self, target: tuple[str, int]) -> None:
        """Passes on what is sent until both sides have ended, or it is cut."""
        if self._client[1].is_closing():
            return  # it was cut before this began
        self._work = asyncio.create_task(self._exchange(target))
        try:
            await asyncio.wait([self._work])
        finally:
            self._work.cancel()

    def cut(self, *, reset: bool) -> None:
        """Breaks both halves. May be called again."""
        for _, writer in filter(None, (self._client, self._server)):
            connected: socket.socket | None = writer.get_extra_info("socket")
            if connected is not None and connected.fileno() >= 0 and not writer.is_closing():
                with contextlib.suppress(OSError):
                    _say_end(connected, reset=reset)
            writer.transport.abort()
        if self._work is not None:
            self._work.cancel()

    async def _exchange(self, target: tuple[str, int]) -> None:
        if self.dead:
            await self._pass_on(self._client[0], self._client[1], of_server=False)
            return
        try:
            self._server = await asyncio.open_connection(*target)
        except OSError:
            self.cut(reset=True)
            return
        # Then nothing waits in this process when a piece has been written.
        self._client[1].transport.set_write_buffer_limits(0)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._pass_on(self._client[0], self._server[1], of_server=False))
            group.create_task(self._pass_on(self._server[0], self._client[1], of_server=True))

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, of_server: bool
    ) -> None:
        try:
            while data := await reader.read(_CHUNK):
                await self._hold()
                if self.dead:
                    continue
                allowed = self._allowed(data) if of_server else data
                writer.write(allowed)
                await writer.drain()
                if of_server:
                    self._owner.forwarded += len(allowed)
                    if self.budget == 0:
                        self.cut(reset=self.reset)
            await self._hold()
            if not self.dead:
                writer.write_eof()
            elif not of_server:
                # Nobody is left who could notice.
                self.cut(reset=True)
        except OSError:
            # One side is gone; the other learns it as it would without a proxy.
            if not self.dead:
                self.cut(reset=True)

    def _allowed(self, data: bytes) -> bytes:
        if self.budget is None:
            return data
        allowed = data[: self.budget]
        self.budget -= len(allowed)
        return allowed

    async def _hold(self) -> None:
        if self._owner.pause:
            await asyncio.sleep(self._owner.pause)
        await self._owner.flowing.wait()


def _say_end(connected: socket.socket, *, reset: bool) -> None:
    if reset:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    else:
        # Before it is closed: what is closed with bytes unread is reset.
        connected.shutdown(socket.SHUT_RDWR)
