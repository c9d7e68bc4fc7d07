"""What webhooks answer with, read as Go's client of Kubernetes reads it: objects, and refusals."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.server.kinds.kind import Object

__all__ = ["read_answer", "refusal_text"]

_MAX_TEXT: Final = 2048
"""How much of a refusal's text is told; client-go's maxUnstructuredResponseTextBytes."""

_MAX_YAML: Final = 64 * 1024
"""The largest answer that is read as YAML, which is slow, and everybody else would wait."""

_TEXTS: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the "
    "request",
}
"""What Go's client makes of an answer with such a status."""

_TRUSTED: Final = frozenset({403, 406, 415})
"""The statuses of answers whose own text says it best."""

_TYPE_META: Final = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)
"""What Go calls the struct that it reads apiVersion and kind into."""


def read_answer(data: bytes) -> Object:
    """The object in an answer; null is an empty one. Raises ParseError with Go's words."""
    try:
        decoded: Any = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        decoded = _decoded_otherwise(data)
    if decoded is None:
        return {}
    if not isinstance(decoded, dict):
        given = {str: "string", list: "array", bool: "bool"}.get(type(decoded), "number")
        why = f"json: cannot unmarshal {given} into Go value of type {_TYPE_META}"
        raise ParseError(f"couldn't get version/kind; json parse error: {why}")
    return decoded


def _decoded_otherwise(data: bytes) -> object:
    """What is no JSON: Go says where it is wrong if it begins as an object does, else takes it for YAML."""
    if data.lstrip().startswith(b"{"):
        from kubewright.server.wire import read_value  # noqa: PLC0415 - for errors only

        try:
            return read_value(data, strict=False)[0]
        except ParseError as error:
            raise ParseError(f"couldn't get version/kind; json parse error: {error}") from None
    if len(data) > _MAX_YAML:
        raise ParseError(f"the answer is neither a JSON object nor YAML of at most {_MAX_YAML} bytes")
    from kubewright.machinery import yaml  # noqa: PLC0415 - for errors only

    return yaml.load(data)


def refusal_text(status: int, content_type: str, data: bytes) -> str:
    """What Go's client says of an answer that is none, by its status, its text, or the Status in it."""
    told = _status_message(data)
    if told:
        return told
    text = "unknown"
    if content_type.startswith("text/"):
        text = data[:_MAX_TEXT].decode(errors="replace").strip() or "unknown"
    if status in _TRUSTED:
        return text
    if status in _TEXTS:
        return _TEXTS[status]
    if status >= 500:
        return f"an error on the server ({go_quote(text)}) has prevented the request from succeeding"
    return f"the server responded with the status code {status} but did not return more information"


def _status_message(data: bytes) -> str:
    try:
        decoded = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    if not isinstance(decoded, dict) or decoded.get("kind") != "Status" or decoded.get("apiVersion") != "v1":
        return ""
    message = decoded.get("message")
    if decoded.get("status") == "Success" or not isinstance(message, str):
        return ""
    return message
