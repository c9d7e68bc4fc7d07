"""Objects for tests of workloads, with what a test says and defaults for the rest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from kubewright.models.apps_v1 import Deployment, ReplicaSet
from kubewright.models.core_v1 import Pod

__all__ = ["NOW", "ago", "deployment", "pod", "replica_set", "template"]

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    """A moment before NOW."""
    return NOW - timedelta(seconds=seconds)


def template(**labels: str) -> dict[str, Any]:
    """A pod template with labels, `app: web` by default."""
    container = {"name": "c", "image": "nginx:1"}
    return {"metadata": {"labels": labels or {"app": "web"}}, "spec": {"containers": [container]}}


def pod(
    name: str = "p",
    *,
    phase: str = "Running",
    ready: datetime | None = None,
    node: str = "n1",
    created: datetime = NOW,
    restarts: int = 0,
    cost: str = "",
    deleted: datetime | None = None,
    owner: str = "",
) -> Pod:
    """A pod as the server has it; `owner` is the uid of its controller."""
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "creationTimestamp": created.isoformat(),
        "labels": {"app": "web"},
    }
    if cost:
        metadata["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
    if deleted is not None:
        metadata["deletionTimestamp"] = deleted.isoformat()
    if owner:
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": owner}
        metadata["ownerReferences"] = [{**reference, "controller": True}]
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    if ready:
        condition["lastTransitionTime"] = ready.isoformat()
    running = {"name": "c", "restartCount": restarts, "ready": True, "image": "", "imageID": ""}
    status = {"phase": phase, "conditions": [condition], "containerStatuses": [running]}
    spec = {"nodeName": node, "containers": [{"name": "c"}]}
    return Pod.from_dict({"metadata": metadata, "spec": spec, "status": status})


def replica_set(
    name: str = "web",
    *,
    replicas: int = 1,
    available: int = 0,
    annotations: dict[str, str] | None = None,
    created: datetime = NOW,
    **status: Any,
) -> ReplicaSet:
    """A ReplicaSet as the server has it."""
    counts = {"replicas": replicas, "availableReplicas": available, "readyReplicas": available}
    metadata = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "generation": 1,
        "creationTimestamp": created.isoformat(),
        "annotations": annotations or {},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template()}
    said = {"observedGeneration": 1, "terminatingReplicas": 0, **counts, **status}
    return ReplicaSet.from_dict({"metadata": metadata, "spec": spec, "status": said})


def deployment(name: str = "web", *, status: dict[str, Any] | None = None, **spec: Any) -> Deployment:
    """A Deployment of three replicas, as the server has it."""
    rolling = {"maxSurge": "25%", "maxUnavailable": "25%"}
    said = {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": template(),
        "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
        "progressDeadlineSeconds": 600,
        "revisionHistoryLimit": 10,
        **spec,
    }
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", "generation": 1}
    return Deployment.from_dict({"metadata": metadata, "spec": said, "status": status or {}})
