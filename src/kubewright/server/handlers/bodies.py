"""Reading the bodies of writes, in any of their forms, with the errors that upstream gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import msgspec

from kubewright.machinery import protobuf, yaml
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.server.errors import bad_request, unsupported_media_type
from kubewright.server.handlers.call import Call
from kubewright.server.handlers.negotiation import JSON, PROTOBUF, YAML, Media, input_media
from kubewright.server.kinds.kind import Object
from kubewright.server.large_requests import LARGE, LARGE_YAML, run_in_worker
from kubewright.server.registry.metadata import bound_managed_fields
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.wire import Read, WireError, wire_type

__all__ = [
    "STRICT",
    "Reader",
    "body_media",
    "decode_other",
    "is_large",
    "load_yaml",
    "read_body",
    "read_kind",
    "strict_error",
    "warn_or_refuse",
    "yaml_errors",
]

STRICT: Final = "Strict"
"""The fieldValidation that refuses; `Warn` warns, which is the default, and `Ignore` does neither."""


class Reader(Protocol):
    """What reads the objects of a kind: a resource's type, or the wire type of a kind that is no resource."""

    def read(self, data: bytes, *, strict: bool) -> Read: ...

    def read_object(self, obj: Object, *, strict: bool) -> Read: ...


async def read_body(call: Call, resource: ResourceType, validation: str) -> Object:
    """The object in a body, with defaults. Raises BadRequest and UnsupportedMediaType.

    Unknown and duplicate fields are refused, warned of or skipped, as `validation` says.
    """
    served = resource.served
    obj = await _read(call, resource, served.version, served.kind, validation, typed=not resource.stores_type)
    obj["apiVersion"], obj["kind"] = resource.api_version, served.kind
    if not isinstance(obj.get("metadata"), dict):
        obj["metadata"] = {}
    bound_managed_fields(obj["metadata"])
    if call.record is not None:
        call.record.request_object(obj)
    return obj


async def read_kind(call: Call, api_version: str, kind: str, validation: str = "Warn") -> Object:
    """The object of a kind that is no resource, such as Scale or Eviction. Raises as `read_body` does."""
    version = api_version.rpartition("/")[2]
    obj = await _read(call, wire_type(api_version, kind), version, kind, validation, typed=True)
    made = {**obj, "apiVersion": api_version, "kind": kind}
    if call.record is not None:
        call.record.request_object(made)
    return made


def body_media(call: Call, *, typed: bool) -> Media:
    """The form of a body; custom resources have no protobuf. Raises UnsupportedMediaType."""
    media = input_media(call.headers.get("Content-Type", ""))
    if media is None or (media == "protobuf" and not typed):
        raise unsupported_media_type([JSON, YAML, PROTOBUF] if typed else [JSON, YAML])
    return media


def decode_other(body: bytes, media: Media) -> Object:
    """What a body says that is not JSON. Raises ParseError."""
    if media == "yaml":
        loaded, _ = load_yaml(body)
        if not isinstance(loaded, dict):
            raise ParseError("the YAML document is not an object")
        return loaded
    from kubewright.models.protobuf_tables import builtin_messages  # noqa: PLC0415 - a large table

    api_version, kind, plain = protobuf.decode(body, builtin_messages())
    return {"apiVersion": api_version, "kind": kind, **plain}


def is_large(body: bytes, media: Media) -> bool:
    """Whether a body takes so long to read that it must not be read on the event loop."""
    return len(body) >= (LARGE_YAML if media == "yaml" else LARGE)


def load_yaml(body: bytes) -> tuple[Any, list[str]]:
    """The first document of a YAML body, and its repeated keys in upstream's words. Raises ParseError."""
    try:
        loaded, repeated = yaml.load_first(body)
    except yaml.MalformedYaml as error:
        raise ParseError(error.go_text) from None
    return loaded, [f"line {line}: key {go_quote(key)} already set in map" for line, key in repeated]


def yaml_errors(problems: Sequence[str]) -> str:
    """Repeated keys of YAML as one error of Go's parser."""
    return "\n  ".join(("yaml: unmarshal errors:", *problems))


def warn_or_refuse(
    call: Call, problems: Sequence[str], validation: str, refuse: Callable[[str], Exception]
) -> None:
    """Refuse for unknown and duplicate fields, or warn of them."""
    if not problems or validation == "Ignore":
        return
    if validation == STRICT:
        raise refuse(strict_error(problems))
    call.warnings.extend(problems)


def strict_error(problems: Sequence[str]) -> str:
    """Unknown and duplicate fields in one text."""
    return f"strict decoding error: {', '.join(problems)}"


async def _read(
    call: Call, reader: Reader, version: str, kind: str, validation: str, *, typed: bool
) -> Object:
    media = body_media(call, typed=typed)
    strict = validation != "Ignore"
    try:
        if is_large(call.body, media):
            read, repeated = await run_in_worker(lambda: _decode(call.body, media, reader, strict=strict))
        else:
            read, repeated = _decode(call.body, media, reader, strict=strict)
    except WireError as error:
        raise bad_request(error.bad_request(kind)) from None
    except ParseError as error:
        raise bad_request(WireError(str(error), body=call.body).bad_request(kind)) from None

    def refuse(why: str) -> Exception:
        return bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {why}')

    if repeated and validation == STRICT:
        repeated = [yaml_errors(repeated)]
    warn_or_refuse(call, [*repeated, *read.problems], validation, refuse)
    return read.obj


def _decode(body: bytes, media: Media, reader: Reader, *, strict: bool) -> tuple[Read, Sequence[str]]:
    """The object in a body, and the keys that YAML repeats. Raises ParseError."""
    if media == "json":
        return reader.read(body, strict=strict), ()
    if media == "yaml":
        return _read_yaml(body, reader, strict=strict)
    return reader.read_object(decode_other(body, media), strict=strict), ()


def _read_yaml(body: bytes, reader: Reader, *, strict: bool) -> tuple[Read, list[str]]:
    """The object in a YAML body, and the keys that it repeats. Raises ParseError."""
    loaded, repeated = load_yaml(body)
    if isinstance(loaded, dict):
        return reader.read_object(loaded, strict=strict), repeated
    try:
        return reader.read(msgspec.json.encode(loaded), strict=strict), repeated
    except WireError as error:
        # Upstream reads the JSON that it makes of the YAML, and shows what was sent.
        text = str(error).replace("missing in 'null'", f"missing in '{body.decode(errors='replace')}'")
        raise WireError(text, api_version=error.api_version, kind=error.kind, body=body) from None
