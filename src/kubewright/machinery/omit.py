"""Leaving out the optional lists, maps and structs that hold nothing, as Go's omitempty does.

Reading an absent list makes an empty one, so that it can be appended to; but reading must not change what is
sent. The encoder cannot tell, so empty ones are hidden from it while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery import tolerant

__all__ = ["may_hold_empties", "without_empties"]


def may_hold_empties(encoded: bytes) -> bool:
    """Whether encoded JSON has an empty list or object as a member; if not, there is nothing to hide."""
    return b":[]" in encoded or b":{}" in encoded


@contextmanager
def without_empties(root: object) -> Iterator[bool]:
    """Hide optional empty values inside `root` for a while; tells whether there are any."""
    hidden = _empties(root)
    for slot, struct, _ in hidden:
        slot.__set__(struct, UNSET)
    try:
        yield bool(hidden)
    finally:
        for slot, struct, value in hidden:
            slot.__set__(struct, value)


def _empties(root: object) -> list[tuple[Any, msgspec.Struct, object]]:
    found: list[tuple[Any, msgspec.Struct, object]] = []
    stack = [root]
    while stack:
        value = stack.pop()
        if isinstance(value, msgspec.Struct):
            for slot, optional in _inner_slots(type(value)):
                inner = slot.__get__(value)
                if inner is UNSET or inner is None or isinstance(inner, Raw):
                    continue
                if optional and _is_empty(inner):
                    found.append((slot, value, inner))
                else:
                    stack.append(inner)
        elif isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return found


def _is_empty(value: object) -> bool:
    """Whether nothing of this would be sent."""
    if isinstance(value, list | dict):
        return not value
    if not isinstance(value, msgspec.Struct):
        return False
    optional: frozenset[str] = getattr(type(value), "__made__", frozenset())
    for name, slot in tolerant.slots_of(type(value)).items():
        inner = slot.__get__(value)
        if inner is not UNSET and inner is not None and not (name in optional and _is_empty(inner)):
            return False
    return True


@lru_cache(None)
def _inner_slots(cls: type[msgspec.Struct]) -> list[tuple[Any, bool]]:
    """The slots that can hold lists, maps or structs, and whether each may be left out when it is empty."""
    optional: frozenset[str] = getattr(cls, "__made__", frozenset())
    slots = tolerant.slots_of(cls)
    return [
        (slots[name], name in optional) for name in cls.__struct_fields__ if tolerant.is_compound(cls, name)
    ]
