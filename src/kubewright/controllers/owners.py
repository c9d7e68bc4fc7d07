"""Owner references: which object another one belongs to, and who controls it.

What is owned is deleted with its owners, and what is controlled leads to its controller: `owns=` of a
controller watches it. These functions change objects in memory; writing them is up to the caller.
"""

from __future__ import annotations

from typing import TypeAlias

from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.meta import OwnerReference
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = [
    "AlreadyOwned",
    "controller_of",
    "is_controlled_by",
    "owner_reference",
    "remove_controller_reference",
    "remove_owner_reference",
    "set_controller_reference",
    "set_owner_reference",
]

_Object: TypeAlias = Resource | Unstructured


class AlreadyOwned(KubewrightError):
    """Another controller has the object, and an object has one at most; `owner` says which."""

    def __init__(self, obj: _Object, owner: OwnerReference) -> None:
        super().__init__(f"{obj} is controlled by {owner.kind} {owner.name} already")
        self.owner = owner


def owner_reference(
    owner: _Object, *, controller: bool | None = None, block_owner_deletion: bool | None = None
) -> OwnerReference:
    """A reference to an owner. Raises ValueError for an object that no server knows: one without a uid."""
    gvk = _gvk_of(owner)
    if not owner.metadata.uid:
        raise ValueError(f"{owner} has no uid, so it cannot own anything; use it as the server returned it")
    return OwnerReference(
        api_version=gvk.api_version,
        kind=gvk.kind,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=controller,
        block_owner_deletion=block_owner_deletion,
    )


def set_controller_reference(owner: _Object, obj: _Object, *, block_owner_deletion: bool = True) -> bool:
    """Make an object be controlled by another one; whether that changed it.

    With `block_owner_deletion` a foreground deletion of the owner waits for the object. Raises AlreadyOwned
    when it has another controller, and ValueError as `set_owner_reference` does.
    """
    reference = owner_reference(owner, controller=True, block_owner_deletion=block_owner_deletion)
    _check_namespaces(owner, obj)
    existing = controller_of(obj)
    if existing is not None and not _is_of(existing, owner):
        raise AlreadyOwned(obj, existing)
    return _put(obj, owner, reference)


def set_owner_reference(owner: _Object, obj: _Object, *, block_owner_deletion: bool | None = None) -> bool:
    """Make an object be owned, and not controlled, by another one; whether that changed it.

    A reference to the same owner is replaced, also one that made it the controller. Raises ValueError for an
    owner in another namespace, for one in a namespace of an object that has none, and for one without a uid:
    garbage collection would take such an owner for gone, and delete the object.
    """
    reference = owner_reference(owner, block_owner_deletion=block_owner_deletion)
    _check_namespaces(owner, obj)
    return _put(obj, owner, reference)


def remove_owner_reference(owner: _Object, obj: _Object) -> bool:
    """Take an owner away from an object, whether or not it controls it; whether it was one."""
    references = obj.metadata.owner_references
    kept = [each for each in references if not _is_of(each, owner)]
    if len(kept) == len(references):
        return False
    if kept:
        obj.metadata.owner_references = kept
    else:
        del obj.metadata.owner_references
    return True


def remove_controller_reference(owner: _Object, obj: _Object) -> bool:
    """Take an owner away from an object if it controls it; whether it did."""
    existing = controller_of(obj)
    return existing is not None and _is_of(existing, owner) and remove_owner_reference(owner, obj)


def controller_of(obj: _Object) -> OwnerReference | None:
    """The reference to what controls an object."""
    return next((each for each in obj.metadata.owner_references if each.controller), None)


def is_controlled_by(obj: _Object, owner: _Object) -> bool:
    """Whether an object is controlled by just this owner, and none that had its name before.

    The arguments are in the order of the words, as upstream's IsControlledBy has them.
    """
    existing = controller_of(obj)
    return existing is not None and existing.uid == owner.metadata.uid


def _put(obj: _Object, owner: _Object, reference: OwnerReference) -> bool:
    references = obj.metadata.owner_references
    for index, each in enumerate(references):
        if _is_of(each, owner):
            if _values(each) == _values(reference):
                return False
            references[index] = reference
            return True
    references.append(reference)
    return True


def _values(reference: OwnerReference) -> tuple[object, ...]:
    # Comparing structs costs several times as much, and each reconcile of each owned object does it.
    said = (reference.api_version, reference.kind, reference.name, reference.uid)
    return (*said, reference.controller, reference.block_owner_deletion)


def _is_of(reference: OwnerReference, owner: _Object) -> bool:
    """Whether a reference is to an object: by group, kind and name, whatever version it says."""
    gvk = _gvk_of(owner)
    group, _, version = reference.api_version.rpartition("/")
    said = (group, reference.kind, reference.name)
    return bool(version) and said == (gvk.group, gvk.kind, owner.metadata.name)


def _check_namespaces(owner: _Object, obj: _Object) -> None:
    theirs, own = owner.metadata.namespace, obj.metadata.namespace
    if theirs and not own:
        raise ValueError(
            f"{obj} has no namespace, so {owner} cannot own it: set metadata.namespace, or choose an owner "
            "without a namespace if the kind has none"
        )
    if theirs and theirs != own:
        raise ValueError(f"{owner} cannot own {obj}: they are in different namespaces")


def _gvk_of(obj: _Object) -> GroupVersionKind:
    gvk = getattr(obj, "gvk", None)
    if not isinstance(gvk, GroupVersionKind) or gvk.kind == "PartialObjectMetadata":
        raise ValueError(f"{obj} does not say its kind, so it cannot own anything; read the whole object")
    return gvk
