"""Which pods go first when there are too many: upstream's order, ActivePodsWithRanks."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cmp_to_key
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.cluster.workloads.pods import is_active, is_ready, ready_since

if TYPE_CHECKING:
    from kubewright.models.core_v1 import Pod

__all__ = ["deletion_cost", "pods_to_delete"]

_COST: Final = "controller.kubernetes.io/pod-deletion-cost"

_COST_FORM: Final = re.compile(r"0|[1-9][0-9]{0,9}|-[0-9]{1,64}", re.ASCII)
"""What upstream reads as a cost: no plus sign, and zeros in front only after a minus sign."""

_COSTS: Final = range(-(2**31), 2**31)

_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}
"""Upstream's order; a phase that is none of these counts as the first."""


def pods_to_delete(pods: Sequence[Pod], related: Iterable[Pod], count: int, now: datetime) -> list[Pod]:
    """Choose `count` of the pods.

    `related` are the pods of the same Deployment, of which those that share a node with a pod count against
    it; none for what no Deployment controls. Pods of about the same age, on a logarithmic scale, are taken in
    the order of their uids, which is as good as random.
    """
    if count >= len(pods):
        return list(pods)
    neighbours = Counter(pod.spec.node_name for pod in related if is_active(pod))
    ranked = [_Ranked.of(pod, neighbours, now) for pod in pods]
    ranked.sort(key=cmp_to_key(_compare))
    return [each.pod for each in ranked[:count]]


def deletion_cost(pod: Pod) -> int:
    """What its annotation says, and 0 where that is no number."""
    said = pod.metadata.annotations.get(_COST, "")
    cost = int(said) if _COST_FORM.fullmatch(said) else 0
    return cost if cost in _COSTS else 0


class _Ranked(NamedTuple):
    pod: Pod
    first: tuple[bool, int, bool, int, int]
    """What counts before all times: assigned, phase, ready, cost, neighbours."""
    ready: datetime | None
    ready_rank: int
    restarts: tuple[int, int]
    created: datetime | None
    created_rank: int

    @classmethod
    def of(cls, pod: Pod, neighbours: Counter[str], now: datetime) -> _Ranked:
        node = pod.spec.node_name
        phase = _PHASES.get(pod.status.phase, 0)
        since, created = ready_since(pod), pod.metadata.creation_timestamp
        return cls(
            pod,
            (bool(node), phase, is_ready(pod), deletion_cost(pod), -neighbours[node]),
            since,
            _age_rank(since, now),
            _restarts(pod),
            created,
            _age_rank(created, now),
        )


def _compare(one: _Ranked, other: _Ranked) -> int:
    if one.first != other.first:
        return -1 if one.first < other.first else 1
    both_ready = one.first[2]
    if both_ready and one.ready != other.ready:
        return _compare_ages(one, other, one.ready, other.ready, one.ready_rank - other.ready_rank)
    if one.restarts != other.restarts:
        return -1 if one.restarts > other.restarts else 1
    if one.created != other.created:
        return _compare_ages(one, other, one.created, other.created, one.created_rank - other.created_rank)
    return 0


def _compare_ages(
    one: _Ranked, other: _Ranked, began: datetime | None, other_began: datetime | None, difference: int
) -> int:
    """The younger first, and one of unknown age before all."""
    if began is None or other_began is None:
        return -1 if began is None else 1
    if difference:
        return difference
    return -1 if one.pod.metadata.uid < other.pod.metadata.uid else 1


def _age_rank(began: datetime | None, now: datetime) -> int:
    """The logarithm of an age in nanoseconds, as a whole number."""
    age = (now - began).total_seconds() if began is not None else 0.0
    return int(math.log2(age * 1e9)) if age > 0 else -1


def _restarts(pod: Pod) -> tuple[int, int]:
    """The most restarts of a container, and of a sidecar."""
    containers = max((each.restart_count for each in pod.status.container_statuses), default=0)
    sidecars = {each.name for each in pod.spec.init_containers if each.restart_policy == "Always"}
    started = [each for each in pod.status.init_container_statuses if each.name in sidecars]
    return containers, max((each.restart_count for each in started), default=0)
