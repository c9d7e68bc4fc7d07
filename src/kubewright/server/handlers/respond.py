"""Putting answers together: stored bytes copied where the caller takes JSON, decoded where it wants more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from kubewright.machinery import protobuf, yaml
from kubewright.machinery.errors import ApiError
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.status import Status
from kubewright.server.errors import bad_request, not_acceptable, refusal, unknown_media_types
from kubewright.server.handlers.call import Answer, Asked, Call, PiecedAnswer
from kubewright.server.handlers.negotiation import JSON, PROTOBUF, YAML, Output, names_known_media, negotiate
from kubewright.server.kinds.kind import Object
from kubewright.server.large_requests import LARGE, run_in_worker
from kubewright.server.registry.listing import Listed
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.tables import Printer

__all__ = [
    "encode_document",
    "list_answer",
    "list_reply",
    "object_answer",
    "object_reply",
    "output_of",
    "partial_metadata",
    "plain_answer",
    "plain_status",
    "reply_in_form",
    "status_answer",
    "table_of",
]

_R = TypeVar("_R")

_encode: Final = msgspec.json.Encoder().encode

_PRETTY_AGENTS: Final = ("curl", "Wget", "Mozilla/5.0")
"""Callers who read the answer themselves; upstream indents for them."""

_META: Final = "meta.k8s.io/"

_PIECED_FROM: Final = 128 * 1024
"""Lists of this size are not joined: a client that reads slowly would hold a copy of all objects."""


def output_of(call: Call, *, protobuf_answers: bool = True, transforms: bool = True) -> Output:
    """The form in which the caller wants its answer. Raises NotAcceptable."""
    accept = call.headers.get("Accept", "")
    output = negotiate(accept, protobuf=protobuf_answers, transforms=transforms)
    if output is None:
        media = [JSON, YAML, PROTOBUF] if protobuf_answers else [JSON, YAML]
        raise not_acceptable(media) if names_known_media(accept) else unknown_media_types(media)
    return output


def object_answer(call: Call, resource: ResourceType, value: bytes, *, status: int = 200) -> Answer:
    """A stored object as the answer."""
    output = output_of(call, protobuf_answers=not resource.stores_type)
    if output.media == "json" and not output.transform and not _wants_pretty(call, output):
        return Answer(resource.present(value) + b"\n", status)
    if output.transform == "PartialObjectMetadataList":
        raise _other_form(output, f"is not a list (*{_package(resource)}.{resource.served.kind})")
    obj = msgspec.json.decode(resource.present(value))
    if output.transform == "Table":
        revision = obj["metadata"].get("resourceVersion", "")
        obj = table_of(
            call, resource.printer, [obj], output, metadata={"resourceVersion": revision}, of=resource
        )
    elif output.transform:
        obj = partial_metadata(resource.internal(obj), output.version)
    return plain_answer(call, obj, output, status=status)


def object_reply(call: Call, resource: ResourceType, value: bytes) -> Answer | PiecedAnswer:
    """As `object_answer`, with a large object in pieces."""
    if len(value) >= _PIECED_FROM:
        output = output_of(call, protobuf_answers=not resource.stores_type)
        if output.media == "json" and not output.transform and not _wants_pretty(call, output):
            pieces = (*resource.present_pieces(value), b"\n")
            own = len(pieces[0]) if pieces[0] is not value else 0
            return PiecedAnswer(pieces, sum(map(len, pieces)), own)
    return object_answer(call, resource, value)


def list_answer(call: Call, resource: ResourceType, values: Sequence[bytes], listed: Listed) -> Answer:
    """As `list_reply`, but always as a whole."""
    reply = list_reply(call, resource, values, listed)
    return reply.join() if isinstance(reply, PiecedAnswer) else reply


def list_reply(
    call: Call, resource: ResourceType, values: Sequence[bytes], listed: Listed
) -> Answer | PiecedAnswer:
    """A list of objects as the answer; `values` are those of `listed`, converted.

    A revision of 0 stands for objects that are not stored, and is left out.
    """
    output = output_of(call, protobuf_answers=not resource.stores_type)
    # Lists of custom resources say that there is no more, where others say nothing.
    metadata: Object = {"continue": ""} if resource.stores_type and not output.transform else {}
    if listed.revision:
        metadata["resourceVersion"] = str(listed.revision)
    if listed.token:
        metadata["continue"] = listed.token
        if listed.remaining:
            metadata["remainingItemCount"] = listed.remaining
    if output.media == "json" and not output.transform and not _wants_pretty(call, output):
        items = values
        if type(resource).item is not ResourceType.item:
            items = [resource.item(value) for value in values]
        start = resource.list_start + b'"metadata":' + _encode(metadata) + b',"items":['
        reply = _joined_or_pieced(start, items, b"]}\n")
        if isinstance(reply, PiecedAnswer) and items is not values:
            converted = resource.converts
            reply.own = sum(
                len(item) for item, value in zip(items, values, strict=True) if converted or item is not value
            )
        return reply
    if not output.transform:
        decoded = [msgspec.json.decode(resource.item(value)) for value in values]
        return plain_answer(call, _list(resource, metadata, decoded), output)
    if output.transform == "PartialObjectMetadata":
        raise _other_form(output, f"is a list (*{_package(resource)}.{resource.served.list_kind})")
    objects = [msgspec.json.decode(resource.present(value)) for value in values]
    if output.transform == "Table":
        return plain_answer(
            call, table_of(call, resource.printer, objects, output, metadata=metadata, of=resource), output
        )
    listing = {
        "kind": "PartialObjectMetadataList",
        "apiVersion": _META + output.version,
        "metadata": metadata,
        "items": [partial_metadata(resource.internal(obj), output.version) for obj in objects],
    }
    return plain_answer(call, listing, output)


async def reply_in_form(call: Call, resource: ResourceType, size: int, make: Callable[[], _R]) -> _R:
    """What `make` makes of stored values of this size; in the worker thread where they have to be decoded."""
    if size < LARGE:
        return make()
    output = output_of(call, protobuf_answers=not resource.stores_type)
    is_copied = output.media == "json" and not output.transform and not _wants_pretty(call, output)
    if is_copied:
        return make()
    if call.unread is None:
        return await run_in_worker(make)
    # One at a time, so that each is counted as unread before there is room for the next.
    async with call.unread.rendering:
        await call.unread.room()
        return await run_in_worker(make)


def _joined_or_pieced(start: bytes, values: Sequence[bytes], end: bytes) -> Answer | PiecedAnswer:
    size = sum(map(len, values))
    if size < _PIECED_FROM:
        return Answer(b"".join((start, b",".join(values), end)))
    pieces: list[bytes | memoryview] = [start]
    for value in values:
        pieces += (value, b",")
    pieces[-1] = end
    return PiecedAnswer(pieces, len(start) + size + len(values) - 1 + len(end))


def plain_answer(call: Call, obj: Object, output: Output, *, status: int = 200) -> Answer:
    """Any document as the answer, in the form that is wanted."""
    pretty = _wants_pretty(call, output)
    body, content_type = encode_document(obj, output, pretty=pretty)
    return Answer(body, status, content_type)


def encode_document(obj: Object, output: Output, *, pretty: bool = False) -> tuple[bytes, str]:
    """A document in a form, and the content type of that form."""
    if output.media == "yaml":
        # Upstream's YAML is made from JSON whose keys are sorted.
        return yaml.dump(msgspec.json.decode(msgspec.json.encode(obj, order="sorted"))).encode(), YAML
    if output.media == "protobuf":
        from kubewright.models.protobuf_tables import builtin_messages  # noqa: PLC0415 - a large table

        return protobuf.encode(obj, builtin_messages()), PROTOBUF
    data = _encode(obj)
    return (msgspec.json.format(data, indent=2) if pretty else data + b"\n"), JSON


def status_answer(asked: Asked | None, status: Status, *, code: int | None = None) -> Answer:
    """A Status as the answer, with its own code or with one that it does not say itself; in JSON when it is
    not known how it is wanted."""
    code = code or status.code or 500
    body = _encode(plain_status(status)) + b"\n"
    headers = {}
    details = status.details
    if details is not None and details.retry_after_seconds:
        headers["Retry-After"] = str(details.retry_after_seconds)
    if asked is None:
        return Answer(body, code, headers=headers, said=status)
    output = negotiate(asked.headers.get("Accept", ""), protobuf=True)
    if output is not None and output.media != "json":
        body, content_type = encode_document(plain_status(status), output)
        return Answer(body, code, content_type, headers, said=status)
    if _wants_pretty(asked, None):
        body = msgspec.json.format(body, indent=2)
    # What is not in a form that the caller takes is, to upstream, no object.
    return Answer(body, code, headers=headers, said=None if output is None else status)


def table_of(
    call: Call,
    printer: Printer,
    objects: Sequence[Object],
    output: Output,
    *,
    metadata: Object,
    of: ResourceType | None = None,
) -> Object:
    """Objects as the rows of a Table; `of` is their type."""
    include = call.query.get("includeObject", "") or "Metadata"
    if include not in {"None", "Metadata", "Object"}:
        wrong = invalid_field("includeObject", include, "must be 'Metadata', 'Object', 'None', or empty")
        raise bad_request(f"Unable to convert to Table as requested: {wrong}")
    rows = []
    for obj in objects if printer.order is None else sorted(objects, key=printer.order):
        row: Object = printer.row(obj, call.now)
        if include == "Object":
            row["object"] = obj
        else:
            inner = obj if of is None else of.internal(obj)
            row["object"] = partial_metadata(inner, output.version) if include == "Metadata" else None
        rows.append(row)
    return {
        "kind": "Table",
        "apiVersion": _META + output.version,
        "metadata": metadata,
        "columnDefinitions": printer.columns,
        "rows": rows,
    }


def partial_metadata(obj: Object, version: str) -> Object:
    """An object reduced to its metadata."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": _META + version,
        "metadata": obj.get("metadata", {}),
    }


