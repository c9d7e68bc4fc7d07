"""Where the simple JSON paths of a declaration (`.spec.replicas`) lead in its schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from kubewright.machinery.meta import ObjectMeta

__all__ = ["is_simple", "schema_at"]

_SIMPLE: Final = re.compile(r"(?:\.[A-Za-z0-9_-]+)+")
_ANYTHING: Final[Mapping[str, Any]] = {}


def is_simple(path: str) -> bool:
    """Whether a path is of names alone, without brackets, filters and quotes."""
    return _SIMPLE.fullmatch(path) is not None


def schema_at(path: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of what is at a simple path; an empty one where nothing is known.

    Raises LookupError, which says at what the path fails.
    """
    names = path.split(".")[1:]
    if names[0] == "metadata":
        return _metadata_at(names[1:])
    for at, name in enumerate(names):
        properties: Mapping[str, Any] = schema.get("properties") or {}
        additional = schema.get("additionalProperties")
        if name in properties:
            schema = properties[name]
        elif isinstance(additional, Mapping):
            schema = additional
        elif schema.get("x-kubernetes-preserve-unknown-fields"):
            return _ANYTHING
        else:
            before = "." + ".".join(names[:at])
            known = ", ".join(properties)
            raise LookupError(
                f"there is no {name!r} in {before.rstrip('.') or 'the object'}"
                + (f", which has {known}" if known else "")
            )
    return schema


def _metadata_at(names: list[str]) -> Mapping[str, Any]:
    if not names:
        return {"type": "object"}
    if names[0] not in ObjectMeta.__struct_encode_fields__:
        raise LookupError(f"there is no {names[0]!r} in .metadata")
    if names[0].endswith("Timestamp"):
        return {"type": "string", "format": "date-time"}
    return _ANYTHING
