"""What the protection of claims and of volumes have in common."""

from __future__ import annotations

from kubewright.machinery.resource import Resource

__all__ = ["is_to_be_freed", "lacks"]


def lacks(obj: Resource, finalizer: str) -> bool:
    """Whether an object is to get a finalizer: one that was created before there was a plugin for it."""
    return obj.metadata.deletion_timestamp is None and finalizer not in obj.metadata.finalizers


def is_to_be_freed(obj: Resource, finalizer: str) -> bool:
    """Whether an object is deleted, and a finalizer holds it."""
    return obj.metadata.deletion_timestamp is not None and finalizer in obj.metadata.finalizers
