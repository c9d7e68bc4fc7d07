"""Deletes what is in a namespace that is being deleted, and then lets the namespace go."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubewright.cluster.namespace_conditions import conditions_of
from kubewright.cluster.namespace_content import PODS, Leftovers, delete_content
from kubewright.controllers.requests import Request, Result
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import Conflict, KubewrightError, NotFound
from kubewright.models.core_v1 import Namespace, Pod

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.client.client import Client
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change
    from kubewright.machinery.gvk import GroupResource

__all__ = ["NamespaceController", "setup"]

_FINALIZER: Final = "kubernetes"
"""In `spec.finalizers` of every namespace, for this controller to take out."""

_SOONEST, _LATEST = 0.1, 5.0
"""Seconds between two looks at content that does not go: the older the deletion, the rarer. Upstream looks
after half of what it thinks that finalizers take, and a second: 8."""

_WORKERS: Final = 4


def setup(manager: Manager, parts: Parts) -> None:
    """Have namespaces finished that are deleted; a pod that goes may have been what they waited for."""
    pods = Source(Pod, lambda pod: [Request("", pod.metadata.namespace)], predicates=[_is_gone])
    reconcile = NamespaceController().reconcile
    manager.controller(Namespace, reconcile, name="namespace-controller", watches=[pods], workers=_WORKERS)


def _is_gone(change: Change[Any]) -> bool:
    return change.type == "DELETED"


class _Waiting(NamedTuple):
    """What is known of a namespace whose content does not go."""

    uid: str
    resources: frozenset[GroupResource] | None
    """Those of which something was left: of the others there is nothing, and nothing can come. None for all,
    where some were not looked at."""
    since: datetime
    pause: timedelta
    """After which they are looked at again."""

    def is_over(self, now: datetime) -> bool:
        """Whether the pause is over; also when the clock was set back, or it might last for long."""
        return not self.since <= now < self.since + self.pause


class NamespaceController:
    """Finishes namespaces that are deleted, in passes over their content.

    Upstream waits 5 seconds before the first pass, for API servers that have not heard of the deletion and
    let objects be created; here there is one, which creates none once a namespace is deleted.
    """

    def __init__(self) -> None:
        self._waiting: Final[dict[str, _Waiting]] = {}

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """One pass over the content of a namespace."""
        name = request.name
        cached = await _get(ctx.client.api(Namespace), name)
        if cached is None or cached.metadata.deletion_timestamp is None:
            self._waiting.pop(name, None)
            return None
        server = ctx.client.uncached
        namespace = await _get(server.api(Namespace), name)
        deleted = namespace.metadata.deletion_timestamp if namespace is not None else None
        if namespace is None or deleted is None or not namespace.spec.finalizers:
            self._waiting.pop(name, None)
            return None
        waiting = self._waiting.get(name)
        if waiting is not None and waiting.uid != namespace.metadata.uid:
            waiting = None
        if waiting is not None and await self._has_to_wait(ctx, waiting):
            left = waiting.since + waiting.pause - ctx.now()
            return Result(requeue_after=max(_SOONEST, left.total_seconds()))
        only = waiting.resources if waiting is not None else None
        leftovers = await delete_content(server, name, age=ctx.now() - deleted, only=only)
        namespace = await _tell(server, namespace, leftovers, ctx.now())
        if leftovers.hold:
            pause = _pause(ctx.now() - deleted)
            self._waiting[name] = _Waiting(
                namespace.metadata.uid, leftovers.looked_at_again(), ctx.now(), timedelta(seconds=pause)
            )
            return Result(requeue_after=pause)
        self._waiting.pop(name, None)
        await _finalize(server.api(Namespace), namespace)
        return None

    async def _has_to_wait(self, ctx: Context, waiting: _Waiting) -> bool:
        """Whether a pod has gone that was not the last one, so that the next pass has its time."""
        if waiting.resources != frozenset({PODS}) or waiting.is_over(ctx.now()):
            return False
        async for _ in ctx.client.api(Pod, ctx.request.name).list():
            return True
        return False


async def _get(api: Api[Namespace], name: str) -> Namespace | None:
    try:
        return await api.get(name)
    except NotFound:
        return None


async def _tell(client: Client, namespace: Namespace, leftovers: Leftovers, now: datetime) -> Namespace:
    """Write the conditions, if they have changed; a failure of that does not hold up anything."""
    before = namespace.status.conditions
    after = conditions_of(before, leftovers, now)
    if after == before:
        return namespace
    namespace.status.conditions = after
    try:
        return await client.api(Namespace).update_status(namespace)
    except KubewrightError:
        return namespace


async def _finalize(api: Api[Namespace], namespace: Namespace) -> None:
    """Take the finalizer out, if the namespace is still there."""
    latest: Namespace | None = namespace
    while latest is not None and latest.metadata.uid == namespace.metadata.uid:
        latest.spec.finalizers = [each for each in latest.spec.finalizers if each != _FINALIZER]
        with suppress(Conflict):
            with suppress(NotFound):
                await api.update(latest, subresource="finalize")
            return
        latest = await _get(api, namespace.metadata.name)


def _pause(age: timedelta) -> float:
    return min(_LATEST, max(_SOONEST, age.total_seconds() / 4))
