"""FaultProxy does what it is told to connections, for blocking and for async programs, and leaves nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kubewright.testing import FaultProxy
from tests.testing.late_connections import coming, left_open

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine."""


class Echo:
    """A server that sends back what it gets, and counts its connections."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = "{}:{}".format(*self._listening.getsockname())
        self.ended = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                connected, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._echo, args=[connected], daemon=True).start()

    def _echo(self, connected: socket.socket) -> None:
        with connected:
            try:
                while data := connected.recv(65536):
                    connected.sendall(data)
            except OSError:
                pass
        self.ended += 1


@pytest.fixture
def echo() -> Iterator[Echo]:
    server = Echo()
    yield server
    server.close()


@pytest.fixture
def proxy(echo: Echo) -> Iterator[FaultProxy]:
    with FaultProxy(echo.address) as made:
        yield made


def connect(proxy: FaultProxy) -> socket.socket:
    host, _, port = proxy.address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def said(connected: socket.socket, data: bytes) -> bytes:
    """What comes back, until all of it has or the connection ends."""
    connected.sendall(data)
    return received(connected, len(data))


def say_once(proxy: FaultProxy) -> None:
    with connect(proxy) as connected:
        assert said(connected, b"x") == b"x"


def received(connected: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size and (more := connected.recv(65536)):
        found += more
    return found


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_it_passes_on_what_is_sent(proxy: FaultProxy) -> None:
    data = os.urandom(3_000_000)
    with connect(proxy) as connected:
        sending = threading.Thread(target=connected.sendall, args=[data])
        sending.start()
        assert received(connected, len(data)) == data
        sending.join()
        assert (proxy.connections, proxy.open_connections) == (1, 1)
        assert proxy.bytes_from_server == len(data)
        # Each half ends for itself.
        connected.shutdown(socket.SHUT_WR)
        assert connected.recv(1) == b""
    eventually(lambda: proxy.open_connections == 0)


def test_a_cut_is_a_reset(proxy: FaultProxy) -> None:
    with connect(proxy) as first, connect(proxy) as second:
        assert said(first, b"x") == said(second, b"x") == b"x"
        assert proxy.cut() == 2
        for connected in (first, second):
            with pytest.raises(ConnectionResetError):
                connected.recv(1)
    assert proxy.open_connections == 0
    with connect(proxy) as connected:
        assert said(connected, b"again") == b"again"


def test_a_cut_without_reset_is_an_end(proxy: FaultProxy) -> None:
    with connect(proxy) as connected:
        assert said(connected, b"x") == b"x"
        assert proxy.cut(reset=False) == 1
        assert connected.recv(1) == b""


@pytest.mark.parametrize("size", [1, 1000, 100_000])
def test_an_answer_is_truncated_at_a_byte(proxy: FaultProxy, size: int) -> None:
    data = os.urandom(200_000)
    proxy.cut_after(size, reset=False)
    for _ in range(2):
        with connect(proxy) as connected:
            connected.sendall(data[: size + 100])
            found = b""
            try:
                while more := connected.recv(65536):
                    found += more
            except ConnectionResetError:
                # After the end: what was sent besides was never read.
                pass
            assert found == data[:size]


def test_bytes_are_counted_from_when_it_is_told(proxy: FaultProxy) -> None:
    with connect(proxy) as connected:
        assert said(connected, b"x" * 500) == b"x" * 500
        proxy.cut_after(10)
        assert said(connected, b"y" * 9) == b"y" * 9
        connected.sendall(b"zz")
        with pytest.raises(ConnectionResetError):
            received(connected, 2)


def test_cutting_can_be_called_off(proxy: FaultProxy) -> None:
    proxy.cut_after(10)
    with connect(proxy) as connected:
        assert said(connected, b"x" * 5) == b"x" * 5
        proxy.cut_after(None)
        assert said(connected, b"x" * 50) == b"x" * 50


def test_a_black_hole_keeps_connections_open_for_ever(proxy: FaultProxy, echo: Echo) -> None:
    with connect(proxy) as dead:
        assert said(dead, b"x") == b"x"
        proxy.black_hole()
        dead.sendall(b"y")
        dead.settimeout(0.1)
        with pytest.raises(TimeoutError):
            dead.recv(1)
        with connect(proxy) as alive:
            assert said(alive, b"z") == b"z"
        proxy.resume()
        with pytest.raises(TimeoutError):
            dead.recv(1)
        assert proxy.open_connections >= 1
    eventually(lambda: proxy.open_connections == 0)
    eventually(lambda: echo.ended == 2)


def test_new_connections_may_go_into_the_hole(proxy: FaultProxy) -> None:
    proxy.black_hole(new=True)
    with connect(proxy) as dead:
        dead.settimeout(0.1)
        dead.sendall(b"x")
        with pytest.raises(TimeoutError):
            dead.recv(1)
        proxy.resume()
        with connect(proxy) as alive:
            assert said(alive, b"z") == b"z"


def test_what_is_stalled_comes_later(proxy: FaultProxy) -> None:
    with connect(proxy) as connected:
        assert said(connected, b"x") == b"x"
        proxy.stall()
        connected.sendall(b"y")
        connected.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connected.recv(1)
        connected.settimeout(PATIENCE)
        proxy.resume()
        assert received(connected, 1) == b"y"


def test_what_is_stalled_can_be_cut(proxy: FaultProxy) -> None:
    with connect(proxy) as connected:
        proxy.stall()
        connected.sendall(b"y")
        eventually(lambda: proxy.connections == 1)
        assert proxy.cut() == 1
        with pytest.raises(ConnectionResetError):
            connected.recv(1)


def test_a_delay(proxy: FaultProxy) -> None:
    proxy.delay(0.15)
    with connect(proxy) as connected:
        begun = time.monotonic()
        assert said(connected, b"x") == b"x"
        assert time.monotonic() - begun >= 0.3
        proxy.resume()
        assert said(connected, b"y") == b"y"


def test_connections_are_refused(proxy: FaultProxy) -> None:
    with connect(proxy) as before:
        assert said(before, b"x") == b"x"
        proxy.refuse()
        with pytest.raises(ConnectionError):
            say_once(proxy)
        assert said(before, b"y") == b"y"
        proxy.resume()
        with connect(proxy) as after:
            assert said(after, b"z") == b"z"


def test_a_server_that_is_not_there() -> None:
    # A port that is taken and not listened on: nobody else can serve there meanwhile.
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with FaultProxy(address) as proxy, pytest.raises(ConnectionError):
            say_once(proxy)


def test_in_an_event_loop(echo: Echo) -> None:
    async def test() -> None:
        async with FaultProxy(echo.address) as proxy:
            host, _, port = proxy.address.rpartition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"hello")
            assert await reader.readexactly(5) == b"hello"
            proxy.cut()
            with pytest.raises(ConnectionResetError):
                await reader.read(1)
            writer.close()

    asyncio.run(test())


def test_urls() -> None:
    assert FaultProxy("https://example.com/prefix/").url == "https:///prefix"
    with FaultProxy("https://127.0.0.1:6443/prefix") as proxy:
        assert proxy.url == f"https://{proxy.address}/prefix"
    with pytest.raises(ValueError, match="'nonsense' is no server to stand before"):
        FaultProxy("nonsense")


def test_outside_of_its_block_it_says_so(echo: Echo) -> None:
    proxy = FaultProxy(echo.address)
    with pytest.raises(RuntimeError, match="the proxy does not run"):
        proxy.cut()
    with proxy:
        pass
    with pytest.raises(RuntimeError, match="the proxy does not run"):
        _ = proxy.connections
    proxy.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux shows them")
def test_leaving_closes_everything(echo: Echo) -> None:
    def sockets() -> set[str]:
        found = set()
        for descriptor in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):  # the listing's own, or one of another thread
                found.add(os.readlink(f"/proc/self/fd/{descriptor}"))
        return {target for target in found if target.startswith("socket:")}

    # What is there before may go meanwhile: earlier tests in this process may have left it to the collector.
    before, threads = sockets(), set(threading.enumerate())
    for round_ in range(10):
        with FaultProxy(echo.address) as proxy:
            connections = [connect(proxy) for _ in range(5)]
            for connected in connections:
                assert said(connected, b"x") == b"x"
            if round_ % 2:
                proxy.stall()
            else:
                proxy.black_hole(new=True)
        for connected in connections:
            assert connected.recv(1) == b""
            connected.close()
    eventually(lambda: echo.ended == 50)
    eventually(lambda: sockets() <= before and set(threading.enumerate()) <= threads)


def test_connections_that_come_as_it_ends_are_closed_too(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is left to the garbage collector, which would warn in whichever test it comes to."""
    with left_open(monkeypatch) as left, ExitStack() as late:
        for round_ in range(20):
            with FaultProxy(echo.address) as proxy:
                if round_ % 2:
                    proxy.refuse()
                late.enter_context(coming(proxy.address))
                eventually(lambda: proxy.connections > 5)
            late.close()
    assert left == []
