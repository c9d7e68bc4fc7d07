"""Which claims may become larger: upstream's PersistentVolumeClaimResize plugin."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from kubewright.machinery.quantity import Quantity
from kubewright.server.admission.attributes import NOTHING, Attributes
from kubewright.server.admission.defaulting.storage_classes import claim_of, class_named, class_of_claim
from kubewright.server.admission.refusals import forbidden_by_plugin
from kubewright.server.kinds.kind import Object
from kubewright.server.storage import Storage

__all__ = ["PersistentVolumeClaimResize"]


class PersistentVolumeClaimResize:
    """Lets claims grow that are bound, and whose class allows it."""

    def __init__(self, storage: Storage) -> None:
        self._storage: Final = storage

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Nothing is changed."""
        return NOTHING

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Check a claim that asks for more. Raises Forbidden."""
        claim, old = claim_of(attributes), attributes.old
        if claim is None or old is None or attributes.operation != "UPDATE" or _size(claim) <= _size(old):
            return NOTHING
        if (old.get("status") or {}).get("phase") != "Bound":
            raise forbidden_by_plugin(attributes, "Only bound persistent volume claims can be expanded")
        if not self._may_grow(claim, old):
            why = (
                "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
                "pvc must support resize"
            )
            raise forbidden_by_plugin(attributes, why)
        return NOTHING

    def _may_grow(self, claim: Object, old: Object) -> bool:
        name = class_of_claim(claim)
        if not name or name != class_of_claim(old):
            return False
        found = class_named(self._storage, name)
        return found is not None and bool(found.get("allowVolumeExpansion"))


def _size(claim: Object) -> Quantity:
    requests = ((claim.get("spec") or {}).get("resources") or {}).get("requests") or {}
    return Quantity(str(requests.get("storage", "0")))
