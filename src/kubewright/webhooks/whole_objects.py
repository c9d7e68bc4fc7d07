"""Objects read in full: fields that stay bytes until they are read are decoded, at every depth."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery.errors import DecodeError
from kubewright.machinery.shapes import is_compound, slots_of
from kubewright.machinery.twins import known_type

__all__ = ["read_all"]


_NOT_READ: Final = "managed_fields"
"""The server's bookkeeping, which is often as large as the rest: it stays bytes unless somebody reads it."""


class _Compound(NamedTuple):
    """A field that can hold something to decode."""

    name: str
    wire_name: str
    slot: Any


def read_all(obj: msgspec.Struct) -> None:
    """Decode all of a typed object but its managedFields; absent fields stay absent.

    Raises DecodeError, which names the field.
    """
    try:
        _read(obj)
    except DecodeError as error:
        # What is nested does not know where it stands. Paths are put together only when one is needed.
        raise _located(obj, type(obj).__name__, "") or error from None


def _read(value: Any) -> None:
    if isinstance(value, msgspec.Struct):
        for field in _compounds(type(value)):
            inner = field.slot.__get__(value)
            if type(inner) is Raw:
                inner = getattr(value, field.name)
            if inner is not None and inner is not UNSET:
                _read(inner)
    elif isinstance(value, list | tuple):
        for each in value:
            _read(each)
    elif isinstance(value, dict):
        for each in value.values():
            _read(each)


def _located(value: Any, what: str, path: str) -> DecodeError | None:
    """The error of the first field below a value that does not decode, with its whole path."""
    if isinstance(value, msgspec.Struct):
        for field in _compounds(type(value)):
            try:
                inner = getattr(value, field.name)
            except DecodeError as error:
                if not path:
                    return error
                own = known_type(type(value)).__name__
                return DecodeError(f"{what} {path}.{str(error).removeprefix(f'{own} ')}")
            found = _located(inner, what, f"{path}.{field.wire_name}".removeprefix("."))
            if found is not None:
                return found
        return None
    steps: Any = ()
    if isinstance(value, list | tuple):
        steps = enumerate(value)
    elif isinstance(value, dict):
        steps = value.items()
    for step, each in steps:
        found = _located(each, what, f"{path}[{step}]")
        if found is not None:
            return found
    return None


@lru_cache(None)
def _compounds(cls: type[msgspec.Struct]) -> list[_Compound]:
    slots = slots_of(cls)
    return [
        _Compound(info.name, info.encode_name, slots[info.name])
        for info in msgspec.structs.fields(cls)
        if is_compound(info.type) and info.name != _NOT_READ
    ]
