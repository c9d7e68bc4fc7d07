"""What is sent of an object when the encoder cannot decide alone.

Two things need a look: structs that carry what their type does not say (see `twins`), and defaults of unset
fields that were read, which are sent once they were changed. `settled` gives the same value with these
resolved. It changes nothing in place: an object may be encoded while it is read elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery import twins
from kubewright.machinery.field import EMPTY
from kubewright.machinery.shapes import is_compound, slots_of
from kubewright.machinery.wire_values import NeedsSettling, ReadDefault, encoder

__all__ = ["encode", "present_value", "settled"]

_SCALARS: Final = frozenset({str, int, float, bool, type(None), Raw, bytes})


def encode(value: object) -> bytes:
    """The JSON of a value. Raises TypeError, UnicodeEncodeError and RecursionError."""
    try:
        return encoder.encode(value)
    except NeedsSettling:
        return encoder.encode(settled(value))


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


def present_value(struct: msgspec.Struct, name: str) -> Any:
    """What the slot of a field holds; UNSET for a default that was read and not changed."""
    entry = _slots(type(struct))[name]
    return _present(entry, entry.slot.__get__(struct))


class _Slot(NamedTuple):
    wire_name: str
    slot: Any
    compound: bool
    optional: bool
    """Whether a struct that was made by reading leaves the field unset."""
    required: bool
    factory: Any
    """What made the value of a field that is always sent; None for other fields."""
    skips_none: bool


def _settled_struct(struct: msgspec.Struct) -> Any:
    known = twins.known_type(type(struct))
    slots = _slots(known)
    # Each slot is read once: another thread may be reading fields, which puts defaults there, meanwhile.
    values = {name: entry.slot.__get__(struct) for name, entry in slots.items()}
    changed: dict[str, Any] = {}
    for name, entry in slots.items():
        inner = values[name]
        if inner is UNSET or inner is None or not (entry.compound or type(inner) is ReadDefault):
            continue
        new = settled(_present(entry, inner))
        if new is not inner:
            changed[name] = new
    hidden = twins.hidden_of(struct)
    if hidden is not None:
        for name, stand_in in hidden.stand_ins.items():
            if values[name] is stand_in and not stand_in:
                changed[name] = UNSET
        return {**_tag(known), **_as_dict(slots, {**values, **changed}), **hidden.fields}
    if changed or twins.is_made(struct):
        return msgspec.StructMeta.__call__(known, **{**values, **changed})
    return struct


def _present(entry: _Slot, value: Any) -> Any:
    if type(value) is ReadDefault:
        is_changed = value.value if value.origin is None else encode(value.value) != value.origin
        return value.value if is_changed else UNSET
    if entry.optional and isinstance(value, msgspec.Struct) and twins.is_made(value) and _is_zero(value):
        return UNSET
    return value


def _tag(known: type[msgspec.Struct]) -> dict[str, Any]:
    """What the encoder writes of itself before the fields of a member of a tagged union."""
    config = known.__struct_config__
    return {} if config.tag_field is None else {config.tag_field: config.tag}


def _as_dict(slots: dict[str, _Slot], values: dict[str, Any]) -> dict[str, Any]:
    plain = {}
    for name, entry in slots.items():
        value = values[name]
        if value is not UNSET and not (value is None and entry.skips_none):
            plain[entry.wire_name] = value
    return plain


def _is_zero(value: Any) -> bool:
    """Whether a value is as `readers.zero_of` made it: only what is required is set, to zeros."""
    if not isinstance(value, msgspec.Struct):
        return not value
    if twins.hidden_of(value) is not None:
        return False
    for entry in _slots(twins.known_type(type(value))).values():
        inner = _present(entry, entry.slot.__get__(value))
        if inner is UNSET or inner is None:
            continue
        if entry.required or (entry.factory is not None and isinstance(inner, msgspec.Struct)):
            if not _is_zero(inner):
                return False
        elif entry.factory is None or inner != entry.factory():
            return False
    return True


@lru_cache(None)
def _slots(cls: type[msgspec.Struct]) -> dict[str, _Slot]:
    slots = slots_of(cls)
    return {
        info.name: _Slot(
            info.encode_name,
            slots[info.name],
            is_compound(info.type),
            _is_optional(cls, info.name),
            info.required,
            None if info.default_factory is msgspec.NODEFAULT else info.default_factory,
            info.default is None,
        )
        for info in msgspec.structs.fields(cls)
    }


def _is_optional(cls: type, name: str) -> bool:
    reader = next(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__)
    return getattr(reader, "absent", None) is EMPTY
