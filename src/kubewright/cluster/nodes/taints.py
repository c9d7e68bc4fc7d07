"""The taints and labels that a node should have by what is known of it and of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final

from kubewright.models.core_v1 import Node, Taint

__all__ = ["OUT_OF_SERVICE", "is_ready", "may_evict", "missing_labels", "taints_of"]

OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"
"""The taint by which people say that a node is down for good."""

_TAINTS: Final = {
    ("Ready", "False"): "node.kubernetes.io/not-ready",
    ("Ready", "Unknown"): "node.kubernetes.io/unreachable",
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}
"""The taint that goes with each condition that is not as it should be."""

_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_OURS: Final = frozenset({*_TAINTS.values(), _UNSCHEDULABLE})
_EXECUTE: Final = frozenset({_TAINTS["Ready", "False"], _TAINTS["Ready", "Unknown"]})
"""Those that also drive pods away."""

_UNHEALTHY: Final = 0.55
"""The part of a zone that has to be down for that to be no matter of single nodes any more; upstream's
--unhealthy-zone-threshold."""
_FEW: Final = 2
"""So many nodes that are down are never a matter of the zone."""
_LARGE: Final = 50
"""Zones with more nodes are evicted from even then; upstream's --large-cluster-size-threshold."""

_ZONE: Final = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
_NOT_COUNTED: Final = "node.kubernetes.io/exclude-disruption"

_FOLLOWING: Final = {
    "kubernetes.io/os": "beta.kubernetes.io/os",
    "kubernetes.io/arch": "beta.kubernetes.io/arch",
}
"""Labels, and the older ones that are to say the same."""


def is_ready(node: Node) -> bool:
    """Whether a node says that it is ready."""
    return any(each.type == "Ready" and each.status == "True" for each in node.status.conditions)


def taints_of(node: Node, now: datetime, *, evict: bool | None) -> list[Taint]:
    """The taints that a node should have: those of its conditions, and those that others gave it.

    `evict` says whether pods are driven away from it when it is not ready; None is not only no, but those
    that are being driven away may stay.
    """
    wanted: dict[tuple[str, str], Taint] = {
        (key, "NoSchedule"): Taint(key=key, effect="NoSchedule", time_added=now) for key in _keys(node)
    }
    for key in _keys(node):
        if key in _EXECUTE and _drives(node, evict=evict):
            wanted[key, "NoExecute"] = Taint(key=key, effect="NoExecute", time_added=now)
    kept = []
    for taint in node.spec.taints:
        same = wanted.pop((taint.key, taint.effect), None)
        if same is not None or not _is_ours(taint):
            kept.append(taint)
    return [*kept, *wanted.values()]


def _is_ours(taint: Taint) -> bool:
    if taint.effect == "NoSchedule":
        return taint.key in _OURS
    return taint.effect == "NoExecute" and taint.key in _EXECUTE


def _keys(node: Node) -> list[str]:
    found = [(each.type, each.status) for each in node.status.conditions]
    unschedulable = [_UNSCHEDULABLE] if node.spec.unschedulable else []
    return [*(_TAINTS[each] for each in found if each in _TAINTS), *unschedulable]


def _drives(node: Node, *, evict: bool | None) -> bool:
    if evict is None:
        return False
    there = any(each.key in _EXECUTE and each.effect == "NoExecute" for each in node.spec.taints)
    return evict or there


def may_evict(
    node: Node, others: Sequence[Node], *, is_ready: Callable[[Node], bool] = is_ready
) -> bool | None:
    """Whether pods are driven away from a node that is not ready, by how the others are.

    None when no node at all is ready, which says more of the network than of nodes. False when too many of
    its zone are not; what has begun goes on then.
    """
    counted = [each for each in (node, *others) if _NOT_COUNTED not in each.metadata.labels]
    if not any(is_ready(each) for each in counted):
        return None
    zone = _zone(node)
    mine = [each for each in counted if _zone(each) == zone]
    down = _count(not is_ready(each) for each in mine)
    if down == len(mine):
        return True
    return down <= _FEW or down / len(mine) < _UNHEALTHY or len(mine) > _LARGE


def missing_labels(node: Node) -> dict[str, str]:
    """The labels that do not say what those say that they follow."""
    labels = node.metadata.labels
    return {
        follower: labels[name]
        for name, follower in _FOLLOWING.items()
        if name in labels and labels.get(follower) != labels[name]
    }


def _zone(node: Node) -> tuple[str, ...]:
    return tuple(node.metadata.labels.get(each, "") for each in _ZONE)


def _count(values: Iterable[bool]) -> int:
    return sum(values)
