"""The protobuf form of OpenAPI v3: openapiv3/OpenAPIv3.proto of gnostic-models, as far as servers need it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubewright.server.kinds.kind import Object
from kubewright.server.openapi.gnostic import (
    Fields,
    any_value,
    any_values,
    double,
    flag,
    integer,
    message,
    messages,
    named,
    named_messages,
    sized,
    text,
    texts,
    write_message,
)

__all__ = ["document_v3"]


def document_v3(
    *,
    head: Object,
    paths: Iterable[tuple[str, Object]],
    schemas: Iterable[tuple[str, Object]],
    security: Object,
) -> bytes:
    """The whole document; `head` is what stands before the paths.

    Paths and schemas are taken one at a time, so they need not all be in memory.
    """
    written = b"".join(named(1, path, _path_item(item)) for path, item in paths)
    defined = b"".join(named(1, name, _schema_or_reference(schema)) for name, schema in schemas)
    components = sized(1, defined) if defined else b""
    if security:
        components += sized(7, named_messages(_security_scheme)(security))
    return b"".join(
        (
            text(1, head["openapi"]),
            sized(2, text(1, head["info"]["title"]) + text(6, head["info"]["version"])),
            sized(4, written),
            sized(5, components),
        )
    )


def _schema(value: Object) -> bytes:
    return write_message(_SCHEMA, 36, value)


def _schema_or_reference(value: Object) -> bytes:
    return sized(2, text(1, value["$ref"])) if "$ref" in value else sized(1, _schema(value))


def _items(value: Object) -> bytes:
    return sized(1, _schema_or_reference(value))


def _additional_properties(value: Object | bool) -> bytes:
    """One of a schema and a truth value, which is written also when it is false."""
    return sized(1, _schema_or_reference(value)) if isinstance(value, dict) else b"\x10" + bytes([value])


def _default(value: object) -> bytes:
    """One of a number, a truth value and a text, also when it is zero; others are there, but empty."""
    if isinstance(value, bool):
        return b"\x10" + bytes([value])
    if isinstance(value, int | float):
        return double(1, value) or b"\x09" + bytes(8)
    return sized(3, value.encode()) if isinstance(value, str) else b""


def _external_docs(value: Object) -> bytes:
    return text(1, value.get("description", "")) + text(2, value.get("url", ""))


_SCHEMA: Final[Fields] = {
    "nullable": (1, flag),
    "externalDocs": (6, message(_external_docs)),
    "example": (7, any_value),
    "title": (9, text),
    "multipleOf": (10, double),
    "maximum": (11, double),
    "exclusiveMaximum": (12, flag),
    "minimum": (13, double),
    "exclusiveMinimum": (14, flag),
    "maxLength": (15, integer),
    "minLength": (16, integer),
    "pattern": (17, text),
    "maxItems": (18, integer),
    "minItems": (19, integer),
    "uniqueItems": (20, flag),
    "maxProperties": (21, integer),
    "minProperties": (22, integer),
    "required": (23, texts),
    "enum": (24, any_values),
    "type": (25, text),
    "allOf": (26, messages(_schema_or_reference)),
    "oneOf": (27, messages(_schema_or_reference)),
    "anyOf": (28, messages(_schema_or_reference)),
    "not": (29, message(_schema)),
    "items": (30, message(_items)),
    "properties": (31, message(named_messages(_schema_or_reference))),
    "additionalProperties": (32, message(_additional_properties)),
    "default": (33, message(_default)),
    "description": (34, text),
    "format": (35, text),
}


def _media_type(value: Object) -> bytes:
    return sized(1, _schema_or_reference(value["schema"]))


def _request_body(value: Object) -> bytes:
    content = sized(2, named_messages(_media_type)(value["content"]))
    return sized(1, content + flag(3, value.get("required", False)))


def _response(value: Object) -> bytes:
    made = text(1, value["description"])
    if "content" in value:
        made += sized(3, named_messages(_media_type)(value["content"]))
    return sized(1, made)


def _parameter(value: Object) -> bytes:
    return sized(1, write_message(_PARAMETER, 14, value))


_PARAMETER: Final[Fields] = {
    "name": (1, text),
    "in": (2, text),
    "required": (4, flag),
    "schema": (10, message(_schema_or_reference)),
}


def _operation(value: Object) -> bytes:
    return write_message(_OPERATION, 13, value)


_OPERATION: Final[Fields] = {
    "tags": (1, texts),
    "operationId": (5, text),
    "parameters": (6, messages(_parameter)),
    "requestBody": (7, message(_request_body)),
    "responses": (8, message(named_messages(_response, 2))),
}


def _path_item(value: Object) -> bytes:
    return write_message(_PATH_ITEM, 14, value)


_PATH_ITEM: Final[Fields] = {
    "get": (4, message(_operation)),
    "put": (5, message(_operation)),
    "post": (6, message(_operation)),
    "delete": (7, message(_operation)),
    "options": (8, message(_operation)),
    "head": (9, message(_operation)),
    "patch": (10, message(_operation)),
    "parameters": (13, messages(_parameter)),
}


def _security_scheme(value: Object) -> bytes:
    return sized(1, text(1, value["type"]) + text(3, value["name"]) + text(4, value["in"]))
