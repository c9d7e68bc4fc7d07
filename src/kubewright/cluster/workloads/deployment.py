"""Deployments: ReplicaSets after a template, and how pods of one template give way to those of the next."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kubewright.cluster.workloads.claims import claim
from kubewright.cluster.workloads.deployment_conditions import progress_check_in
from kubewright.cluster.workloads.deployment_status import (
    compute_status,
    is_complete,
    note_pause,
    report_progress,
)
from kubewright.cluster.workloads.indexes import controlled_by, index_by_controller, orphans_in
from kubewright.cluster.workloads.orphans import orphans_of
from kubewright.cluster.workloads.pod_creation import is_namespace_terminating
from kubewright.cluster.workloads.pods import is_terminal
from kubewright.cluster.workloads.revisions import DESIRED_REPLICAS, size_annotation
from kubewright.cluster.workloads.rolling import Scaling, rolling_step
from kubewright.cluster.workloads.rollout import Rollout, size_of
from kubewright.controllers.clock import current_time
from kubewright.controllers.requests import Request, Result
from kubewright.machinery.errors import ApiError, NotFound, ParseError
from kubewright.machinery.label_selectors import Selector
from kubewright.models.apps_v1 import Deployment, ReplicaSet
from kubewright.models.core_v1 import Pod

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager

__all__ = ["WORKERS", "reconcile", "setup"]

WORKERS: Final = 2
"""How many are worked on at once. Upstream has five; here they share the event loop of the server, where more
would only make requests wait, and one would let a large one hold up all others."""

_RECREATE: Final = "Recreate"


def setup(manager: Manager, parts: Parts) -> None:
    """Have Deployments rolled out, and ReplicaSets that match one adopted.

    Pods are not watched: what becomes of them is in the status of their ReplicaSets.
    """
    index_by_controller(manager, Pod)
    manager.controller(
        Deployment,
        reconcile,
        name="deployment-controller",
        owns=[ReplicaSet],
        watches=[orphans_of(manager, ReplicaSet, Deployment, _selector_of)],
        workers=WORKERS,
    )


async def reconcile(ctx: Context, request: Request) -> Result | None:
    """Bring the ReplicaSets of a Deployment a step further, and say in its status how it stands."""
    api = ctx.client.api(Deployment, request.namespace)
    try:
        deployment = await api.get(request.name)
        selector = _selector_of(deployment)
    except (NotFound, ParseError):
        return None
    if selector.empty:
        message = "This deployment is selecting all pods. A non-empty selector is required."
        ctx.events.warning(deployment, "SelectingAll", message)
        return None
    before = deployment.copy()
    replica_sets = ctx.client.api(ReplicaSet, request.namespace)
    known = await controlled_by(replica_sets, deployment.metadata)
    orphans = await orphans_in(replica_sets, request.namespace)
    owned = await claim(ctx, deployment, selector, [*known, *orphans], replica_sets)
    rollout = Rollout(ctx, deployment, owned)
    try:
        rolls_out = await _advance(ctx, rollout)
    except ApiError as error:
        # A condition may say what went wrong; that it cannot be written would hide it.
        with suppress(ApiError):
            await _write(ctx, before, deployment)
        if is_namespace_terminating(error):
            return None
        raise
    now = current_time()
    status = compute_status(deployment, rollout.all, rollout.new, now)
    if rolls_out:
        report_progress(deployment, status, rollout.all, rollout.new, now)
    deployment.status = status
    await _write(ctx, before, deployment)
    if not rolls_out or is_complete(deployment, status):
        return None
    wait = progress_check_in(deployment, now)
    return Result(requeue_after=wait) if wait is not None else None


async def _advance(ctx: Context, rollout: Rollout) -> bool:
    """Do what there is to do; whether that is part of a rollout, whose progress counts."""
    deployment = rollout.deployment
    if deployment.metadata.deletion_timestamp is not None:
        await rollout.sync_revision()
        return False
    note_pause(deployment, current_time())
    await rollout.sync_revision()
    if deployment.spec.paused or _changes_size(rollout):
        await rollout.scale_in_proportion()
        if deployment.spec.paused:
            await rollout.clean_up()
        return False
    complete = is_complete(deployment, deployment.status)
    if deployment.spec.strategy.type == _RECREATE:
        waits = await _recreate(ctx, rollout)
    else:
        waits = await _roll(rollout)
    if complete and not waits:
        await rollout.clean_up()
    return True


async def _roll(rollout: Rollout) -> bool:
    """One step of a rolling update; whether there was one."""
    if rollout.new is None and not await rollout.create_new():
        return True
    new = rollout.new
    if new is None:
        return True
    steps = rolling_step(rollout.limits, size_of(new), [size_of(each) for each in rollout.old])
    return await rollout.scale(steps)


async def _recreate(ctx: Context, rollout: Rollout) -> bool:
    """Remove all old pods, and create the new ones when they are gone; whether it waits for that."""
    if await rollout.scale(Scaling(each.metadata.name, 0) for each in rollout.old if each.spec.replicas):
        return True
    if await _old_pods_run(ctx, rollout):
        return True
    if rollout.new is None and not await rollout.create_new():
        return True
    new = rollout.new
    if new is not None:
        await rollout.scale([Scaling(new.metadata.name, rollout.limits.desired)])
    return False


async def _old_pods_run(ctx: Context, rollout: Rollout) -> bool:
    pods = ctx.client.api(Pod, rollout.deployment.metadata.namespace)
    for each in rollout.old:
        if each.status.replicas:
            return True
        if not all(is_terminal(pod) for pod in await controlled_by(pods, each.metadata)):
            return True
    return False


def _changes_size(rollout: Rollout) -> bool:
    """Whether the Deployment has another size than when its ReplicaSets were last scaled."""
    for each in rollout.all:
        noted = size_annotation(each, DESIRED_REPLICAS) if each.spec.replicas else None
        if noted is not None and noted != rollout.limits.desired:
            return True
    return False


async def _write(ctx: Context, before: Deployment, deployment: Deployment) -> None:
    """Write status and revision, which the server takes together, if they have changed and it is there."""
    same_status = deployment.status == before.status
    if same_status and deployment.metadata.annotations == before.metadata.annotations:
        return
    api = ctx.client.api(Deployment, deployment.metadata.namespace)
    with suppress(NotFound):
        await api.update_status(deployment)


def _selector_of(deployment: Deployment) -> Selector:
    """Which ReplicaSets are meant. Raises ParseError."""
    return Selector.from_label_selector(deployment.spec.selector.to_dict())
