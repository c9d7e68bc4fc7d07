"""Keeps as many pods as a ReplicaSet or a ReplicationController asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from kubewright.cluster.workloads.claims import claim
from kubewright.cluster.workloads.deletion_order import pods_to_delete
from kubewright.cluster.workloads.indexes import controlled_by, orphans_in
from kubewright.cluster.workloads.orphans import orphans_of
from kubewright.cluster.workloads.pod_creation import answered, create_pods, error_text
from kubewright.cluster.workloads.pods import is_active, is_terminating, next_availability
from kubewright.cluster.workloads.replica_status import Failure, count_pods, update_status
from kubewright.controllers.clock import current_time
from kubewright.controllers.owners import is_controlled_by
from kubewright.controllers.requests import Request, Result
from kubewright.machinery.errors import KubewrightError, NotFound, ParseError
from kubewright.models.core_v1 import Pod, PodTemplateSpec

if TYPE_CHECKING:
    from kubewright.controllers.context import Context
    from kubewright.controllers.events import EventRecorder
    from kubewright.controllers.manager import Manager
    from kubewright.machinery.label_selectors import Selector
    from kubewright.models.apps_v1 import ReplicaSet, ReplicaSetCondition
    from kubewright.models.core_v1 import ReplicationController, ReplicationControllerCondition

__all__ = ["BURST", "WORKERS", "ReplicaKind", "Replicas"]

Owner = TypeVar("Owner", bound="ReplicaSet | ReplicationController")

WORKERS: Final = 2
"""How many are worked on at once. Upstream has five; here they share the event loop of the server, where more
would only make requests wait, and one would let a large one hold up all others."""

BURST: Final = 500
"""How many pods one reconcile creates or deletes at most: upstream's."""


class ReplicaKind(NamedTuple, Generic[Owner]):
    """In what ReplicaSets and ReplicationControllers differ."""

    kind: type[Owner]
    condition: type[ReplicaSetCondition | ReplicationControllerCondition]
    component: str
    """Who its events are from."""
    counts_terminating: bool
    """Whether its status has `terminatingReplicas`."""
    selector: Callable[[Owner], Selector]
    """The selector of an object. Raises ParseError."""
    siblings: Callable[[Context, Owner], Awaitable[Sequence[Owner]]]
    """The objects of the kind with the same controller; none for an object without one."""


class _Managed(NamedTuple):
    """The pods of a controller after some were created or deleted."""

    active: Sequence[Pod]
    failure: Failure | None = None
    error: KubewrightError | None = None


class Replicas(Generic[Owner]):
    """Reconciles the objects of one kind."""

    def __init__(self, kind: ReplicaKind[Owner]) -> None:
        self._kind: Final = kind

    def watch(self, manager: Manager, *, name: str) -> None:
        """Have the objects of the kind kept by a controller of this name, and pods that match one adopted."""
        kind, selector = self._kind.kind, self._kind.selector
        manager.controller(
            kind,
            self.reconcile,
            name=name,
            owns=[Pod],
            watches=[orphans_of(manager, Pod, kind, selector)],
            workers=WORKERS,
        )

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Claim, create and delete pods, and say in the status how many there are.

        Creations and deletions that fail are reported in the status and by events, and tried again.
        """
        api = ctx.client.api(self._kind.kind, request.namespace)
        try:
            owner = await api.get(request.name)
            selector = self._kind.selector(owner)
        except (NotFound, ParseError):
            return None
        pods = ctx.client.api(Pod, request.namespace)
        known = [*await controlled_by(pods, owner.metadata), *await orphans_in(pods, request.namespace)]
        claimed = await claim(ctx, owner, selector, filter(is_active, known), pods)
        managed = _Managed(claimed)
        if owner.metadata.deletion_timestamp is None:
            managed = await self._manage(ctx, owner, claimed)
        now = current_time()
        if self._report(owner, managed, self._terminating(owner, selector, known), now):
            try:
                await api.update_status(owner)
            except NotFound:
                # It has gone meanwhile, as one does whose pods were waited for: nobody asks any more.
                return None
        if managed.error is not None:
            raise managed.error
        wait = next_availability(managed.active, owner.spec.min_ready_seconds or 0, now)
        return Result(requeue_after=wait) if wait is not None else None

    def _report(self, owner: Owner, managed: _Managed, terminating: int | None, now: datetime) -> bool:
        """Bring the status up to date; whether that changed it."""
        template = owner.spec.template or PodTemplateSpec()
        counts = count_pods(
            managed.active,
            template.metadata.labels,
            min_ready_seconds=owner.spec.min_ready_seconds or 0,
            now=now,
            terminating=terminating,
        )
        return update_status(
            owner.status,
            self._kind.condition,
            counts,
            managed.failure,
            generation=owner.metadata.generation or 0,
            now=now,
        )

    def _terminating(self, owner: Owner, selector: Selector, known: Iterable[Pod]) -> int | None:
        if not self._kind.counts_terminating:
            return None
        return sum(
            is_terminating(pod) and is_controlled_by(pod, owner) and selector.matches(pod.metadata.labels)
            for pod in known
        )

    async def _manage(self, ctx: Context, owner: Owner, active: Sequence[Pod]) -> _Managed:
        wanted = owner.spec.replicas if owner.spec.replicas is not None else 1
        events = ctx.events.named(self._kind.component)
        if len(active) < wanted and owner.spec.template is not None:
            count = min(wanted - len(active), BURST)
            pods = ctx.client.api(Pod, owner.metadata.namespace)
            created = await create_pods(pods, owner, owner.spec.template, count, events)
            return _managed([*active, *created.pods], created.error, "FailedCreate")
        if len(active) > wanted:
            return await self._delete(ctx, owner, active, min(len(active) - wanted, BURST), events)
        return _Managed(active)

    async def _delete(
        self, ctx: Context, owner: Owner, active: Sequence[Pod], count: int, events: EventRecorder
    ) -> _Managed:
        related = await self._related(ctx, owner) if count < len(active) else []
        victims = pods_to_delete(active, related, count, current_time())
        api = ctx.client.api(Pod, owner.metadata.namespace)
        answers = await answered(lambda pod: api.delete(pod.metadata.name), victims)
        deleted: set[str] = set()
        failures: list[KubewrightError] = []
        for pod, answer in zip(victims, answers, strict=True):
            name = pod.metadata.name
            if not isinstance(answer, BaseException):
                events.normal(owner, "SuccessfulDelete", f"Deleted pod: {name}")
                deleted.add(name)
            elif isinstance(answer, NotFound):
                deleted.add(name)
            elif isinstance(answer, KubewrightError):
                events.warning(owner, "FailedDelete", f"Error deleting: {error_text(answer)}")
                failures.append(answer)
            else:
                raise answer
        left = [pod for pod in active if pod.metadata.name not in deleted]
        return _managed(left, failures[0] if failures else None, "FailedDelete")

    async def _related(self, ctx: Context, owner: Owner) -> list[Pod]:
        """The pods of all that has the same controller."""
        pods = ctx.client.api(Pod, owner.metadata.namespace)
        siblings = await self._kind.siblings(ctx, owner)
        return [pod for sibling in siblings for pod in await controlled_by(pods, sibling.metadata)]


def _managed(active: Sequence[Pod], error: KubewrightError | None, reason: str) -> _Managed:
    if error is None:
        return _Managed(active)
    prefix = "unable to delete pods: " if reason == "FailedDelete" else ""
    return _Managed(active, Failure(reason, f"{prefix}{error_text(error)}"), error)
