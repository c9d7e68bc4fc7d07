"""The protobuf form of OpenAPI v2: openapiv2/OpenAPIv2.proto of gnostic-models, as far as servers need it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

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

__all__ = ["document_v2"]


def document_v2(
    *, head: Object, paths: Iterable[tuple[str, Object]], definitions: Iterable[tuple[str, Object]]
) -> bytes:
    """The whole document; `head` is all of it but paths and definitions.

    Paths and definitions are taken one at a time, so they need not all be in memory. `head` is read after
    the paths, which may add shared parameters to it.
    """
    written = b"".join(named(2, path, _path_item(item)) for path, item in paths)
    defined = b"".join(named(1, name, _schema(schema)) for name, schema in definitions)
    return b"".join(
        (
            text(1, head["swagger"]),
            sized(2, text(1, head["info"]["title"]) + text(2, head["info"]["version"])),
            sized(8, written),
            sized(9, defined),
            sized(10, named_messages(_parameter)(head["parameters"])),
            messages(named_messages(lambda value: texts(1, value)))(12, head["security"]),
            sized(13, named_messages(_security_definition)(head["securityDefinitions"])),
        )
    )


def _schema(value: Object) -> bytes:
    return write_message(_SCHEMA, 31, value)


def _additional_properties(value: Object | bool) -> bytes:
    """One of a schema and a truth value, which is written also when it is false."""
    return sized(1, _schema(value)) if isinstance(value, dict) else b"\x10" + bytes([value])


def _type(value: str) -> bytes:
    return text(1, value)


def _items(value: Object) -> bytes:
    return sized(1, _schema(value))


def _external_docs(value: Object) -> bytes:
    return text(1, value.get("description", "")) + text(2, value.get("url", ""))


_SCHEMA: Final[Fields] = {
    "$ref": (1, text),
    "format": (2, text),
    "title": (3, text),
    "description": (4, text),
    "default": (5, any_value),
    "multipleOf": (6, double),
    "maximum": (7, double),
    "exclusiveMaximum": (8, flag),
    "minimum": (9, double),
    "exclusiveMinimum": (10, flag),
    "maxLength": (11, integer),
    "minLength": (12, integer),
    "pattern": (13, text),
    "maxItems": (14, integer),
    "minItems": (15, integer),
    "uniqueItems": (16, flag),
    "maxProperties": (17, integer),
    "minProperties": (18, integer),
    "required": (19, texts),
    "enum": (20, any_values),
    "additionalProperties": (21, message(_additional_properties)),
    "type": (22, message(_type)),
    "items": (23, message(_items)),
    "allOf": (24, messages(_schema)),
    "properties": (25, message(named_messages(_schema))),
    "externalDocs": (29, message(_external_docs)),
    "example": (30, any_value),
}


def _response(value: Object) -> bytes:
    made = text(1, value["description"])
    if "schema" in value:
        made += sized(2, sized(1, _schema(value["schema"])))
    return sized(1, made)


def _parameters_item(value: Object) -> bytes:
    if "$ref" in value:
        return sized(2, text(1, value["$ref"]))
    return sized(1, _parameter(value))


def _parameter(value: Object) -> bytes:
    if value["in"] == "body":
        return sized(1, write_message(_BODY_PARAMETER, 6, value))
    if value["in"] == "path":
        return sized(2, sized(4, write_message(_PATH_PARAMETER, 22, value)))
    return sized(2, sized(3, write_message(_QUERY_PARAMETER, 23, value)))


_BODY_PARAMETER: Final[Fields] = {
    "name": (2, text),
    "in": (3, text),
    "required": (4, flag),
    "schema": (5, message(_schema)),
}

_PATH_PARAMETER: Final[Fields] = {
    "required": (1, flag),
    "in": (2, text),
    "name": (4, text),
    "type": (5, text),
    "uniqueItems": (19, flag),
}

_QUERY_PARAMETER: Final[Fields] = {
    "required": (1, flag),
    "in": (2, text),
    "name": (4, text),
    "type": (6, text),
    "uniqueItems": (20, flag),
}


def _operation(value: Object) -> bytes:
    return write_message(_OPERATION, 13, value)


_OPERATION: Final[Fields] = {
    "tags": (1, texts),
    "operationId": (5, text),
    "produces": (6, texts),
    "consumes": (7, texts),
    "parameters": (8, messages(_parameters_item)),
    "responses": (9, message(named_messages(_response))),
    "schemes": (10, texts),
}


def _path_item(value: Object) -> bytes:
    return write_message(_PATH_ITEM, 10, value)


_PATH_ITEM: Final[Fields] = {
    "get": (2, message(_operation)),
    "put": (3, message(_operation)),
    "post": (4, message(_operation)),
    "delete": (5, message(_operation)),
    "options": (6, message(_operation)),
    "head": (7, message(_operation)),
    "patch": (8, message(_operation)),
    "parameters": (9, messages(_parameters_item)),
}


def _security_definition(value: dict[str, Any]) -> bytes:
    """The only kind of it that servers have: a key in a header."""
    return sized(2, text(1, value["type"]) + text(2, value["name"]) + text(3, value["in"]))
