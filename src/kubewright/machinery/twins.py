"""Subclasses that say something about one struct which its type does not.

A struct that carries fields unknown to its type, or that lacks a list or map which its type requires, is an
instance of its type's *keeper*. One that was made because an absent field was read is an instance of its
type's *made* twin, so that it stands for an unset field also where a program assigns it. Both have one hidden
field more than the type, of a class that msgspec does not know: so the encoder stops at it and `settle` takes
over, and structs that are neither pay nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

__all__ = [
    "HIDDEN",
    "Made",
    "Unknown",
    "hidden_of",
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
    """What one JSON object had that its type does not say."""

    __slots__ = ("fields", "stand_ins")

    def __init__(self, fields: dict[str, Any], stand_ins: Mapping[str, Any] | None = None) -> None:
        self.fields: Final = fields
        """The fields that the type does not know, as plain data."""
        self.stand_ins: Final[Mapping[str, Any]] = stand_ins or {}
        """The empty lists and maps that stand for required ones that were absent, by attribute."""

    def __repr__(self) -> str:
        return repr(self.fields)


class Made:
    """Marks a struct that was made by reading an absent field."""

    __slots__ = ()


_MADE: Final = Made()


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


def keep_unknown(
    struct: msgspec.Struct, values: dict[str, Any], fields: dict[str, Any], absent: Iterable[str]
) -> msgspec.Struct:
    """A struct like this one, with these slot values, that carries unknown fields.

    `absent` names the required fields that were not there.
    """
    keeper = _twin_of(known_type(type(struct)), Unknown)
    hidden = Unknown(fields, {name: values[name] for name in absent})
    return msgspec.StructMeta.__call__(keeper, **values, **{HIDDEN: hidden})  # type: ignore[no-any-return]


def made_of(known: type[S], values: dict[str, Any]) -> S:
    """A struct of a type, made by reading; it is sent once something is set in it."""
    twin = _twin_of(known_type(known), Made)
    return msgspec.StructMeta.__call__(twin, **values, **{HIDDEN: _MADE})  # type: ignore[no-any-return]


def is_made(struct: msgspec.Struct) -> bool:
    """Whether a struct was made by reading an absent field."""
    return "__twin_of__" in type(struct).__dict__ and getattr(struct, HIDDEN) is _MADE


def known_type(cls: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """The declared type of a twin, or the type itself."""
    found: type[msgspec.Struct] = cls.__dict__.get("__twin_of__", cls)
    return found


def hidden_of(struct: msgspec.Struct) -> Unknown | None:
    """What a keeper carries; None for any other struct."""
    hidden = getattr(struct, HIDDEN) if "__twin_of__" in type(struct).__dict__ else None
    return hidden if isinstance(hidden, Unknown) else None


def unknown_fields(struct: msgspec.Struct) -> dict[str, Any]:
    """The fields of this very struct that its type does not know; empty for nearly all."""
    hidden = hidden_of(struct)
    return hidden.fields if hidden is not None else {}
