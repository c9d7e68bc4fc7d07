"""Objects without a controller lead to those who may adopt them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kubewright.cluster.workloads.indexes import index_by_controller
from kubewright.controllers.owners import controller_of
from kubewright.controllers.requests import Request
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import ParseError
from kubewright.machinery.resource import Resource

if TYPE_CHECKING:
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change
    from kubewright.machinery.label_selectors import Selector

__all__ = ["orphans_of"]

K = TypeVar("K", bound=Resource)
P = TypeVar("P", bound=Resource)


def orphans_of(
    manager: Manager, kind: type[K], adopter: type[P], selector_of: Callable[[P], Selector]
) -> Source[K]:
    """Have those reconciled whose selector an object without a controller matches.

    That is when it comes, when it changes its labels, and when its controller lets go of it. The kind is
    indexed by controllers, too. What `selector_of` raises ParseError for adopts nothing.
    """
    index_by_controller(manager, kind)

    def selects(owner: P, obj: K) -> bool:
        try:
            selector = selector_of(owner)
        except ParseError:
            return False
        return not selector.empty and selector.matches(obj.metadata.labels)

    async def adopters(obj: K) -> list[Request]:
        if controller_of(obj) is not None or obj.metadata.deletion_timestamp is not None:
            return []
        owners = manager.cached.api(adopter, obj.metadata.namespace)
        return [Request.of(owner) async for owner in owners.list() if selects(owner, obj)]

    return Source(kind, adopters, predicates=[_may_be_adopted])


def _may_be_adopted(change: Change[Any]) -> bool:
    """Whether an object has no controller, and is new or has changed in what adoption depends on."""
    new = change.new
    if new is None or controller_of(new) is not None:
        return False
    old = change.old
    return old is None or controller_of(old) is not None or old.metadata.labels != new.metadata.labels
