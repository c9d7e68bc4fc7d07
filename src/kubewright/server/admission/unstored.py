"""Asking the plugins about requests that store no object of their own: subresources, reviews, connections."""

from __future__ import annotations

from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.chain import admit, admit_and_validate, validate
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import Write

__all__ = ["admit_connect", "admit_unstored", "validate_unstored"]


async def admit_unstored(store: Store, name: str, obj: Object, write: Write) -> Object:
    """The object that the plugins make of one that is created and not stored, such as a Binding.

    Raises what they refuse with.
    """
    return await admit(store.admission, _created(store, name, obj, write))


async def validate_unstored(store: Store, name: str, obj: Object, write: Write) -> None:
    """Ask the plugins whether the request may go on, when all else has been checked."""
    await validate(store.admission, _created(store, name, obj, write))


async def admit_connect(store: Store, name: str, options: Object, write: Write) -> None:
    """Ask the plugins about a connection; `options` are what is asked for of it, as an object."""
    attributes = Attributes(
        operation="CONNECT", type=store.type, name=name, obj=options, old=None, write=write
    )
    await admit_and_validate(store.admission, attributes)


def _created(store: Store, name: str, obj: Object, write: Write) -> Attributes:
    return Attributes(operation="CREATE", type=store.type, name=name, obj=obj, old=None, write=write)
