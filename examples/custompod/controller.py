"""The controller: brings about as many pods as a CustomPod asks for, and says in its status which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from examples.custompod.types import CustomPod, CustomPodStatus
from examples.custompod.webhook import check, check_scale
from kubewright import ApiError, Conflict, Context, Manager, NotFound, ObjectMeta, Request, Source
from kubewright.controllers import (
    controller_of,
    drop_finalizer,
    ensure_finalizer,
    has_finalizer,
    is_true,
    remove_controller_reference,
    set_condition,
    set_controller_reference,
    status_of,
)
from kubewright.models.core_v1 import Container, Pod, PodSpec

__all__ = ["FINALIZER", "IMAGE", "LABEL", "deleted_first", "reconcile", "setup"]

LABEL: Final = "zhhnzw.mock.com/custompod"
"""Which CustomPod a pod is for: by this label it finds its pods, also those that others made."""
FINALIZER: Final = "zhhnzw.mock.com/pods"
"""Keeps a CustomPod until its pods are gone."""
CONTROLLED: Final = "controlled-by"
"""The index of pods by the uid of what controls them."""
IMAGE: Final = "registry.k8s.io/pause:3.10"
"""A program that waits: this is about pods, and not about what runs in them."""


def setup(manager: Manager) -> None:
    """Register all that the operator consists of; `kubewright manifests` makes its rights of the same."""
    manager.index(Pod, {CONTROLLED: _controller_uid})
    manager.controller(CustomPod, reconcile, owns=[Pod], watches=[Source(Pod, _wanted_by)], workers=4)
    manager.webhook(check)
    manager.webhook(check_scale)


async def reconcile(ctx: Context, request: Request) -> None:
    """Bring one CustomPod into the state it should have."""
    try:
        wanted = await ctx.client.api(CustomPod, request.namespace).get(request.name)
    except NotFound:
        return
    if wanted.metadata.deletion_timestamp is not None:
        await clean_up(ctx, wanted)
        return
    wanted = await ensure_finalizer(ctx, wanted, FINALIZER)
    pods = await claimed(ctx, wanted)
    # The status is written also when the block raises, and not at all when it is as it was.
    async with status_of(ctx, wanted):
        try:
            await scale(ctx, wanted, pods)
        except Conflict:
            raise  # What it looked at has changed: it is looked at again, without a word.
        except ApiError as error:
            tell(wanted, pods, problem=str(error))
            raise
        tell(wanted, pods)


async def clean_up(ctx: Context, wanted: CustomPod) -> None:
    """Delete the pods of a CustomPod that is being deleted, and let it go when they are gone."""
    if not has_finalizer(wanted, FINALIZER):
        return
    pods = await ctx.client.api(Pod, wanted.metadata.namespace).by(CONTROLLED, wanted.metadata.uid)
    # `kubectl delete --cascade=orphan`: the garbage collector takes their owner away instead.
    if pods and "orphan" not in wanted.metadata.finalizers:
        for pod in filter(_is_staying, pods):
            await delete(ctx, wanted, pod)
        return  # Until they are gone; each one that goes leads here again.
    ctx.events.normal(wanted, "CleanedUp", "Nothing is left to clean up")
    await drop_finalizer(ctx, wanted, FINALIZER)


async def claimed(ctx: Context, wanted: CustomPod) -> list[Pod]:
    """The pods that count: those it controls, after it has released and adopted what it should."""
    api = ctx.client.api(Pod, wanted.metadata.namespace)
    mine: list[Pod] = []
    for pod in await api.by(CONTROLLED, wanted.metadata.uid):
        if not _is_staying(pod):
            continue
        if pod.metadata.labels.get(LABEL) == wanted.metadata.name:
            mine.append(pod)
            continue
        remove_controller_reference(wanted, pod)
        with suppress(NotFound):
            await api.update(pod)
            ctx.events.normal(wanted, "Released", f"Released pod: {pod.metadata.name}")
    matching = api.list(labels={LABEL: wanted.metadata.name})
    orphans = [pod async for pod in matching if controller_of(pod) is None and _is_staying(pod)]
    # Asked of the server: whoever deletes it and orphans its pods does not want them adopted again.
    if orphans and await _is_there(ctx, wanted):
        for pod in orphans:
            set_controller_reference(wanted, pod)
            with suppress(NotFound):
                mine.append(await api.update(pod))
                ctx.events.normal(wanted, "Adopted", f"Adopted pod: {pod.metadata.name}")
    return mine


async def scale(ctx: Context, wanted: CustomPod, pods: list[Pod]) -> None:
    """Create the pods that are missing, or delete those that are too many; `pods` is kept up to date.

    Controllers on client-go count the creations that they expect to see in the cache, because it may not have
    what the last reconcile has created, and they would create it again. Here a reconcile begins when the
    caches have what the last one of the same object has written, so that the pods can be counted. Only a
    creation whose answer is lost may be done twice; the next reconcile then deletes one.
    """
    api = ctx.client.api(Pod, wanted.metadata.namespace)
    for ended in [pod for pod in pods if _has_ended(pod)]:
        await delete(ctx, wanted, ended)
        pods.remove(ended)
    # One after the other, so that where a quota is used up one request is refused, and not a hundred.
    while len(pods) < wanted.spec.replicas:
        try:
            created = await api.create(new_pod(wanted))
        except ApiError as error:
            ctx.events.warning(wanted, "FailedCreate", f"Error creating: {error}")
            raise
        pods.append(created)
        ctx.events.normal(wanted, "SuccessfulCreate", f"Created pod: {created.metadata.name}")
    for pod in deleted_first(pods)[: len(pods) - wanted.spec.replicas]:
        await delete(ctx, wanted, pod)
        pods.remove(pod)


async def delete(ctx: Context, wanted: CustomPod, pod: Pod) -> None:
    """Delete a pod, as it was looked at: one that is somebody else's by now is a Conflict."""
    found = pod.metadata
    with suppress(NotFound):
        api = ctx.client.api(Pod, found.namespace)
        await api.delete(found.name, uid=found.uid, resource_version=found.resource_version)
        ctx.events.normal(wanted, "SuccessfulDelete", f"Deleted pod: {found.name}")


