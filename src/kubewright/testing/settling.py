"""What an operator is still doing: whether anything, and in words what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from kubewright.machinery.errors import KubewrightError, NotFound
from kubewright.testing.hanging import waiting_at

if TYPE_CHECKING:
    from kubewright.controllers.controller import Controller
    from kubewright.controllers.managed_cluster import ManagedCluster
    from kubewright.controllers.manager import Manager

__all__ = ["NotSettled", "first_few", "is_quiet", "pending_work"]

_SHOWN: Final = 5
"""Objects that a message names; the others are counted."""


class NotSettled(AssertionError):
    """An operator goes on, or waits for something that does not come; the message says what."""


def is_quiet(manager: Manager) -> bool:
    """Whether nothing is going on, for all that the caches know: nothing waits, runs, or is on its way.

    It is one step of the event loop, so that what it says holds when it returns.
    """
    return all(each.is_synced and each.is_idle for each in manager.controllers) and all(
        cluster.recorder.unsent == 0 and all(each.is_idle for each in cluster.informers.running())
        for cluster in manager.clusters
    )


def pending_work(manager: Manager) -> list[str]:
    """What keeps an operator from being quiet, or its caches from catching up: parts of a sentence."""
    found = [text for cluster in manager.clusters for text in _of_cluster(cluster)]
    found += [text for controller in manager.controllers for text in _of_controller(controller)]
    return found or ["its caches wait for what the server has"]


def first_few(names: Iterable[object]) -> str:
    """The first of some names, and how many others there are."""
    shown = [str(each) for each in names]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(islice(shown, _SHOWN)) + more


def _of_cluster(cluster: ManagedCluster) -> Iterator[str]:
    for informer in cluster.informers.running():
        if not informer.is_synced:
            yield f"the cache of {informer.scope} in {cluster} is not filled: {_why(informer.last_error)}"
        elif not informer.is_idle:
            yield f"predicates or mapping functions of {informer.scope} are at work"
        elif informer.last_error is not None:
            yield f"the cache of {informer.scope} in {cluster} is behind: {informer.last_error}"
    if cluster.recorder.unsent:
        yield f"{cluster.recorder.unsent} events are not sent yet"


def _why(error: KubewrightError | None) -> str:
    if isinstance(error, NotFound):
        return "the server does not serve this kind; create its CustomResourceDefinition"
    return str(error or "the server has not answered yet")


def _of_controller(controller: Controller[Any]) -> Iterator[str]:
    running = controller.running
    if not controller.is_synced:
        where = controller.waits_for
        yield f"controller {controller.name} waits for {where or 'leadership'}"
    if running:
        shown = first_few(f"{each}{waiting_at(controller.name, each)}" for each in running)
        yield f"controller {controller.name} is reconciling {shown}"
    if len(controller.queue):
        yield f"controller {controller.name} has {len(controller.queue)} more to reconcile"
