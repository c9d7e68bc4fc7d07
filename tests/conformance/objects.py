"""Small objects of the kinds that the tests use."""

from __future__ import annotations

import copy
from typing import Any

__all__ = ["config_map", "deployment", "event", "lease", "metadata", "node", "pod", "service"]


def metadata(name: str, **fields: Any) -> dict[str, Any]:
    """Metadata with a name, and whatever else."""
    return {"name": name, **fields}


def config_map(name: str, data: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    """A ConfigMap; `fields` go to its metadata."""
    made: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, **fields)}
    return made if data is None else {**made, "data": data}


def pod(name: str, spec: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A pod with one container; `spec` is laid over its spec, `fields` go to its metadata."""
    base: dict[str, Any] = {"containers": [{"name": "main", "image": "example.com/main:1"}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata(name, **fields),
        "spec": {**base, **copy.deepcopy(spec or {})},
    }


def deployment(name: str, replicas: int | None = None, **fields: Any) -> dict[str, Any]:
    """A deployment of one container; `fields` go to its metadata."""
    spec: dict[str, Any] = {
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]},
        },
    }
    if replicas is not None:
        spec["replicas"] = replicas
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(name, **fields), "spec": spec}


def service(name: str, **fields: Any) -> dict[str, Any]:
    """A headless service with one port; `fields` go to its metadata."""
    spec = {"clusterIP": "None", "selector": {"app": name}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(name, **fields), "spec": spec}


def lease(name: str, **fields: Any) -> dict[str, Any]:
    """A lease held by "me"; `fields` go to its metadata."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": metadata(name, **fields),
        "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15},
    }


def node(name: str, **fields: Any) -> dict[str, Any]:
    """A node; `fields` go to its metadata."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata(name, **fields)}


def event(name: str, namespace: str) -> dict[str, Any]:
    """An event about a pod that need not be there."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": metadata(name),
        "involvedObject": {"namespace": namespace, "kind": "Pod", "name": "somebody"},
        "reason": "Tested",
        "type": "Normal",
    }
