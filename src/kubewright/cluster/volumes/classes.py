"""The StorageClass of claims and volumes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from kubewright.machinery.errors import NotFound
from kubewright.machinery.struct import is_set
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.models.storage_v1 import StorageClass

if TYPE_CHECKING:
    from kubewright.client.client import Client

__all__ = ["class_of", "default_class", "find_class", "has_class", "is_default", "waits_for_consumer"]

_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
"""Where claims and volumes had their class before they had a field for it; it still comes first."""

_IS_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def class_of(obj: PersistentVolumeClaim | PersistentVolume) -> str:
    """The class that a claim or a volume names; "" for none."""
    annotated = obj.metadata.annotations.get(_ANNOTATION)
    return annotated if annotated is not None else obj.spec.storage_class_name


def has_class(claim: PersistentVolumeClaim) -> bool:
    """Whether a claim says which class it wants; "" says that it wants none."""
    return _ANNOTATION in claim.metadata.annotations or is_set(claim.spec, "storage_class_name")


async def find_class(client: Client, name: str) -> StorageClass | None:
    """A class by its name, if there is one."""
    if not name:
        return None
    try:
        return await client.api(StorageClass).get(name)
    except NotFound:
        return None


def waits_for_consumer(found: StorageClass | None) -> bool:
    """Whether claims of a class are bound only when a pod wants them."""
    return found is not None and found.volume_binding_mode == "WaitForFirstConsumer"


def is_default(found: StorageClass) -> bool:
    """Whether a class is for claims that name none."""
    return any(found.metadata.annotations.get(each) == "true" for each in _IS_DEFAULT)


def default_class(classes: Iterable[StorageClass]) -> StorageClass | None:
    """The class for claims that name none: of several the newest, then the first by name."""
    marked = sorted((each for each in classes if is_default(each)), key=lambda each: each.metadata.name)
    return max(marked, key=_made, default=None)


def _made(found: StorageClass) -> float:
    made = found.metadata.creation_timestamp
    return made.timestamp() if made is not None else 0.0
