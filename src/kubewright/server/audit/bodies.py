"""Bodies as the audit log shows them: JSON on one line, whatever they came as."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubewright.machinery import protobuf, yaml
from kubewright.machinery.errors import ParseError

__all__ = ["as_json", "without_managed_fields"]

_YAML: Final = ("application/yaml", "application/apply-patch+yaml")
"""The content types of which JSON is only one form."""

_encode: Final = msgspec.json.Encoder().encode


def as_json(body: bytes, content_type: str = "application/json") -> bytes:
    """A body as JSON without line breaks; what cannot be read is shown as a text."""
    if content_type.startswith("application/vnd.kubernetes.protobuf"):
        return _from_protobuf(body)
    if not body.isascii():
        # JSON reads the same, and the log stays UTF-8 whatever somebody sends.
        body = body.decode(errors="replace").encode()
    try:
        return msgspec.json.format(body, indent=-1)
    except msgspec.DecodeError:
        # To read YAML is slow: nothing else is taken for it.
        return _from_yaml(body) if content_type.startswith(_YAML) else _text(body)


def without_managed_fields(obj: Any) -> Any:
    """An object, or the objects of a list or table, without managedFields; what is given is left alone."""
    if not isinstance(obj, dict):
        return obj
    metadata = obj.get("metadata")
    if isinstance(metadata, dict) and "managedFields" in metadata:
        kept = {name: value for name, value in metadata.items() if name != "managedFields"}
        obj = {**obj, "metadata": kept}
    if isinstance(items := obj.get("items"), list):
        obj = {**obj, "items": [without_managed_fields(each) for each in items]}
    elif obj.get("kind") == "Table" and isinstance(rows := obj.get("rows"), list):
        shown = [{**row, "object": without_managed_fields(row.get("object"))} for row in rows]
        obj = {**obj, "rows": shown}
    return obj


def _from_protobuf(body: bytes) -> bytes:
    from kubewright.models.protobuf_tables import builtin_messages  # noqa: PLC0415 - a large table

    try:
        api_version, kind, plain = protobuf.decode(body, builtin_messages())
    except ParseError:
        return _text(body)
    return _encode({"kind": kind, "apiVersion": api_version, **plain})


def _from_yaml(body: bytes) -> bytes:
    try:
        return _encode(yaml.load_first(body)[0])
    except (ParseError, TypeError, UnicodeError):
        return _text(body)


def _text(body: bytes) -> bytes:
    return _encode(body.decode(errors="replace"))
