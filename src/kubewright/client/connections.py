"""What carries requests to a server: sockets, in `transport`, or whatever else answers as one does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final, Protocol

from kubewright.client.request import Request, Response
from kubewright.client.websocket import WebSocket
from kubewright.config import ClientCertificate

__all__ = ["MAX_ANSWER", "Connections", "Stream"]

MAX_ANSWER: Final = 1 << 30
"""The largest answer that is read whole: all that a large cluster has, unpaged, is some hundred megabytes."""


class Stream(ABC):
    """An answer whose status and headers are there and whose bytes come. `close` it, or read it whole."""

    status: int
    headers: Mapping[str, str]

    @property
    @abstractmethod
    def warnings(self) -> Sequence[str]:
        """The Warning headers as they are."""

    @abstractmethod
    async def chunk(self, *, within: float | None = None) -> bytes:
        """What has come, as soon as anything has; empty at the end.

        Raises TransportError when the connection breaks, and RequestTimeout when nothing comes in time.
        """

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await self.chunk():
            yield chunk

    @abstractmethod
    async def whole(self, *, limit: int = MAX_ANSWER) -> Response:
        """The whole answer, whatever its status; the connection is free for others then.

        Raises TransportError when the connection breaks, and when there are more bytes than `limit`.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the answer; a connection with bytes to come is closed."""


class Connections(Protocol):
    """Takes requests to one server; `Client(config, connections=...)` uses one in place of sockets."""

    async def open(
        self, request: Request, headers: Sequence[tuple[str, str]], certificate: ClientCertificate | None
    ) -> Stream:
        """Send a request, once, and return its answer as soon as its headers are there.

        `headers` are all that are sent. Raises TransportError, and ConfigError for a bad certificate.
        """

    async def open_websocket(
        self,
        request: Request,
        headers: Sequence[tuple[str, str]],
        certificate: ClientCertificate | None,
        *,
        protocols: Sequence[str],
    ) -> WebSocket | Response:
        """Ask for a WebSocket; an answer in its place is the server's refusal. Raises TransportError."""

    async def close(self) -> None:
        """Close all connections, also those that are being made, and so end what is under way."""
