"""A small blocking WebSocket client, which shows each frame as it came."""

from __future__ import annotations

import base64
import os
import socket
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import parse_headers
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.conformance.client import PATIENCE

__all__ = ["Frame", "Refused", "WebSocket"]

TEXT, BINARY = 1, 2


class Refused(Exception):
    """The server answers with something else than a WebSocket; `status` is its code."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"{status}: {body.decode(errors='replace')}")
        self.status = status


@dataclass(frozen=True)
class Frame:
    """A message."""

    is_text: bool
    data: bytes


class WebSocket:
    """A connection, open until the `with` block ends. Raises Refused when it cannot be opened."""

    def __init__(
        self,
        url: str,
        path: str,
        *,
        ca_file: str | None,
        headers: dict[str, str] | None = None,
        protocols: Sequence[str] = (),
    ) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        context = ssl.create_default_context(cafile=ca_file)
        if ca_file is None:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection((parts.hostname, parts.port), PATIENCE)
        self._socket = context.wrap_socket(plain, server_hostname=parts.hostname)
        self._stream = self._socket.makefile("rb")
        self.close_code: int | None = None
        """The code with which the server has closed the connection."""
        try:
            self._open(path, parts.netloc, headers or {}, protocols)
        except BaseException:
            self.close()
            raise

    def _open(self, path: str, host: str, headers: dict[str, str], protocols: Sequence[str]) -> None:
        asked = {
            "Host": host,
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            **({"Sec-WebSocket-Protocol": ", ".join(protocols)} if protocols else {}),
            **headers,
        }
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items())]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        status = int(self._stream.readline().split()[1])
        answer = parse_headers(self._stream)
        if status != 101:
            raise Refused(status, self._stream.read(int(answer.get("Content-Length", "0"))))
        self.protocol = answer.get("Sec-WebSocket-Protocol", "")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection, without a word."""
        self._stream.close()
        self._socket.close()

    def send(self, data: bytes, *, text: bool = False) -> None:
        """Sends a message, masked with zeros, which changes nothing of it."""
        size = len(data)
        length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        self._socket.sendall(bytes((0x80 | (TEXT if text else BINARY),)) + length + bytes(4) + data)

    def receive(self) -> Frame | None:
        """The next message; None when the server has closed the connection."""
        while True:
            head = self._stream.read(2)
            if len(head) < 2:
                return None
            assert head[0] & 0x80, "a message in several frames"
            size = head[1]
            if size >= 126:
                size = int.from_bytes(self._stream.read(2 if size == 126 else 8), "big")
            data = self._stream.read(size)
            match head[0] & 0x0F:
                case 1 | 2 as kind:
                    return Frame(kind == TEXT, data)
                case 8:
                    self.close_code = int.from_bytes(data[:2], "big")
                    return None

    def __iter__(self) -> Iterator[Frame]:
        """All messages until the server closes the connection."""
        while (frame := self.receive()) is not None:
            yield frame
