"""The form in which documents are stored: the same bytes for the same API, and diffs that can be reviewed."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["normalize_openapi", "render_json"]

_MAPS_OF_NAMES: Final = frozenset({"definitions", "properties", "schemas"})
"""Keywords whose objects have names of the API as keys, so that `description` is a name there."""

_WIDTH: Final = 110
"""The longest line, as in the sources of this project."""


def normalize_openapi(document: Any) -> Any:
    """An OpenAPI document without descriptions, with keys and the parameters of operations sorted.

    Descriptions are most of a document and nothing is generated from them. A server lists parameters in an
    order that means nothing.
    """
    return _normalize(document, keys_are_names=False)


def _normalize(value: Any, *, keys_are_names: bool) -> Any:
    if isinstance(value, list):
        return [_normalize(item, keys_are_names=False) for item in value]
    if not isinstance(value, dict):
        return value
    members = {
        key: _normalize(member, keys_are_names=not keys_are_names and key in _MAPS_OF_NAMES)
        for key, member in sorted(value.items())
        if keys_are_names or key != "description" or not isinstance(member, str)
    }
    if not keys_are_names and isinstance(members.get("parameters"), list):
        members["parameters"].sort(key=json.dumps)
    return members


def render_json(value: Any) -> str:
    """The value as JSON, with each object and array on one line if it fits and one line per member if not."""
    return _render(value, indent=0, column=0) + "\n"


def _render(value: Any, *, indent: int, column: int) -> str:
    """`column` is where the text begins on its line; one is left free for the comma after it."""
    compact = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or column + len(compact) < _WIDTH:
        return compact
    inner = indent + 1
    if isinstance(value, dict):
        labels = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        members = list(value.values())
        opening, closing = "{}"
    else:
        labels = [""] * len(value)
        members = value
        opening, closing = "[]"
    lines = [
        f"{' ' * inner}{label}{_render(member, indent=inner, column=inner + len(label))}"
        for label, member in zip(labels, members, strict=True)
    ]
    return "\n".join([opening, ",\n".join(lines), f"{' ' * indent}{closing}"])
