"""Watch frames: events out of a stream of bytes, and into one.

A watch is one JSON object per line, `{"type": "ADDED", "object": {...}}`. Chunks of the stream end anywhere,
so `FrameReader` cuts it into frames, and `WatchDecoder` makes events of them.
"""

from __future__ import annotations

from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Raw

from kubewright.machinery import codec
from kubewright.machinery.errors import ApiError, DecodeError, NestedTooDeeply, error_from_status
from kubewright.machinery.resource import Resource
from kubewright.machinery.status import Status
from kubewright.machinery.unstructured import Unstructured

__all__ = ["EventType", "FrameReader", "WatchDecoder", "WatchEvent", "encode_event"]

EventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]

K = TypeVar("K", bound=Resource | Unstructured)

MAX_FRAME: Final = 16 * 1024 * 1024
"""The largest frame that is taken: objects are at most 3 MB in an API server, and JSON escapes at most
quintuple that."""

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""The annotation on the bookmark that ends the initial events of a streaming list."""


class FrameReader:
    """Cuts a stream into lines.

    Each byte is looked at once, whatever the chunks are. A reader that raised is of no further use.
    """

    __slots__ = ("_max_frame", "_parts", "_size")

    def __init__(self, *, max_frame: int = MAX_FRAME) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._max_frame = max_frame

    def feed(self, chunk: bytes) -> list[bytes]:
        """The frames that this chunk completes. Raises DecodeError when one is larger than a frame may be."""
        *complete, rest = chunk.split(b"\n")
        if not complete:
            self._keep(rest)
            return []
        complete[0] = self._joined(complete[0])
        self._keep(rest)
        frames = [line for line in complete if line.strip()]
        for frame in frames:
            if len(frame) > self._max_frame:
                self._refuse(len(frame))
        return frames

    def finish(self) -> None:
        """Say that the stream has ended. Raises DecodeError when it ended inside a frame."""
        rest = b"".join(self._parts)
        if rest.strip():
            raise DecodeError(f"the watch stream was cut off inside a frame, after {len(rest)} bytes of it")

    def _joined(self, end: bytes) -> bytes:
        if not self._parts:
            return end
        joined = b"".join((*self._parts, end))
        self._parts.clear()
        self._size = 0
        return joined

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
            if self._size > self._max_frame:
                self._refuse(self._size)

    def _refuse(self, size: int) -> None:
        raise DecodeError(f"a watch frame has {size:,} bytes or more, but {self._max_frame:,} are the most")


class WatchEvent(msgspec.Struct, Generic[K], frozen=True):
    """One change: what happened, and the object after it (for DELETED, the last state)."""

    type: EventType
    object: K

    @property
    def resource_version(self) -> str:
        """The revision from which a watch that follows this event resumes."""
        return self.object.metadata.resource_version

    @property
    def ends_initial_events(self) -> bool:
        """Whether this is the bookmark after which a streaming list is complete."""
        return self.type == "BOOKMARK" and self.object.metadata.annotations.get(INITIAL_EVENTS_END) == "true"


class _Frame(msgspec.Struct):
    type: str
    object: Raw


_frame_decoder: Final = msgspec.json.Decoder(_Frame)
_TYPES: Final[dict[str, EventType]] = {
    "ADDED": "ADDED",
    "MODIFIED": "MODIFIED",
    "DELETED": "DELETED",
    "BOOKMARK": "BOOKMARK",
}


class WatchDecoder(Generic[K]):
    """Makes events of one kind out of frames."""

    __slots__ = ("_kind", "_strict")

    def __init__(self, kind: type[K]) -> None:
        self._kind = kind
        event: Any = WatchEvent[kind]  # type: ignore[valid-type]
        self._strict = codec.decoder_of(event) if issubclass(kind, Resource) else None

    def decode(self, frame: bytes) -> WatchEvent[K]:
        """The event in a frame.

        Raises the ApiError of an ERROR frame (`Expired` for a revision that is compacted), and DecodeError
        for a frame that is no event.
        """
        if self._strict is not None:
            # All that data from a server of the model's own version needs, in one pass.
            try:
                return self._strict.decode(frame)  # type: ignore[no-any-return]
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                pass
        try:
            return self._decode_in_steps(frame)
        except NestedTooDeeply:
            return self._decode_cut(frame)

    def _decode_cut(self, frame: bytes) -> WatchEvent[K]:
        """Decode an object that is nested too deeply, but for what is so deep in it."""
        from kubewright.machinery.deep import cut_object  # noqa: PLC0415 - hardly anybody meets one

        cut = cut_object(frame)
        event = self._decode_in_steps(cut.data)
        cut.restore((event.object,))
        return event

    def _decode_in_steps(self, frame: bytes) -> WatchEvent[K]:
        """Decode an error, an object with unknown fields, or what is wrong."""
        try:
            decoded = _frame_decoder.decode(frame)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise codec.explained(error, "watch frame", "") from None
        if decoded.type == "ERROR":
            raise _error(decoded.object)
        if decoded.type not in _TYPES:
            raise DecodeError(f"watch frame: unknown event type {decoded.type!r}")
        return WatchEvent(_TYPES[decoded.type], _decode(decoded.object, self._kind))


def encode_event(event_type: EventType | Literal["ERROR"], encoded_object: bytes) -> bytes:
    """The frame of an event whose object is encoded already, line end included."""
    return b'{"type":"%b","object":%b}\n' % (event_type.encode(), encoded_object)


def _decode(raw: Raw, kind: type[K]) -> K:
    if issubclass(kind, Unstructured):
        return kind.from_json(raw, place="watch frame object")
    return codec.decode(raw, kind, place="watch frame object")


def _error(raw: Raw) -> ApiError:
    status: Any = codec.decode(raw, Status, place="watch frame object")
    return error_from_status(status)
