"""What controllers want to know of a pod: whether it counts, whether it is ready, and since when."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubewright.models.core_v1 import Pod, PodCondition

__all__ = [
    "is_active",
    "is_available",
    "is_ready",
    "is_terminal",
    "is_terminating",
    "next_availability",
    "ready_since",
]

_ENDED: Final = frozenset({"Succeeded", "Failed"})


def is_terminal(pod: Pod) -> bool:
    """Whether its containers have ended for good."""
    return pod.status.phase in _ENDED


def is_active(pod: Pod) -> bool:
    """Whether it counts as a replica: it has not ended, and nobody deletes it."""
    return pod.metadata.deletion_timestamp is None and not is_terminal(pod)


def is_terminating(pod: Pod) -> bool:
    """Whether it is being deleted and has not ended yet."""
    return pod.metadata.deletion_timestamp is not None and not is_terminal(pod)


def is_ready(pod: Pod) -> bool:
    """Whether it says that it is ready."""
    return _ready(pod) is not None


def ready_since(pod: Pod) -> datetime | None:
    """When it became ready; None when it is not, and when it does not say."""
    condition = _ready(pod)
    return condition.last_transition_time if condition is not None else None


def is_available(pod: Pod, min_ready_seconds: int, now: datetime) -> bool:
    """Whether it has been ready for so long that it counts on."""
    if min_ready_seconds <= 0:
        return is_ready(pod)
    since = ready_since(pod)
    return since is not None and (now - since).total_seconds() >= min_ready_seconds


def next_availability(pods: Iterable[Pod], min_ready_seconds: int, now: datetime) -> float | None:
    """In how many seconds the next of the ready pods becomes available; None when all of them are."""
    if min_ready_seconds <= 0:
        return None
    # Not by the date of the end: what a status tells may be the last date that there is.
    waits = [min_ready_seconds - (now - since).total_seconds() for pod in pods if (since := ready_since(pod))]
    return min((wait for wait in waits if wait > 0), default=None)


def _ready(pod: Pod) -> PodCondition | None:
    for condition in pod.status.conditions:
        if condition.type == "Ready":
            return condition if condition.status == "True" else None
    return None
