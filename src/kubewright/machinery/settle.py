"""What is sent of an object when the encoder cannot decide alone.

Three things need a look: structs that carry unknown fields, structs and lists that were made by reading an
absent field (reading must not change what is sent), and optional lists and maps that are empty, which are not
sent, as with Go's omitempty. `settled` gives the same value with these resolved. It changes nothing in place:
an object may be encoded while it is read elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery import twins
from kubewright.machinery.shapes import is_compound, slots_of

__all__ = ["is_nothing", "may_hold_empties", "settled"]

_SCALARS: Final = frozenset({str, int, float, bool, type(None), Raw, bytes})


def may_hold_empties(encoded: bytes) -> bool:
    """Whether encoded JSON has an empty list or object as a member; if not, none can have been left in."""
    return b":[]" in encoded or b":{}" in encoded


def settled(value: Any) -> Any:
    """The value that is to be encoded; the very same object when nothing needs to change."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, msgspec.Struct):
        return _settled_struct(value)
    if isinstance(value, dict):
        changed = {key: new for key, member in value.items() if (new := settled(member)) is not member}
        return {**value, **changed} if changed else value
    if isinstance(value, list | tuple):
        members = [settled(member) for member in value]
        same = all(new is old for new, old in zip(members, value, strict=True))
        return value if same and isinstance(value, list) else members
    to_wire = getattr(value, "to_wire", None)
    return settled(to_wire()) if to_wire is not None else value


class _Slot(NamedTuple):
    name: str
    wire_name: str
    slot: Any
    compound: bool
    optional: bool
    """Whether an empty list, map or struct in it is left out."""
    skips_none: bool


def _settled_struct(struct: msgspec.Struct) -> Any:
    known = twins.known_type(type(struct))
    slots = _slots(known)
    # Each slot is read once: another thread may be reading fields, which makes lists and structs, meanwhile.
    values = {entry.name: entry.slot.__get__(struct) for entry in slots}
    changed: dict[str, Any] = {}
    for entry in slots:
        inner = values[entry.name]
        if not entry.compound or inner is UNSET or inner is None or isinstance(inner, Raw):
            continue
        new = UNSET if entry.optional and is_nothing(inner) else settled(inner)
        if new is not inner:
            changed[entry.name] = new
    unknown = twins.unknown_fields(struct)
    if unknown:
        return {**_tag(known), **_as_dict(slots, {**values, **changed}), **unknown}
    if changed or twins.is_made(struct):
        return msgspec.StructMeta.__call__(known, **{**values, **changed})
    return struct


def _tag(known: type[msgspec.Struct]) -> dict[str, Any]:
    """What the encoder writes of itself before the fields of a member of a tagged union."""
    config = known.__struct_config__
    return {} if config.tag_field is None else {config.tag_field: config.tag}


def _as_dict(slots: list[_Slot], values: dict[str, Any]) -> dict[str, Any]:
    plain = {}
    for entry in slots:
        value = values[entry.name]
        if value is not UNSET and not (value is None and entry.skips_none):
            plain[entry.wire_name] = value
    return plain


def is_nothing(value: object) -> bool:
    """Whether this is an empty list or map, or a struct made by reading in which nothing was changed."""
    if isinstance(value, list | dict):
        return not value
    if not isinstance(value, msgspec.Struct) or not twins.is_made(value):
        return False
    for entry in _slots(twins.known_type(type(value))):
        inner = entry.slot.__get__(value)
        if inner is UNSET or inner is None or isinstance(inner, Raw):
            continue
        # A required field was made with its zero value.
        if not (is_nothing(inner) if entry.compound else not inner):
            return False
    return True


@lru_cache(None)
def _slots(cls: type[msgspec.Struct]) -> list[_Slot]:
    optional: frozenset[str] = getattr(cls, "__made__", frozenset())
    slots = slots_of(cls)
    return [
        _Slot(
            info.name,
            info.encode_name,
            slots[info.name],
            is_compound(info.type),
            info.name in optional,
            info.default is None,
        )
        for info in msgspec.structs.fields(cls)
    ]
