"""Places in objects, and changes of what is there, in every form in which a client can send them.

A path is written as `spec.template.spec.containers[name=main].image`; `{example.com/a}` is a key with dots.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["REMOVED", "Edit", "Path", "edited", "json_patch", "nested", "parse"]

Path = tuple[str | dict[str, Any], ...]
"""Keys of objects, and for items of lists the fields that tell them from the others."""

REMOVED = "$removed"
"""The value that takes a field away."""

_TOKEN = re.compile(r"\{([^}]*)\}|\[([^\]]*)\]|([^.\[\]{}]+)")


@dataclass(frozen=True)
class Edit:
    """One change: a value, or REMOVED, at a path; `operation` is the one of a JSON patch."""

    path: str
    value: Any
    operation: str = "add"


@cache
def parse(text: str) -> Path:
    """The steps of a path."""
    return tuple(literal or plain or _item(keys) for literal, keys, plain in _TOKEN.findall(text))


def _item(text: str) -> dict[str, Any]:
    pairs = (each.split("=", 1) for each in text.split(","))
    return {key: int(value) if value.isdigit() else value for key, value in pairs}


def edited(obj: dict[str, Any], edits: tuple[Edit, ...]) -> dict[str, Any]:
    """A copy of the object with the changes made."""
    made = copy.deepcopy(obj)
    for edit in edits:
        if edit.value != REMOVED or _is_there(made, parse(edit.path)):
            _change(made, parse(edit.path), edit.value)
    return made


def _is_there(at: Any, path: Path) -> bool:
    for step in path:
        if isinstance(step, dict):
            at = next((each for each in at if _is(each, step)), None) if isinstance(at, list) else None
        else:
            at = at.get(step) if isinstance(at, dict) else None
    return at is not None


def _change(at: Any, path: Path, value: Any) -> None:
    *before, last = path
    for step, following in zip(before, path[1:], strict=True):
        at = _child(at, step, [] if isinstance(following, dict) else {})
    if isinstance(last, dict):
        items = [each for each in at if not _is(each, last)]
        at[:] = items if value == REMOVED else [*items, copy.deepcopy(value)]
    elif value == REMOVED:
        at.pop(last, None)
    else:
        at[last] = copy.deepcopy(value)


def _child(at: Any, step: str | dict[str, Any], empty: Any) -> Any:
    if isinstance(step, dict):
        found = next((each for each in at if _is(each, step)), None)
        if found is None:
            at.append(found := dict(step))
        return found
    if not isinstance(at.get(step), type(empty)):
        at[step] = empty
    return at[step]


def _is(item: Any, keys: dict[str, Any]) -> bool:
    return isinstance(item, dict) and all(item.get(key) == value for key, value in keys.items())


def nested(edits: tuple[Edit, ...], *, directives: bool) -> dict[str, Any]:
    """The changes as a merge patch: null removes; with `directives` items of lists are removed too."""
    made: dict[str, Any] = {}
    for edit in edits:
        *_, last = path = parse(edit.path)
        value = edit.value
        if value == REMOVED:
            value = None if isinstance(last, str) else {**last, "$patch": "delete"}
            if isinstance(last, dict) and not directives:
                continue
        _change(made, path, value)
    return made


def json_patch(obj: dict[str, Any], edits: tuple[Edit, ...]) -> list[dict[str, Any]]:
    """The changes as a JSON patch of this object, which tells the indices of items."""
    return [_operation(obj, edit) for edit in edits]


def _operation(obj: dict[str, Any], edit: Edit) -> dict[str, Any]:
    pointer = ""
    at: Any = obj
    for step in parse(edit.path):
        if isinstance(step, dict):
            index = next((i for i, each in enumerate(at or ()) if _is(each, step)), None)
            pointer += f"/{'-' if index is None else index}"
            at = {} if index is None else at[index]
        else:
            pointer += "/" + step.replace("~", "~0").replace("/", "~1")
            at = at.get(step, {}) if isinstance(at, dict) else {}
    if edit.value == REMOVED:
        return {"op": "remove", "path": pointer}
    if edit.operation in {"copy", "move"}:
        return {"op": edit.operation, "from": pointer, "path": "/metadata/annotations/moved"}
    return {"op": edit.operation, "path": pointer, "value": edit.value}
