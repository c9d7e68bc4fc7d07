"""Objects by who controls them, so that nobody looks through all objects for his own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from kubewright.controllers.owners import controller_of
from kubewright.machinery.resource import Resource

if TYPE_CHECKING:
    from kubewright.controllers.cached_client import CachedApi
    from kubewright.controllers.manager import Manager
    from kubewright.machinery.meta import ObjectMeta

__all__ = ["CONTROLLED", "controlled_by", "index_by_controller", "orphans_in"]

K = TypeVar("K", bound=Resource)

CONTROLLED: Final = "controller"
"""The name of the index: uids of controllers, and `orphans/<namespace>` for objects without one."""


def index_by_controller(manager: Manager, kind: type[K]) -> None:
    """Have the objects of a kind indexed; several controllers may ask for it."""
    with suppress(ValueError):
        # Another controller has asked before.
        manager.index(kind, {CONTROLLED: _controllers})


async def controlled_by(api: CachedApi[K], owner: ObjectMeta) -> Sequence[K]:
    """The objects that an object controls, by its uid."""
    return await api.by(CONTROLLED, owner.uid)


async def orphans_in(api: CachedApi[K], namespace: str) -> Sequence[K]:
    """The objects of a namespace that nobody controls."""
    return await api.by(CONTROLLED, _orphans(namespace))


def _controllers(obj: Resource) -> tuple[str]:
    controller = controller_of(obj)
    return (controller.uid if controller is not None else _orphans(obj.metadata.namespace),)


def _orphans(namespace: str) -> str:
    return f"orphans/{namespace}"