def new_pod(wanted: CustomPod) -> Pod:
    """A pod, which goes with its CustomPod where there is a garbage collector."""
    metadata = ObjectMeta(
        generate_name=f"{wanted.metadata.name}-",
        namespace=wanted.metadata.namespace,
        labels={LABEL: wanted.metadata.name},
    )
    pod = Pod(metadata=metadata, spec=PodSpec(containers=[Container(name="main", image=IMAGE)]))
    set_controller_reference(wanted, pod)
    return pod


def deleted_first(pods: Iterable[Pod]) -> Sequence[Pod]:
    """In the order in which they are deleted: without a node, then not ready, then the youngest."""
    youngest = sorted(pods, key=lambda pod: (pod.metadata.creation_timestamp, pod.key), reverse=True)
    return sorted(youngest, key=lambda pod: (bool(pod.spec.node_name), _is_ready(pod)))


def tell(wanted: CustomPod, pods: Sequence[Pod], *, problem: str = "") -> None:
    """Say in the status what there is."""
    status = wanted.status = wanted.status or CustomPodStatus()
    ready, generation = sum(map(_is_ready, pods)), wanted.metadata.generation
    status.replicas = len(pods)
    status.ready_replicas = ready
    status.pod_names = sorted(pod.metadata.name for pod in pods)
    status.selector = f"{LABEL}={wanted.metadata.name}"
    status.observed_generation = generation or 0
    is_done = not problem and ready == wanted.spec.replicas
    set_condition(
        status.conditions,
        "Ready",
        is_done,
        reason="FailedCreate" if problem else "PodsReady" if is_done else "PodsNotReady",
        message=problem or f"{ready} of {wanted.spec.replicas} pods are ready",
        observed_generation=generation,
    )


async def _is_there(ctx: Context, wanted: CustomPod) -> bool:
    """Whether it is there at this moment, and is not being deleted."""
    try:
        found = await ctx.client.uncached.api(CustomPod, wanted.metadata.namespace).get(wanted.metadata.name)
    except NotFound:
        return False
    return found.metadata.uid == wanted.metadata.uid and found.metadata.deletion_timestamp is None


def _controller_uid(pod: Pod) -> list[str]:
    controller = controller_of(pod)
    return [controller.uid] if controller is not None else []


def _wanted_by(pod: Pod) -> list[Request]:
    """The CustomPod that might adopt a pod; those that have a controller lead to that one."""
    name = pod.metadata.labels.get(LABEL)
    return [Request(pod.metadata.namespace, name)] if name and controller_of(pod) is None else []


def _is_staying(pod: Pod) -> bool:
    """Whether nobody has deleted it; what terminates is as good as gone."""
    return pod.metadata.deletion_timestamp is None


def _has_ended(pod: Pod) -> bool:
    """Whether it will never run again, such as one that was evicted."""
    return pod.status.phase in {"Succeeded", "Failed"}


def _is_ready(pod: Pod) -> bool:
    return is_true(pod.status.conditions, "Ready")
