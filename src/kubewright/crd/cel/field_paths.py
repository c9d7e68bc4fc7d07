"""`fieldPath` of a rule: a JSON path such as `.spec['a.b']` below the rule's own place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["normalized_field_path"]

_STEP: Final = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]", re.DOTALL).match
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL).sub
_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "'": "'",
    "\\": "\\",
}


def normalized_field_path(path: str, schema: Mapping[str, object]) -> str | None:
    """The path as errors show it, `spec.a.b` or `labels[key]`; None if the schema has no such field."""
    node: object = schema
    shown, at = "", 0
    while at < len(path):
        step = _STEP(path, at)
        if step is None or not isinstance(node, Mapping):
            return None
        at = step.end()
        name = step[1] if step[1] is not None else _unescaped(step[2])
        properties, additional = node.get("properties"), node.get("additionalProperties")
        if isinstance(properties, Mapping):
            if name not in properties:
                return None
            node = properties[name]
            shown = f"{shown}.{name}" if shown else str(name)
        elif isinstance(additional, Mapping):
            node = additional
            shown = f"{shown}[{name}]"
        else:
            return None
    return shown


def _unescaped(text: str) -> str | None:
    try:
        return _ESCAPE(lambda match: _ESCAPES[match[1]], text)
    except KeyError:
        return None
