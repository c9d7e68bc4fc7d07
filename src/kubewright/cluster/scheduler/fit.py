"""Whether a pod may run on a node, and if not, why, in the words of kube-scheduler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from kubewright.cluster.scheduler.requests import Amounts
from kubewright.models.core_v1 import (
    Node,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    Taint,
    Toleration,
)

__all__ = [
    "Misfit",
    "Room",
    "matches_terms",
    "misfit",
    "named_nodes",
    "preference",
    "tolerates",
    "unavailable",
]

_UNSCHEDULABLE: Final = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
_HARD: Final = frozenset({"NoSchedule", "NoExecute"})

_NAME_FIELD: Final = "metadata.name"


class Room(NamedTuple):
    """What a node has."""

    free: Amounts
    """What is left of it."""
    whole: Amounts
    """What there would be without any pod."""
    ports_free: bool
    """Whether nobody has the ports that the pod wants."""


class Misfit(NamedTuple):
    """Why a pod does not fit a node."""

    reasons: list[str]
    others_are_in_the_way: bool = False
    """Whether the pod would fit if others were not there."""


def misfit(spec: PodSpec, node: Node, needed: Amounts, room: Room) -> Misfit | None:
    """Why a pod does not fit a node, by the first of kube-scheduler's filters; None when it does."""
    named = named_nodes(spec)
    if named is not None and node.metadata.name not in named:
        return Misfit(["node(s) didn't satisfy plugin(s) [NodeAffinity]"])
    if node.spec.unschedulable and not any(tolerates(each, _UNSCHEDULABLE) for each in spec.tolerations):
        return Misfit(["node(s) were unschedulable"])
    if any(taint.effect in _HARD and not _is_tolerated(spec, taint) for taint in node.spec.taints):
        return Misfit(["node(s) had untolerated taint(s)"])
    if not _selects(spec, node):
        return Misfit(["node(s) didn't match Pod's node affinity/selector"])
    if not room.ports_free:
        return Misfit(["node(s) didn't have free ports for the requested pod ports"], True)
    return _misses(needed, room)


def _misses(needed: Amounts, room: Room) -> Misfit | None:
    missing = [name for name, amount in needed.items() if amount > 0 and amount > room.free.get(name, 0)]
    if not missing:
        return None
    # The number of pods is not looked at: it is what pods take by being there.
    impossible = any(needed[name] > room.whole.get(name, 0) for name in missing if name != "pods")
    reasons = ["Too many pods" if name == "pods" else f"Insufficient {name}" for name in missing]
    return Misfit(reasons, not impossible)


def named_nodes(spec: PodSpec) -> frozenset[str] | None:
    """The nodes that the affinity of a pod asks for by their names; None where it does not."""
    found: set[str] = set()
    terms = _required(spec)
    for term in terms or ():
        names: set[str] | None = None
        for each in term.match_fields:
            if each.key == _NAME_FIELD and each.operator == "In":
                names = set(each.values) if names is None else names & set(each.values)
        if names is None:
            return None
        found |= names
    return frozenset(found) if terms else None


def preference(spec: PodSpec, node: Node) -> int:
    """How much a pod would like a node: what its affinity prefers, less for taints that are preferences."""
    tainted = sum(
        each.effect == "PreferNoSchedule" and not _is_tolerated(spec, each) for each in node.spec.taints
    )
    affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    if affinity is None:
        return -tainted
    fields = {_NAME_FIELD: node.metadata.name}
    liked = sum(
        each.weight
        for each in affinity.preferred_during_scheduling_ignored_during_execution
        if _matches(each.preference, node.metadata.labels, fields)
    )
    return liked - tainted


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether a toleration is one of a taint."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    # Those that compare numbers are behind a feature gate that is off.
    equal = toleration.operator in {"", "Equal"} and toleration.value == taint.value
    return equal and bool(toleration.key)


def unavailable(spec: PodSpec, misfits: Sequence[Misfit]) -> str:
    """What kube-scheduler says of a pod that fits no node; `misfits` are those of all nodes.

    That ends with what became of its two last resorts, of which there is none here.
    """
    if not misfits:
        return "no nodes available to schedule pods"
    head = f"0/{len(misfits)} nodes are available"
    told = _counted(reason for each in misfits for reason in each.reasons)
    if spec.preemption_policy == "Never":
        preempted = "not eligible due to preemptionPolicy=Never."
    else:
        why = _counted(_NO_VICTIMS if each.others_are_in_the_way else _NOT_HELPFUL for each in misfits)
        preempted = f"{head}: {why}."
    return f"{head}: {told}. no new claims to deallocate, preemption: {preempted}"


_NO_VICTIMS: Final = "No preemption victims found for incoming pod"
_NOT_HELPFUL: Final = "Preemption is not helpful for scheduling"


def _counted(reasons: Iterable[str]) -> str:
    return ", ".join(sorted(f"{count} {reason}" for reason, count in Counter(reasons).items()))


def _is_tolerated(spec: PodSpec, taint: Taint) -> bool:
    return any(tolerates(each, taint) for each in spec.tolerations)


def _required(spec: PodSpec) -> Sequence[NodeSelectorTerm] | None:
    """The terms of which a node has to match one; None where it has not."""
    affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    return None if required is None else required.node_selector_terms


def _selects(spec: PodSpec, node: Node) -> bool:
    labels = node.metadata.labels
    if any(labels.get(name) != value for name, value in spec.node_selector.items()):
        return False
    terms = _required(spec)
    return terms is None or matches_terms(terms, node)


def matches_terms(terms: Sequence[NodeSelectorTerm], node: Node) -> bool:
    """Whether a node matches one of some terms."""
    fields = {_NAME_FIELD: node.metadata.name}
    return any(_matches(term, node.metadata.labels, fields) for term in terms)


def _matches(term: NodeSelectorTerm, labels: Mapping[str, str], fields: Mapping[str, str]) -> bool:
    """A term without requirements selects nothing."""
    if not term.match_expressions and not term.match_fields:
        return False
    return all(_meets(each, labels) for each in term.match_expressions) and all(
        _meets(each, fields) for each in term.match_fields
    )


def _meets(requirement: NodeSelectorRequirement, values: Mapping[str, str]) -> bool:
    value, wanted = values.get(requirement.key), requirement.values
    match requirement.operator:
        case "In":
            return value in wanted
        case "NotIn":
            return value not in wanted
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return _compares(value, wanted, greater=requirement.operator == "Gt")


def _compares(value: str | None, wanted: Sequence[str], *, greater: bool) -> bool:
    try:
        found, bound = int(value or ""), int(wanted[0])
    except (ValueError, IndexError):
        return False
    return found > bound if greater else found < bound
