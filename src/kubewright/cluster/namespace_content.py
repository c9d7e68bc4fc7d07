"""The content of a namespace that is being deleted: what of it can be deleted, and what remains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from kubewright.machinery.errors import ApiError, MethodNotAllowed, NotFound
from kubewright.machinery.gvk import GroupResource, GroupVersionResource
from kubewright.models.core_v1 import Pod

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.client.client import Client
    from kubewright.client.served import ServedResource
    from kubewright.machinery.table import PartialObjectMetadata

__all__ = ["PODS", "Leftovers", "delete_content"]

PODS: Final = GroupResource("", "pods")
"""What goes before all else."""


class Leftovers:
    """What a pass over the content of a namespace has left, and what went wrong in it."""

    def __init__(self) -> None:
        self.resources: Final[Counter[GroupResource]] = Counter()
        self.finalizers: Final[Counter[str]] = Counter()
        self.undiscovered: Final[list[str]] = []
        """Why some group could not be looked into."""
        self.failures: Final[list[str]] = []
        """Why something could not be deleted."""
        self._failed: Final[set[GroupResource]] = set()
        self._waits = False

    def fail(self, resource: GroupResource, why: str) -> None:
        """Something of a resource could not be deleted."""
        self.failures.append(why)
        self._failed.add(resource)

    def wait_for_pods(self) -> None:
        """Nothing is told of what remains while pods do, as upstream has it: the rest was not looked at."""
        self._waits = True
        self.resources.clear()
        self.finalizers.clear()

    @property
    def hold(self) -> bool:
        """Whether the namespace cannot go yet."""
        return self._waits or bool(self.resources or self.failures or self.undiscovered)

    def looked_at_again(self) -> frozenset[GroupResource] | None:
        """The resources of which something may be left; None where that may be any."""
        if self._waits:
            return frozenset({PODS})
        if self.undiscovered:
            return None
        return frozenset(self.resources) | self._failed


async def delete_content(
    client: Client, namespace: str, *, age: timedelta, only: Collection[GroupResource] | None = None
) -> Leftovers:
    """Delete all that can be deleted in a namespace; as long as there are pods, nothing else.

    `age` is that of its deletion. With `only`, other resources are looked at when nothing of those is left.
    """
    served = await (client.discovery.refresh() if only is None else client.discovery.served())
    leftovers = Leftovers()
    leftovers.undiscovered.extend(f"{version}: {error}" for version, error in served.failed.items())
    resources = [each for each in served.preferred_resources() if each.namespaced and "delete" in each.verbs]
    resources.sort(key=lambda each: each.gvr.group_resource != PODS)
    for resource in resources:
        of = resource.gvr.group_resource
        if only is not None and of not in only:
            continue
        try:
            await _delete_all(client, resource, namespace, leftovers, age)
        except ApiError as error:
            leftovers.fail(of, error.status.message)
        if of == PODS and leftovers.resources:
            leftovers.wait_for_pods()
            break
    if only is not None and not leftovers.hold:
        return await delete_content(client, namespace, age=age)
    return leftovers


async def _delete_all(
    client: Client, resource: ServedResource, namespace: str, leftovers: Leftovers, age: timedelta
) -> None:
    """Delete the objects of one resource, and count what remains. Raises ApiError."""
    gvr = resource.gvr
    api = client.dynamic(resource.gvk.api_version, resource.gvk.kind, namespace)
    try:
        lists = "list" in resource.verbs
        there = await _metadata(api) if lists else []
        if lists and not there:
            return
        grace = await _longest_grace(client, namespace) if gvr.group_resource == PODS else 0
        if "deletecollection" in resource.verbs:
            await api.delete_collection(propagation="Background")
        else:
            for each in there:
                with suppress(NotFound, MethodNotAllowed):
                    await api.delete(each.metadata.name, propagation="Background")
        remaining = await _metadata(api) if lists else []
    except (NotFound, MethodNotAllowed):
        # It has gone since discovery was asked.
        return
    if not remaining:
        return
    leftovers.resources[gvr.group_resource] += len(remaining)
    finalizers = Counter(finalizer for each in remaining for finalizer in each.metadata.finalizers)
    leftovers.finalizers.update(finalizers)
    if not finalizers and age.total_seconds() >= grace:
        why = f"unexpected items still remain in namespace: {namespace} for gvr: {_shown(gvr)}"
        leftovers.fail(gvr.group_resource, why)


async def _metadata(api: Api[Any]) -> list[PartialObjectMetadata]:
    return [each async for each in api.metadata().list()]


async def _longest_grace(client: Client, namespace: str) -> int:
    """Seconds that pods may take to go, those that have ended left out."""
    return max(
        [
            each.spec.termination_grace_period_seconds or 0
            async for each in client.api(Pod, namespace).list()
            if each.status.phase not in {"Succeeded", "Failed"}
        ],
        default=0,
    )


def _shown(gvr: GroupVersionResource) -> str:
    """As upstream's messages have it."""
    return f"{gvr.group}/{gvr.version}, Resource={gvr.resource}"
