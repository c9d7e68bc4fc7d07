"""Claims and volumes by what they wait for, so that no change has all of them looked at."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from kubewright.cluster.volumes.classes import class_of, has_class, is_default
from kubewright.cluster.volumes.matching import wanted_by
from kubewright.cluster.volumes.names import BIND_COMPLETED
from kubewright.cluster.volumes.pods import claims_of
from kubewright.controllers.requests import Request
from kubewright.machinery.errors import NotFound
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim, Pod
from kubewright.models.storage_v1 import StorageClass

if TYPE_CHECKING:
    from kubewright.controllers.cached_client import CachedClient
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["Waiting", "volumes_for"]

_UNBOUND: Final = "unbound-of-class"
"""Of claims that were never bound: their class."""
_NAMED: Final = "volume"
"""Of claims: the volume that they name."""
_FREE: Final = "free-of-class"
"""Of volumes that no claim has: their class."""
_CLAIM: Final = "claim"
"""Of volumes: the claim that they name."""


async def volumes_for(client: CachedClient, claim: PersistentVolumeClaim) -> Sequence[PersistentVolume]:
    """The volumes that a claim may get: those of its class that are free, and those that name it."""
    volumes = client.api(PersistentVolume)
    free = await volumes.by(_FREE, class_of(claim))
    return [*await volumes.by(_CLAIM, Request.of(claim).key), *free]


class Waiting:
    """Who is to be looked at again when something changes."""

    def __init__(self, manager: Manager) -> None:
        self._manager: Final = manager
        manager.index(PersistentVolumeClaim, {_UNBOUND: _class_if_unbound, _NAMED: _named_volume})
        manager.index(PersistentVolume, {_FREE: _class_if_free, _CLAIM: _claim_of})

    async def named_by_volume(self, volume: PersistentVolume) -> list[Request]:
        """The claims that name a volume, and that which is named by it."""
        claims = await self._manager.cached.api(PersistentVolumeClaim).by(_NAMED, volume.metadata.name)
        found = [Request.of(each) for each in claims]
        reference = volume.spec.claim_ref
        return found if reference is None else [*found, Request(reference.namespace, reference.name)]

    async def for_free_volume(self, volume: PersistentVolume) -> list[Request]:
        """The claims that may want a volume that nobody has."""
        unbound = await self._manager.cached.api(PersistentVolumeClaim).by(_UNBOUND, class_of(volume))
        return [Request.of(each) for each in unbound if wanted_by(each, volume)]

    @staticmethod
    def is_free(change: Change[PersistentVolume]) -> bool:
        """Whether a volume may be had now."""
        new = change.new
        return new is not None and new.spec.claim_ref is None and new.status.phase == "Available"

    async def volumes_of_claim(self, claim: PersistentVolumeClaim) -> list[Request]:
        """The volumes that a claim names, or that name it."""
        volumes = await self._manager.cached.api(PersistentVolume).by(_CLAIM, Request.of(claim).key)
        found = [Request.of(each) for each in volumes]
        return [*found, Request("", claim.spec.volume_name)] if claim.spec.volume_name else found

    async def for_class(self, storage_class: StorageClass) -> list[Request]:
        """The claims that wait for a volume of a class, or for a default one."""
        claims = self._manager.cached.api(PersistentVolumeClaim)
        found = list(await claims.by(_UNBOUND, storage_class.metadata.name))
        if is_default(storage_class):
            found += [each for each in await claims.by(_UNBOUND, "") if not has_class(each)]
        return [Request.of(each) for each in found]

    async def for_pod(self, pod: Pod) -> list[Request]:
        """The claims of a pod that were never bound, which may have waited for it."""
        wanted = claims_of(pod)
        if not wanted:
            return []
        claims = self._manager.cached.api(PersistentVolumeClaim, pod.metadata.namespace)
        found = []
        for each in wanted:
            with suppress(NotFound):
                claim = await claims.get(each.name)
                if _class_if_unbound(claim):
                    found.append(each)
        return found

    @staticmethod
    def is_new(change: Change[Any]) -> bool:
        """Whether a pod has just come, and has no node yet."""
        return change.old is None and change.new is not None and not change.new.spec.node_name


def _class_if_unbound(claim: PersistentVolumeClaim) -> list[str]:
    return [] if BIND_COMPLETED in claim.metadata.annotations else [class_of(claim)]


def _named_volume(claim: PersistentVolumeClaim) -> list[str]:
    return [claim.spec.volume_name] if claim.spec.volume_name else []


def _class_if_free(volume: PersistentVolume) -> list[str]:
    return [class_of(volume)] if volume.spec.claim_ref is None else []


def _claim_of(volume: PersistentVolume) -> list[str]:
    reference = volume.spec.claim_ref
    return [f"{reference.namespace}/{reference.name}"] if reference is not None else []
