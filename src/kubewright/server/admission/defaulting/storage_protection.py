"""Claims and volumes are there as long as they are used: upstream's StorageObjectInUseProtection plugin."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from kubewright.server.admission.attributes import NOTHING, Attributes

__all__ = ["StorageObjectInUseProtection"]

_FINALIZERS: Final = {
    "persistentvolumes": "kubernetes.io/pv-protection",
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
}
"""What controllers take away again when nobody uses the object. Upstream has a third one, for
VolumeAttributesClasses, whose controller there is not here."""


class StorageObjectInUseProtection:
    """Gives new claims and volumes the finalizers that hold them while they are used."""

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Complete a claim or a volume."""
        served, obj = attributes.type.served, attributes.obj
        finalizer = _FINALIZERS.get(served.resource) if not served.group else None
        is_new = attributes.operation == "CREATE" and not attributes.write.subresource
        if finalizer and is_new and obj is not None:
            there = obj["metadata"].get("finalizers") or []
            if finalizer not in there:
                obj["metadata"]["finalizers"] = [*there, finalizer]
        return NOTHING

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Nothing is refused."""
        return NOTHING
