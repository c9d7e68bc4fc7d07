"""The definitions of built-in kinds, as `kubewright/models/openapi.json` has them.

They stay bytes: a document of OpenAPI v3 takes them as they are, and one of v2 reads them one at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from kubewright.machinery.gvk import GroupVersion
from kubewright.server.kinds.kind import Object
from kubewright.server.openapi.operations import META

__all__ = ["Definitions"]

_REF: Final = re.compile(rb'"\$ref":"#/components/schemas/([^"]+)"')

_GVK: Final = "x-kubernetes-group-version-kind"

_EVERYWHERE: Final = frozenset({f"{META}DeleteOptions", f"{META}WatchEvent"})
"""Definitions that upstream registers with every group-version: a document lists those that concern it."""

_NOT_FOR_CUSTOM: Final = frozenset(
    {"admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io"}
)
"""Groups that the part of upstream which makes the documents of custom resources does not know."""


class Definitions:
    """All definitions by name; read from the package when made, so keep it no longer than need be."""

    def __init__(self) -> None:
        import kubewright.models  # noqa: PLC0415 - to find the file, which only OpenAPI needs

        path = Path(str(kubewright.models.__file__)).with_name("openapi.json")
        self._raw: Final = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def needed_by(self, text: bytes) -> set[str]:
        """The names of the definitions that a piece of OpenAPI v3 refers to, directly or through others.

        Names that are not known here are left out: they are those of custom resources.
        """
        found: set[str] = set()
        texts: list[bytes | msgspec.Raw] = [text]
        while texts:
            for match in _REF.finditer(bytes(texts.pop())):
                name = match[1].decode()
                if name in self._raw and name not in found:
                    found.add(name)
                    texts.append(self._raw[name])
        return found

    def v3(self, name: str, group_version: GroupVersion | None, *, custom: bool) -> msgspec.Raw:
        """A definition as the document of a group-version has it."""
        if name not in _EVERYWHERE:
            return self._raw[name]
        definition: Object = msgspec.json.decode(self._raw[name])
        kinds = definition[_GVK]
        if custom:
            kept = [item for item in kinds if item["group"] not in _NOT_FOR_CUSTOM]
        else:
            kept = [item for item in kinds if _concerns(item, group_version)]
        return msgspec.Raw(msgspec.json.encode(definition | {_GVK: kept}))

    def v2(self, name: str) -> Object:
        """A definition as the document of OpenAPI v2 has it."""
        made: Object = _to_v2(msgspec.json.decode(self._raw[name]))
        return made


def _concerns(kind: Object, group_version: GroupVersion | None) -> bool:
    stated = GroupVersion(kind["group"], kind["version"])
    return stated in {GroupVersion("", "v1"), group_version}


def _to_v2(schema: Object) -> Object:
    """OpenAPI v2 has no `oneOf`; upstream leaves defaults out, and takes single `allOf` for what is in it."""
    made: Object = {}
    for key, value in schema.items():
        if key == "properties":
            made[key] = {name: _to_v2(member) for name, member in value.items()}
        elif key in {"items", "additionalProperties"}:
            made[key] = _to_v2(value)
        elif key == "allOf":
            made |= _to_v2(value[0])
        elif key == "$ref":
            made[key] = value.replace("#/components/schemas/", "#/definitions/")
        elif key == "oneOf":
            # Quantities and ports, which v2 knows as text of a format of its own.
            made["type"] = "string"
        elif key != "default":
            made[key] = value
    return made
