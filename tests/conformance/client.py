"""A small blocking HTTP client for these tests, so that they do not depend on kubewright's own."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import urlencode, urlsplit

__all__ = ["Client", "Response", "ServerUnderTest", "Watch"]

PATIENCE = 60.0
"""Seconds that any single answer, or the next event of a watch, may take on a busy machine."""

JSON = "application/json"


class ServerUnderTest(Protocol):
    """What tests need to know of a server; paths are texts."""

    url: str
    ca_file: str
    token: str
    client_cert_file: str
    client_key_file: str
    kubeconfig: str

    def compact(self, revision: int) -> None:
        """Forgets the history before a revision."""


@dataclass(frozen=True)
class Response:
    """A whole answer."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        """The body, which must be JSON."""
        assert self.content_type == JSON, f"{self.status} {self.content_type}: {self.body[:200]!r}"
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    @property
    def content_type(self) -> str:
        """The whole Content-Type header."""
        return str(self.headers.get("Content-Type", ""))

    @property
    def warnings(self) -> list[str]:
        """The texts of the Warning headers, each of which must be `299 - "text"`."""
        return [_warning_text(value) for value in self.headers.get_all("Warning", [])]


def _warning_text(header: str) -> str:
    start = '299 - "'
    assert header.startswith(start), header
    assert header.endswith('"'), header
    return header[len(start) : -1].replace('\\"', '"').replace("\\\\", "\\")


class Client:
    """Sends requests as the administrator, over one connection per thread.

    Keyword arguments are query parameters; those that are Python keywords have an underscore: `continue_`.
    A dict or list as body is sent as JSON, text and bytes as they are.
    """

    def __init__(
        self,
        server: ServerUnderTest,
        *,
        token: str | None = None,
        authenticated: bool = True,
        client_certificate: bool = False,
    ) -> None:
        parts = urlsplit(server.url)
        assert parts.hostname is not None
        self._host, self._port = parts.hostname, parts.port or 443
        self._context = ssl.create_default_context(cafile=server.ca_file)
        if client_certificate:
            self._context.load_cert_chain(server.client_cert_file, server.client_key_file)
        chosen = token or server.token
        self._headers = (
            {"Authorization": f"Bearer {chosen}"} if authenticated and not client_certificate else {}
        )
        self._local = threading.local()
        self._all: list[http.client.HTTPSConnection] = []

    def get(self, path: str, *, headers: dict[str, str] | None = None, **query: object) -> Response:
        """GET."""
        return self.request("GET", path, headers=headers, **query)

    def post(
        self, path: str, body: object, *, headers: dict[str, str] | None = None, **query: object
    ) -> Response:
        """POST."""
        return self.request("POST", path, body, headers=headers, **query)

    def put(
        self, path: str, body: object, *, headers: dict[str, str] | None = None, **query: object
    ) -> Response:
        """PUT."""
        return self.request("PUT", path, body, headers=headers, **query)

    def delete(
        self, path: str, body: object = None, *, headers: dict[str, str] | None = None, **query: object
    ) -> Response:
        """DELETE, perhaps with DeleteOptions as body."""
        return self.request("DELETE", path, body, headers=headers, **query)

    def patch(
        self,
        path: str,
        body: object,
        *,
        kind: str = "merge-patch+json",
        headers: dict[str, str] | None = None,
        **query: object,
    ) -> Response:
        """PATCH with the content type application/<kind>."""
        sent = {"Content-Type": f"application/{kind}", **(headers or {})}
        return self.request("PATCH", path, body, headers=sent, **query)

    def apply(self, path: str, body: object, *, manager: str | None = "applier", **query: Any) -> Response:
        """PATCH as server-side apply; JSON is YAML."""
        if manager is not None:
            query["fieldManager"] = manager
        return self.patch(path, body, kind="apply-patch+yaml", **query)

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: dict[str, str] | None = None,
        **query: object,
    ) -> Response:
        """Sends a request and reads the whole answer."""
        target, sent, data = self._prepared(path, body, headers, query)
        connection = self._connection()
        try:
            try:
                connection.request(method, target, body=data, headers=sent)
                answer = connection.getresponse()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # The server has closed an idle connection.
                connection.close()
                connection.request(method, target, body=data, headers=sent)
                answer = connection.getresponse()
            return Response(answer.status, answer.headers, answer.read())
        except BaseException:
            connection.close()
            raise

    def watch(self, path: str, *, headers: dict[str, str] | None = None, **query: object) -> Watch:
        """Starts a watch on a connection of its own; use it in a `with` block."""
        target, sent, _ = self._prepared(path, None, headers, {"watch": "1", **query})
        connection = self._new_connection()
        connection.request("GET", target, headers=sent)
        return Watch(connection)

    def close(self) -> None:
        """Closes all connections."""
        for connection in self._all:
            connection.close()

    def _prepared(
        self, path: str, body: object, headers: dict[str, str] | None, query: dict[str, object]
    ) -> tuple[str, dict[str, str], bytes | None]:
        pairs = [(name.rstrip("_"), _query_text(value)) for name, value in query.items()]
        target = path if not pairs else f"{path}{'&' if '?' in path else '?'}{urlencode(pairs)}"
        sent = {"Accept": JSON, **self._headers, **(headers or {})}
        data = _encoded(body)
        if data is not None:
            sent.setdefault("Content-Type", JSON)
        return target, sent, data

    def _connection(self) -> http.client.HTTPSConnection:
        found: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = self._new_connection()
            self._all.append(found)
        return found

    def _new_connection(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(self._host, self._port, timeout=PATIENCE, context=self._context)


def _query_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _encoded(body: object) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    # Without spaces, as Go writes it: kinds such as ControllerRevision keep the bytes of what they hold.
    return (body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))).encode()


class Watch:
    """The events of a watch as they come; waiting longer than PATIENCE for one fails the test."""

    def __init__(self, connection: http.client.HTTPSConnection) -> None:
        self._connection = connection
        try:
            self._answer = connection.getresponse()
        except BaseException:
            connection.close()
            raise
        self.status = self._answer.status
        self.headers = self._answer.headers

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._answer.close()
        self._connection.close()

    def next(self) -> tuple[str, Any]:
        """The type and the object of the next event."""
        line = self._answer.readline()
        assert line, "the watch ended"
        event = json.loads(line)
        assert set(event) == {"type", "object"}
        return event["type"], event["object"]

    def take(self, count: int) -> list[tuple[str, Any]]:
        """The next events."""
        return [self.next() for _ in range(count)]

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """All events until the server ends the watch."""
        while line := self._answer.readline():
            event = json.loads(line)
            yield event["type"], event["object"]

    def response(self) -> Response:
        """What came instead of a watch, whole."""
        return Response(self.status, self.headers, self._answer.read())
