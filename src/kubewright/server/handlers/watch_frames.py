"""The events of a watch as bytes; those of plain JSON watches are made once, however many watch."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.watch import encode_event
from kubewright.server.errors import not_acceptable
from kubewright.server.handlers.call import Call
from kubewright.server.handlers.negotiation import JSON, PROTOBUF, Output
from kubewright.server.handlers.respond import (
    encode_document,
    output_of,
    partial_metadata,
    plain_status,
    table_of,
)
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.watching import Change

__all__ = ["Frames"]

_ADDED: Final = encode_event("ADDED", b"").removesuffix(b"}\n")
"""How the frame of an added object begins."""

_INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""The annotation of the bookmark that ends the initial events."""

_CHUNK: Final = 64 * 1024
"""How many bytes of frames are made before the client has to read them."""

_encode: Final = msgspec.json.Encoder().encode


class Frames:
    """Makes the frames of one watch, in the form that its caller wants."""

    def __init__(self, call: Call, resource: ResourceType) -> None:
        self._output: Final = _stream_output(call, resource)
        self._call: Final = call
        self._resource: Final = resource
        self._plain: Final = self._output.media == "json" and not self._output.transform
        self._columns_sent = False
        self.content_type: Final = JSON if self._output.media == "json" else f"{PROTOBUF};stream=watch"

    def initial(self, values: Iterable[bytes]) -> Iterator[bytes]:
        """What is there at the start, as if it were added now, in chunks; a large object has several."""
        present = self._resource.present
        if not self._plain:
            return _chunks(self._shown("ADDED", present(value)) for value in values)
        return _chunks(self._plain_initial(values))

    def _plain_initial(self, values: Iterable[bytes]) -> Iterator[bytes]:
        resource = self._resource
        for value in values:
            if len(value) < _CHUNK:
                yield encode_event("ADDED", resource.present(value))
                continue
            # No copy of all of it, which would wait for the client.
            yield _ADDED
            for piece in resource.present_pieces(value):
                for start in range(0, len(piece), _CHUNK):
                    yield bytes(piece[start : start + _CHUNK])
            yield b"}\n"

    def changes(self, changes: Sequence[Change]) -> Iterator[bytes]:
        """What happened, in chunks."""
        resource = self._resource
        if self._plain:
            return _chunks(map(resource.frames.frame, changes))
        return _chunks(self._shown(change.type, resource.present(change.value)) for change in changes)

    def bookmark(self, revision: int, *, ends_initial_events: bool = False) -> bytes:
        """How far the watch has come."""
        metadata: Object = {"resourceVersion": str(revision)}
        if ends_initial_events:
            metadata["annotations"] = {_INITIAL_EVENTS_END: "true"}
        resource = self._resource
        obj = {
            "kind": resource.served.kind,
            "apiVersion": resource.api_version,
            **resource.always,
            "metadata": metadata,
        }
        return self._shown("BOOKMARK", _encode(obj))

    def error(self, error: ApiError) -> bytes:
        """A refusal that comes as an event, as upstream's watches have it."""
        return self._frame("ERROR", plain_status(error.status))

    def _shown(self, event_type: str, encoded: bytes) -> bytes:
        output = self._output
        if self._plain:
            return encode_event(event_type, encoded)  # type: ignore[arg-type]
        obj = msgspec.json.decode(encoded)
        if output.transform == "Table":
            shown = table_of(
                self._call,
                self._resource.printer,
                [obj],
                output,
                metadata={"resourceVersion": obj["metadata"].get("resourceVersion", "")},
            )
            if self._columns_sent:
                shown["columnDefinitions"] = None
            self._columns_sent = True
        else:
            shown = partial_metadata(obj, output.version) if output.transform else obj
        return self._frame(event_type, shown)

    def _frame(self, event_type: str, obj: Object) -> bytes:
        if self._output.media == "json":
            return encode_event(event_type, _encode(obj))  # type: ignore[arg-type]
        body, _ = encode_document(obj, self._output)
        # WatchEvent{type = 1, object = 2: RawExtension{raw = 1}}, with its length before it.
        event = _field(1, event_type.encode()) + _field(2, _field(1, body))
        return struct.pack(">I", len(event)) + event


def _chunks(frames: Iterable[bytes]) -> Iterator[bytes]:
    """Frames joined to chunks; a chunk is larger than _CHUNK only if its one frame is."""
    batch: list[bytes] = []
    size = 0
    for frame in frames:
        if batch and size + len(frame) > _CHUNK:
            yield b"".join(batch)
            batch, size = [], 0
        if len(frame) > _CHUNK:
            yield frame
            continue
        batch.append(frame)
        size += len(frame)
    if batch:
        yield batch[0] if len(batch) == 1 else b"".join(batch)


def _stream_output(call: Call, resource: ResourceType) -> Output:
    output = output_of(call, protobuf_answers=not resource.stores_type)
    if output.media == "yaml":
        raise not_acceptable([f"{JSON};stream=watch", f"{PROTOBUF};stream=watch"])
    return output


def _field(number: int, data: bytes) -> bytes:
    """A field of a protobuf message that has a length."""
    size, digits = len(data), bytearray()
    while size > 0x7F:
        digits.append(size & 0x7F | 0x80)
        size >>= 7
    digits.append(size)
    return bytes((number << 3 | 2,)) + bytes(digits) + data
