"""Plain JSON data: copying it, comparing it, and naming it in messages.

Nothing here recurses, so that neither a document nor an intermediate result can exhaust the stack.
"""

from __future__ import annotations

import math
from typing import Any, Final, Literal, TypeAlias

from kubewright.machinery.patch.errors import PatchError

__all__ = [
    "MAX_DEPTH",
    "ValueKind",
    "check_depth",
    "copy_json",
    "json_equal",
    "kind_of",
    "own_object",
    "quote",
]

MAX_DEPTH: Final = 200
"""How deep objects and lists may be nested, in documents, patches and results.

kube-apiserver's JSON decoder stops at 10,000, which Python's stack (1,000 frames by default) cannot follow.
Merging takes up to two frames a level, so that 200 leave the caller more than half of the stack; the deepest
objects in use, CustomResourceDefinitions, stay far below 100.
"""

_MAX_COLLECTIONS: Final = 3 * 1024 * 1024 // len("[],")
"""How many objects and lists may stand on one level: what fits into the 3 MB that servers take. A list that
holds itself twice has more after twenty levels, and would have 2**200 at MAX_DEPTH."""

ValueKind: TypeAlias = Literal["object", "list", "string", "boolean", "integer", "number", "null"]

_KINDS: Final[dict[type, ValueKind]] = {
    dict: "object",
    list: "list",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}

_QUOTED_LENGTH: Final = 80
"""How much of a value a message shows; enough to recognise it, little enough to read."""


def kind_of(value: object) -> ValueKind:
    """What JSON type a value has; 1 and 1.0 are of different kinds, as in upstream's decoded documents."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    for known, name in _KINDS.items():
        if isinstance(value, known):
            return name
    raise PatchError(f"a value of type {type(value).__name__} is not JSON data: {quote(value)}")


def quote(value: object) -> str:
    """A value as a message shows it: scalars as written and cut short, containers by their kind and size."""
    if isinstance(value, dict):
        return f"an object of {len(value)} members" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)} elements" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > _QUOTED_LENGTH * 3:
        return "an integer beyond all use"
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= _QUOTED_LENGTH else text[:_QUOTED_LENGTH] + "…"


def own_object(value: object, what: str) -> dict[str, Any]:
    """An independent copy of an object; raises PatchError when it is not one, or not plain JSON data."""
    if not isinstance(value, dict):
        raise PatchError(f"{what} is {quote(value)}; it must be an object")
    copied: dict[str, Any] = copy_json(value, what)
    return copied


def copy_json(value: object, what: str) -> Any:
    """An independent copy of JSON data, `what` being its name in messages.

    The copy shares no dict and no list with the value. Raises PatchError when the value holds something
    that JSON has no word for, or is nested deeper than MAX_DEPTH.
    """
    root: Any
    if isinstance(value, dict):
        root = {}
    elif isinstance(value, list):
        root = []
    else:
        return _scalar(value, what)
    level: list[tuple[Any, Any]] = [(value, root)]
    for _ in range(MAX_DEPTH):
        inner: list[tuple[Any, Any]] = []
        for source, target in level:
            if isinstance(source, dict):
                _copy_members(source, target, inner, what)
            else:
                _copy_elements(source, target, inner, what)
            if len(inner) > _MAX_COLLECTIONS:
                raise _too_large(what)
        if not inner:
            return root
        level = inner
    raise _too_deep(what)


def check_depth(value: dict[str, Any] | list[Any], what: str) -> None:
    """Raise PatchError when JSON data is nested deeper than MAX_DEPTH."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for part in level:
            members = part.values() if isinstance(part, dict) else part
            inner.extend(member for member in members if isinstance(member, dict | list))
            if len(inner) > _MAX_COLLECTIONS:
                raise _too_large(what)
        if not inner:
            return
        level = inner
    raise _too_deep(what)


def _too_deep(what: str) -> PatchError:
    return PatchError(
        f"{what} is nested too deeply: at most {MAX_DEPTH} levels of objects and lists are allowed"
    )


def _too_large(what: str) -> PatchError:
    return PatchError(f"{what} holds more than {_MAX_COLLECTIONS:,} objects and lists, or refers to itself")


def _copy_members(
    source: dict[Any, Any], target: dict[str, Any], inner: list[tuple[Any, Any]], what: str
) -> None:
    child: Any
    for key, value in source.items():
        if not isinstance(key, str):
            raise PatchError(f"{what} has the member name {quote(key)}; names must be strings")
        if isinstance(value, dict):
            target[key] = child = {}
            inner.append((value, child))
        elif isinstance(value, list):
            target[key] = child = []
            inner.append((value, child))
        else:
            target[key] = value if isinstance(value, str) else _scalar(value, what)


def _copy_elements(source: list[Any], target: list[Any], inner: list[tuple[Any, Any]], what: str) -> None:
    child: Any
    for value in source:
        if isinstance(value, dict):
            child = {}
            inner.append((value, child))
        elif isinstance(value, list):
            child = []
            inner.append((value, child))
        else:
            child = value if isinstance(value, str) else _scalar(value, what)
        target.append(child)


def _scalar(value: object, what: str) -> object:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise PatchError(f"{what} holds {value!r}; JSON numbers must be finite")
    raise PatchError(f"{what} holds a {type(value).__name__}; only plain JSON data can be patched")


def json_equal(left: object, right: object, *, numbers_alike: bool = False) -> bool:
    """Whether two JSON values are the same; unlike `==`, never mistakes True for 1.

    1 and 1.0 differ, as upstream's decoded documents do, unless `numbers_alike`.
    """
    pairs: list[tuple[Any, Any]] = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif one != other or not (type(one) is type(other) or _same_kind(one, other, numbers_alike)):
            return False
    return True


def _same_kind(one: object, other: object, numbers_alike: bool) -> bool:
    kinds = {kind_of(one), kind_of(other)}
    return len(kinds) == 1 or (numbers_alike and kinds == {"integer", "number"})
