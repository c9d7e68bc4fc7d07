"""Subclasses that say something about one struct which its type does not.

A struct that carries fields unknown to its type is an instance of its type's *keeper*, and one that came into
being because somebody read an absent field is an instance of its type's *made* twin. Both have one hidden
field more than the type, of a class that msgspec does not know: so the encoder stops at it and `settle` takes
over, and structs that are neither pay nothing.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

__all__ = [
    "HIDDEN",
    "MADE",
    "Made",
    "Unknown",
    "is_made",
    "keep_unknown",
    "known_type",
    "made_of",
    "unknown_fields",
]

S = TypeVar("S", bound=msgspec.Struct)

HIDDEN: Final = "unknown_fields_"
"""The hidden field's Python name. Generated names end in an underscore only to avoid a keyword."""

_HIDDEN_WIRE: Final = f"hidden {os.urandom(16).hex()}"
"""Its wire name, which never goes on the wire. It is random, so that no data can fill the field."""


class Unknown:
    """The fields of one JSON object that its type does not know, as plain data."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields: Final = fields

    def __repr__(self) -> str:
        return repr(self.fields)


class Made:
    """Marks a struct that was made by reading an absent field."""

    __slots__ = ()


MADE: Final = Made()


@lru_cache(None)
def _twin_of(known: type[msgspec.Struct], mark: type) -> type[msgspec.Struct]:
    namespace = {
        "__annotations__": {HIDDEN: mark},
        HIDDEN: msgspec.field(name=_HIDDEN_WIRE),
        "__module__": known.__module__,
        "__qualname__": known.__qualname__,
        "__doc__": known.__doc__,
        "__twin_of__": known,
    }
    metaclass: Any = type(known)
    twin: type[msgspec.Struct] = metaclass(known.__name__, (known,), namespace)
    return twin


def keep_unknown(struct: msgspec.Struct, values: dict[str, Any], fields: dict[str, Any]) -> msgspec.Struct:
    """A struct like this one, with these slot values, that carries unknown fields."""
    keeper = _twin_of(known_type(type(struct)), Unknown)
    return msgspec.StructMeta.__call__(keeper, **values, **{HIDDEN: Unknown(fields)})  # type: ignore[no-any-return]


def made_of(known: type[S], values: dict[str, Any]) -> S:
    """A struct of a type, made by reading; only what is changed in it will be sent."""
    twin = _twin_of(known_type(known), Made)
    return msgspec.StructMeta.__call__(twin, **values, **{HIDDEN: MADE})  # type: ignore[no-any-return]


def known_type(cls: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """The declared type of a twin, or the type itself."""
    found: type[msgspec.Struct] = cls.__dict__.get("__twin_of__", cls)
    return found


def unknown_fields(struct: msgspec.Struct) -> dict[str, Any]:
    """The fields of this very struct that its type does not know; empty for nearly all."""
    hidden = getattr(struct, HIDDEN, None)
    return hidden.fields if isinstance(hidden, Unknown) else {}


def is_made(struct: msgspec.Struct) -> bool:
    """Whether a struct was made by reading an absent field."""
    return getattr(struct, HIDDEN, None) is MADE
