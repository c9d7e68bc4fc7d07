"""Commands that end without reading their input: how they ended is told all the same.

A server that closes with bytes unread resets the connection, right behind its last words.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kubewright.client.client import Client
from kubewright.client.transport import _new_socket
from kubewright.config import Config
from kubewright.models.core_v1 import Pod
from tests.client.peers import run, server_context
from tests.client.streams.pod_server import V5, failure

EXIT_3 = b"\x03" + failure("NonZeroExitCode", details={"causes": [{"reason": "ExitCode", "message": "3"}]})


@contextmanager
def hasty_server(tls: ssl.SSLContext | None) -> Iterator[int]:
    """The port of a server, in a thread, whose commands end with 3 once they have read a little."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=_serve, args=(listener, tls))
        serving.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            serving.join()


def _serve(listener: socket.socket, tls: ssl.SSLContext | None) -> None:
    while True:
        try:
            accepted, _ = listener.accept()
        except OSError:
            return
        with accepted:
            _answer(tls.wrap_socket(accepted, server_side=True) if tls is not None else accepted)


def _answer(connection: socket.socket) -> None:
    asked = b""
    while b"\r\n\r\n" not in asked:
        asked += connection.recv(1 << 16)
    key = asked.partition(b"Sec-WebSocket-Key: ")[2].partition(b"\r\n")[0]
    # The constant is that of RFC 6455.
    proof = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())  # noqa: S324
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Protocol: " + V5.encode() + b"\r\nSec-WebSocket-Accept: " + proof + b"\r\n\r\n"
    )
    connection.recv(1 << 16)
    connection.sendall(b"\x82\x7e" + len(EXIT_3).to_bytes(2, "big") + EXIT_3 + b"\x88\x02\x03\xe8")
    connection.close()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_the_exit_code_is_there(*, tls: bool) -> None:
    async def test() -> None:
        with hasty_server(server_context() if tls else None) as port:
            server = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
            async with Client(Config(server=server, insecure=tls)) as client:
                pods = client.api(Pod, "default")
                for _ in range(50):
                    result = await pods.exec("web-0", ["sh", "-c", "exit 3"], stdin=bytes(4 << 20))
                    assert result.exit_code == 3

    run(test)


def test_a_socket_reads_what_came_before_a_reset() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = _new_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ()))
        made.connect(listener.getsockname())
        made.sendall(b"input that is not read")
        server, _ = listener.accept()
        select.select([server], [], [])
        server.sendall(b"last words")
        server.close()
    # Until the reset has come.
    poll = select.poll()
    poll.register(made, 0)
    assert poll.poll(5000)
    assert made.send(b"more") == 4
    assert made.send(b"and more") == 8
    assert made.sendmsg([b"and", b"more"]) == 7
    assert made.recv(100) == b"last words"
    assert made.recv(100) == b""
    made.close()


def test_writing_lets_the_reader_have_its_turn() -> None:
    """Input that goes nowhere is not written to its end."""

    async def test() -> None:
        with hasty_server(None) as port:
            async with (
                Client(Config(server=f"http://127.0.0.1:{port}")) as client,
                client.api(Pod, "default").exec_stream("web-0", ["true"], stdin=True) as session,
            ):
                reading = asyncio.create_task(session.wait())
                writing = asyncio.create_task(session.write(bytes(1 << 28)))
                await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
                assert reading.done()
                assert await reading == 3
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)

    run(test)