def _package(resource: ResourceType) -> str:
    """What Go calls the package of the kind."""
    return resource.served.group.partition(".")[0] or "core"


def _other_form(output: Output, why: str) -> ApiError:
    text = f"you requested {output.transform}, but the requested object {why}"
    return refusal(406, "NotAcceptable", text)


def _list(resource: ResourceType, metadata: Object, items: list[Any]) -> Object:
    return {
        "kind": resource.served.list_kind,
        "apiVersion": resource.api_version,
        "metadata": metadata,
        "items": items,
    }


def plain_status(status: Status) -> Object:
    """A Status as Go writes it: nothing that is empty, but for its metadata."""
    said: Object = _without_empty(status.to_dict())
    head = {"kind": "Status", "apiVersion": "v1", "metadata": {}}
    return head | said | ({"details": {}} if status.details is not None and "details" not in said else {})


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: _without_empty(member) for name, member in value.items()}
        return {name: member for name, member in kept.items() if member not in ("", None, [], {})}
    return [_without_empty(element) for element in value] if isinstance(value, list) else value


def _wants_pretty(asked: Asked, output: Output | None) -> bool:
    if output is not None and output.pretty:
        return True
    if len(asked.query) and "pretty" in asked.query:
        return asked.query.get("pretty", "").lower() not in {"0", "false"}
    agent = asked.headers.get("User-Agent", "")
    return agent.startswith(_PRETTY_AGENTS)
