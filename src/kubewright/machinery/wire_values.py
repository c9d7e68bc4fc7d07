"""The JSON encoder, and what it makes of values that msgspec does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw

from kubewright.machinery.depth import decode_json
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import Duration, MicroTime, format_micro_time
from kubewright.machinery.twins import Made, Unknown

__all__ = ["NeedsSettling", "ReadDefault", "encoder", "plain_hook"]


class ReadDefault:
    """The default of an unset field that was read, kept in its slot so that it can be changed in place.

    It is sent once it was changed; see `settle`.
    """

    __slots__ = ("origin", "value")

    def __init__(self, value: Any, origin: bytes | None = None) -> None:
        self.value: Final = value
        self.origin: Final = origin
        """The value as JSON before anyone could change it; None for an empty list or map."""


class NeedsSettling(Exception):
    """Stops the encoder at a value that `settle` has to resolve first."""


def _enc_hook(value: object) -> object:
    if isinstance(value, Quantity):
        return value.text
    if isinstance(value, MicroTime):
        return format_micro_time(value)
    if isinstance(value, Duration):
        return str(value)
    if isinstance(value, Unknown | Made | ReadDefault):
        raise NeedsSettling
    to_wire = getattr(value, "to_wire", None)
    if to_wire is not None:
        return to_wire()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def plain_hook(value: object) -> object:
    """The plain data of a value that `msgspec.to_builtins` does not know."""
    if isinstance(value, Raw):
        return decode_json(value)
    wire = _enc_hook(value)
    return msgspec.to_builtins(wire, enc_hook=plain_hook)


encoder: Final = msgspec.json.Encoder(enc_hook=_enc_hook)
"""Raises NeedsSettling for a struct that cannot be encoded as it is."""
