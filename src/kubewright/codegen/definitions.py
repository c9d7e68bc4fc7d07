"""Makes `kubewright/models/openapi.json`, the OpenAPI definitions of the built-in kinds.

`kubewright.codegen.models` calls it when `openapi-v2.json` lies beside the OpenAPI v3 documents. The
definitions are those of OpenAPI v3, from which those of v2 follow; only the lists of the kinds that a
definition stands for are taken from v2, since each v3 document lists no more than what concerns itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.machinery.errors import ParseError

__all__ = ["DEFINITIONS", "read_definition_facts", "render_definitions"]

DEFINITIONS: Final = "openapi.json"
"""The file of `kubewright/models` that holds the definitions."""

_V2: Final = "openapi-v2.json"
_GVK: Final = "x-kubernetes-group-version-kind"


def read_definition_facts(directory: Path) -> dict[str, dict[str, Any]] | None:
    """The definitions of a directory of OpenAPI v3 documents, or None where v2 was not recorded beside it.

    Raises ParseError when v2 has a definition that v3 has not.
    """
    v2 = directory.parent / _V2
    if not v2.is_file():
        return None
    made: dict[str, dict[str, Any]] = {}
    for path in sorted(directory.glob("*.json")):
        document = msgspec.json.decode(path.read_bytes())
        made.update(document.get("components", {}).get("schemas", {}))
    for name, definition in msgspec.json.decode(v2.read_bytes())["definitions"].items():
        if name not in made:
            raise ParseError(f"{name} is in {_V2} only; run `make facts`")
        if _GVK in definition:
            made[name] = made[name] | {_GVK: definition[_GVK]}
    return made


def render_definitions(definitions: Mapping[str, Mapping[str, Any]]) -> str:
    """A JSON object with one definition per line, sorted, so that a new release shows as a readable diff."""
    lines = [
        f"{msgspec.json.encode(name).decode()}:{msgspec.json.encode(definition, order='sorted').decode()}"
        for name, definition in sorted(definitions.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"
