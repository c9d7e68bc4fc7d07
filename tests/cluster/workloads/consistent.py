"""Whether the statuses of workloads tell of what there is: if they do not, a controller has yet to come."""

from __future__ import annotations

from collections.abc import Iterable

from tests.cluster.differential import State
from tests.cluster.normalise import Plain

__all__ = ["is_consistent"]


def is_consistent(state: State) -> bool:
    """Whether all Deployments, ReplicaSets and ReplicationControllers know of their pods as they are now."""
    live = {kind: [each for each in found if not _ends(each)] for kind, found in state.items()}
    sets = live["ReplicaSet"]
    return all(_counts_pods(each, live["Pod"]) for each in (*sets, *live["ReplicationController"])) and all(
        _counts_sets(each, sets) for each in live["Deployment"]
    )


def _counts_pods(owner: Plain, pods: Iterable[Plain]) -> bool:
    """Whether it has as many pods as it wants, or says why not, and its status is about these."""
    status = owner["status"]
    mine = [pod for pod in pods if _selects(owner, pod) and not _is_over(pod)]
    failing = any(each["type"] == "ReplicaFailure" for each in status.get("conditions", []))
    return (
        _is_observed(owner)
        and status.get("replicas", 0) == len(mine)
        and status.get("readyReplicas", 0) == sum(map(_is_ready, mine))
        and (failing or len(mine) == owner["spec"].get("replicas", 1))
    )


def _counts_sets(deployment: Plain, sets: Iterable[Plain]) -> bool:
    """Whether its status is the sum of those of its ReplicaSets."""
    uid = deployment["metadata"]["uid"]
    mine = [each for each in sets if uid in _owners(each)]
    return _is_observed(deployment) and all(
        deployment["status"].get(count, 0) == sum(each["status"].get(count, 0) for each in mine)
        for count in ("replicas", "readyReplicas", "availableReplicas")
    )


def _is_observed(each: Plain) -> bool:
    return bool(each["status"].get("observedGeneration") == each["metadata"]["generation"])


def _selects(owner: Plain, pod: Plain) -> bool:
    selector = owner["spec"].get("selector", {})
    wanted = selector.get("matchLabels", {}) if owner["kind"] == "ReplicaSet" else selector
    return bool(wanted.items() <= pod["metadata"].get("labels", {}).items())


def _owners(each: Plain) -> set[str]:
    return {reference["uid"] for reference in each["metadata"].get("ownerReferences", [])}


def _ends(each: Plain) -> bool:
    return "deletionTimestamp" in each["metadata"]


def _is_over(pod: Plain) -> bool:
    return pod["status"].get("phase") in {"Failed", "Succeeded"}


def _is_ready(pod: Plain) -> bool:
    conditions = pod["status"].get("conditions", [])
    return any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)
