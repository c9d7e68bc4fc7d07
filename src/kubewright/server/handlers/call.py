"""A request as handlers see it, and what they answer with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import msgspec

from kubewright.machinery.paths import RequestInfo
from kubewright.machinery.status import Status
from kubewright.server.handlers.negotiation import JSON
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from kubewright.server.audit import Record
    from kubewright.server.unread import Unread

__all__ = [
    "NO_SNIFFING",
    "TEXT",
    "Answer",
    "Asked",
    "Call",
    "Headers",
    "PiecedAnswer",
    "Query",
    "Reply",
    "Socket",
    "Streamed",
    "Upgraded",
]


class Headers(Protocol):
    """The headers of a request; names in any case."""

    def __contains__(self, key: object, /) -> bool: ...

    def get(self, key: str, default: str, /) -> str: ...

    def getall(self, key: str, default: list[str], /) -> list[str]: ...

    def __iter__(self) -> Iterator[str]: ...

    def items(self) -> Iterable[tuple[str, str]]: ...


class Query(Protocol):
    """The parameters of a request, each with all its values."""

    def __contains__(self, key: object, /) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...

    def __len__(self) -> int: ...

    def get(self, key: str, default: str, /) -> str: ...

    def getall(self, key: str, default: list[str], /) -> list[str]: ...


class Asked(Protocol):
    """What of a request says in which form its answer is wanted."""

    @property
    def headers(self) -> Headers: ...

    @property
    def query(self) -> Query: ...


class Call:
    """One request of a known caller."""

    __slots__ = (
        "annotations",
        "body",
        "headers",
        "info",
        "method",
        "now",
        "query",
        "record",
        "unread",
        "user",
        "warnings",
    )

    def __init__(
        self,
        *,
        method: str,
        info: RequestInfo,
        query: Query,
        headers: Headers,
        body: bytes,
        user: User,
        now: datetime,
        warnings: list[str] | None = None,
        record: Record | None = None,
        unread: Unread | None = None,
    ) -> None:
        self.method: Final = method
        self.info: Final = info
        self.query: Final = query
        self.headers: Final = headers
        self.body: Final = body
        self.user: Final = user
        self.now: Final = now
        self.warnings: Final[list[str]] = [] if warnings is None else warnings
        """What the Warning headers of the answer will say."""
        self.annotations: Final[dict[str, str]] = {}
        """What the audit log will say of the request beside the rest; admission plugins write it."""
        self.unread: Final = unread
        """The account of answers that wait for their readers; None within the process."""
        self.record: Final = record
        """Who tells the audit log of it; None for what is not told."""


TEXT: Final = "text/plain; charset=utf-8"
NO_SNIFFING: Final[Mapping[str, str]] = {"X-Content-Type-Options": "nosniff"}
"""What goes with plain text, so that no browser takes it for something else."""

_NO_HEADERS: Final[Mapping[str, str]] = {}


class Answer(msgspec.Struct, gc=False):
    """A whole answer."""

    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: Mapping[str, str] = _NO_HEADERS
    said: Status | None = None
    """The Status that it is, in the form that the caller takes; for the audit log."""


class PiecedAnswer(msgspec.Struct):
    """A large answer in pieces that it shares with the store, so that slow clients hold no copies."""

    pieces: Sequence[bytes | memoryview]
    size: int
    """The bytes of all pieces together."""
    own: int = 0
    """Those of them that are not shared with the store, because objects were converted."""
    status: int = 200
    content_type: str = JSON
    headers: Mapping[str, str] = _NO_HEADERS
    said: Status | None = None

    @property
    def body(self) -> bytes:
        """All pieces as one."""
        return b"".join(self.pieces)

    def join(self) -> Answer:
        """The same as a whole."""
        return Answer(self.body, self.status, self.content_type, self.headers, self.said)


class Streamed(msgspec.Struct):
    """An answer that goes on: a watch, or a log."""

    chunks: Callable[[], AsyncIterator[bytes]]
    content_type: str = JSON
    is_patient: bool = False
    """Whether its reader may pause for hours: a person reads a log."""


class Socket(Protocol):
    """A WebSocket of messages."""

    async def send(self, message: bytes, *, text: bool = False) -> None:
        """Send one message, binary or in UTF-8; waits while the client takes no more.

        Raises ConnectionError.
        """
        ...

    async def receive(self) -> bytes | None:
        """The next message, binary or text; None when the client has closed the connection or is silent."""
        ...


class Upgraded(msgspec.Struct):
    """A connection that is a WebSocket from here on, for as long as `serve` takes."""

    serve: Callable[[Socket], Awaitable[None]]
    protocol: str
    """The subprotocol that is spoken; empty when the client offers none."""
    is_patient: bool = True
    """Whether the reader may pause for hours, as people do; not for watches."""


Reply: TypeAlias = Answer | PiecedAnswer | Streamed | Upgraded
