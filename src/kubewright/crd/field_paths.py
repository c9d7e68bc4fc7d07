"""The JSON paths of selectable fields: `.spec.color`, without lists and brackets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["selectable_field"]

_TOKENS: Final = re.compile(r"[.\[\]]|'(?:[^'\\]|\\.)*'|[^.\[\]]+").findall


def selectable_field(path: str, schema: Mapping[str, Any]) -> tuple[str, str, str]:
    """Where a path leads in a schema: the field as errors show it, its type, and upstream's words for what is
    wrong with the path, "" for a good one."""
    tokens: list[str] = _TOKENS(path)
    shown = ""
    at = 0
    while at < len(tokens):
        step = tokens[at]
        if step == "[":
            return "", "", "array notation is not allowed"
        if step != ".":
            return "", "", f"expected [ or . but got: {step}"
        if at + 1 >= len(tokens):
            return "", "", "unexpected end of JSON path"
        name = tokens[at + 1]
        at += 2
        properties, additional = schema.get("properties"), schema.get("additionalProperties")
        if properties:
            if name not in properties:
                return "", "", "does not refer to a valid field"
            shown = f"{shown}.{name}" if shown else name
            schema = properties[name]
        elif additional is not None:
            shown = f"{shown}[{name}]"
            schema = additional if isinstance(additional, Mapping) else {}
        else:
            return "", "", "does not refer to a valid field"
    return shown, schema.get("type") or "", ""
