"""Requests as no client would send them: bytes on a TLS connection, and what comes back."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

__all__ = ["DEADLINE", "JSON", "Answer", "Connection", "Reachable", "ask", "failure", "is_refused"]

DEADLINE = 30.0
"""Seconds within which every request must be answered, or its connection closed, on a busy machine."""

JSON = "application/json"

_BROKEN = (ConnectionError, ssl.SSLError, http.client.HTTPException)
"""How a connection looks that the other end has closed, perhaps amid our sending."""


class Reachable(Protocol):
    """A server that one can talk to."""

    url: str
    ca_file: str
    token: str


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        """The body, which must be JSON."""
        assert self.headers.get("Content-Type") == JSON, f"{self.status}: {self.body[:200]!r}"
        return json.loads(self.body)


class Connection:
    """A connection to a server. Nothing on it takes longer than DEADLINE."""

    def __init__(self, server: Reachable, *, tls: bool = True, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(server.url)
        self._host = f"{parts.hostname}:{parts.port}"
        self._token = server.token
        self._end = time.monotonic() + DEADLINE
        self.socket: socket.socket = socket.create_connection((parts.hostname, parts.port), timeout=DEADLINE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            context = context or ssl.create_default_context(cafile=server.ca_file)
            try:
                self.socket = context.wrap_socket(self.socket, server_hostname=parts.hostname)
            except BaseException:
                self.socket.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    def head(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, *, version: str = "1.1"
    ) -> bytes:
        """The head of a request of the administrator; headers with an empty value are left out."""
        lines = {"Host": self._host, "Authorization": f"Bearer {self._token}", **(headers or {})}
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
        return f"{method} {target} HTTP/{version}\r\n{text}\r\n".encode("latin-1")

    def send(self, data: bytes) -> bool:
        """Send bytes; False when the server has closed the connection before it had them all."""
        self.socket.settimeout(max(0.01, self._end - time.monotonic()))
        try:
            self.socket.sendall(data)
        except _BROKEN:
            return False
        return True

    def receive(self, method: str = "GET") -> Answer | None:
        """The next answer; None when the server has closed the connection without one."""
        self.socket.settimeout(max(0.01, self._end - time.monotonic()))
        response = http.client.HTTPResponse(self.socket, method=method)
        try:
            response.begin()
            return Answer(response.status, response.headers, response.read())
        except _BROKEN:
            return None
        finally:
            response.close()

    def request(
        self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer | None:
        """Send a request and read its answer; None when the server has closed the connection instead."""
        self._end = time.monotonic() + DEADLINE
        sent = dict(headers or {})
        if body or method in {"POST", "PUT", "PATCH"}:
            sent.setdefault("Content-Type", JSON)
            sent.setdefault("Content-Length", str(len(body)))
        self.send(self.head(method, target, sent) + body)
        return self.receive(method)

    def is_closed(self) -> bool:
        """Whether the server closes the connection, within the deadline, with nothing more to say."""
        self.socket.settimeout(max(0.01, self._end - time.monotonic()))
        try:
            return self.socket.recv(1) == b""
        except TimeoutError:
            return False
        except _BROKEN:
            return True


def ask(
    server: Reachable,
    method: str,
    target: str,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
) -> Answer | None:
    """The answer to one request on a connection of its own."""
    with Connection(server) as connection:
        return connection.request(method, target, body, headers)


def failure(answer: Answer | None, *codes: int) -> str:
    """The message of an answer that must be a proper Status of a failure with one of these codes."""
    assert answer is not None, "the server closed the connection instead of answering"
    assert answer.status in codes, f"{answer.status}: {answer.body[:300]!r}"
    status = answer.json()
    assert (status["kind"], status["apiVersion"], status["status"]) == ("Status", "v1", "Failure")
    assert status["code"] == answer.status
    message: str = status["message"]
    assert message
    assert "Traceback" not in message
    assert ".py" not in message
    return message


def is_refused(answer: Answer | None, *codes: int) -> bool:
    """Whether broken HTTP was refused: with one of these codes and no traceback, or by closing."""
    if answer is None:
        return True
    assert answer.status in codes, f"{answer.status}: {answer.body[:300]!r}"
    return b"Traceback" not in answer.body
