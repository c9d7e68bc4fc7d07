"""When two pod specs are the same: quantities by what they amount to, and nothing as good as empty."""

from __future__ import annotations

from typing import Any, Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.kind import Object

__all__ = ["same_spec"]

_AMOUNTS: Final = frozenset({"limits", "requests", "overhead"})
"""The maps of a pod spec whose values are quantities; `sizeLimit` and `divisor` are single ones."""
_SINGLE: Final = frozenset({"sizeLimit", "divisor"})


def same_spec(new: Object, old: Object) -> bool:
    """Whether two specs, or parts of them, are equal for upstream's semantic comparison."""
    return new == old or _same(new, old, "")


def _same(new: Any, old: Any, field: str) -> bool:
    if new == old:
        return True
    if isinstance(new, dict) and isinstance(old, dict):
        if field in _AMOUNTS:
            return new.keys() == old.keys() and all(_same_amount(new[name], old[name]) for name in new)
        # A list or map that is not there is as good as an empty one; an empty struct is not nothing.
        names = new.keys() | old.keys()
        return all(_same(new.get(name), old.get(name), name) for name in names)
    if isinstance(new, list) and isinstance(old, list):
        return len(new) == len(old) and all(_same(a, b, "") for a, b in zip(new, old, strict=True))
    if field in _SINGLE:
        return _same_amount(new, old)
    return not new and not old and (isinstance(new, list) or isinstance(old, list))


def _same_amount(new: object, old: object) -> bool:
    if not isinstance(new, str) or not isinstance(old, str):
        return False
    try:
        return Quantity(new) == Quantity(old)
    except ParseError:
        return False
