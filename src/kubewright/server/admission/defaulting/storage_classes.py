"""Claims that name no class get the default one: upstream's DefaultStorageClass plugin."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Final

import msgspec

from kubewright.machinery.time import parse_time
from kubewright.server.admission.attributes import NOTHING, Attributes
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.storage import Storage

__all__ = ["DefaultStorageClass", "claim_of", "class_named", "class_of_claim"]

_CLASSES: Final = f"{REGISTRY_ROOT}storageclasses/"
_IS_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
"""Where claims had their class before they had a field for it; where it is given it still comes first."""


class DefaultStorageClass:
    """Gives new claims without a class the default one: of several the newest, then the first by name."""

    def __init__(self, storage: Storage) -> None:
        self._storage: Final = storage

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Complete a claim."""
        claim = claim_of(attributes)
        if claim is not None and attributes.operation == "CREATE" and class_of_claim(claim) is None:
            name = self._default()
            if name:
                claim.setdefault("spec", {})["storageClassName"] = name
        return NOTHING

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Nothing is refused."""
        return NOTHING

    def _default(self) -> str:
        found = [
            msgspec.json.decode(each.value)
            for each in self._storage.list(_CLASSES).entries
            if b"/is-default-class" in each.value
        ]
        marked = [each["metadata"] for each in found if _is_default(each["metadata"])]
        if not marked:
            return ""
        marked.sort(key=lambda each: (-parse_time(each["creationTimestamp"]).timestamp(), each["name"]))
        name: str = marked[0]["name"]
        return name


def claim_of(attributes: Attributes) -> Object | None:
    """The claim that a write is about; None for all other writes, and for those to its status."""
    served = attributes.type.served
    if served.resource != "persistentvolumeclaims" or served.group or attributes.write.subresource:
        return None
    return attributes.obj


def class_of_claim(claim: Mapping[str, Any]) -> str | None:
    """The class that a claim names, which may be "" for none at all; None when it says nothing of it."""
    annotated: str | None = ((claim.get("metadata") or {}).get("annotations") or {}).get(_CLASS_ANNOTATION)
    named: str | None = (claim.get("spec") or {}).get("storageClassName")
    return annotated if annotated is not None else named


def class_named(storage: Storage, name: str) -> Object | None:
    """A StorageClass as it is stored."""
    entry = storage.get(f"{_CLASSES}{name}")
    if entry is None:
        return None
    found: Object = msgspec.json.decode(entry.value)
    return found


def _is_default(metadata: Mapping[str, Any]) -> bool:
    annotations = metadata.get("annotations") or {}
    return any(annotations.get(each) == "true" for each in _IS_DEFAULT)
