"""Which pods use which claims."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kubewright.controllers.requests import Request
from kubewright.models.core_v1 import PersistentVolumeClaim, Pod, Volume

if TYPE_CHECKING:
    from kubewright.controllers.cached_client import CachedClient
    from kubewright.controllers.manager import Manager

__all__ = ["claim_name", "claims_of", "index_pods_by_claim", "pods_using"]

_INDEX: Final = "claims"


def claim_name(pod: Pod, volume: Volume) -> str:
    """The name of the claim of a pod's volume, its own or that which is made for it; empty for none."""
    if volume.persistent_volume_claim is not None:
        return volume.persistent_volume_claim.claim_name
    return f"{pod.metadata.name}-{volume.name}" if volume.ephemeral is not None else ""


def claims_of(pod: Pod) -> list[Request]:
    """The claims that a pod uses."""
    names = (claim_name(pod, volume) for volume in pod.spec.volumes)
    return [Request(pod.metadata.namespace, name) for name in names if name]


def index_pods_by_claim(manager: Manager) -> None:
    """Have pods indexed for `pods_using`; several controllers may ask for it."""
    with suppress(ValueError):
        # Another controller has asked before.
        manager.index(Pod, {_INDEX: lambda pod: [claim.key for claim in claims_of(pod)]})


async def pods_using(client: CachedClient, claim: PersistentVolumeClaim) -> Sequence[Pod]:
    """The pods that use a claim, by name."""
    found = await client.api(Pod, claim.metadata.namespace).by(_INDEX, Request.of(claim).key)
    return sorted(found, key=lambda pod: pod.metadata.name)
