"""What scenarios of claims and volumes are made of: objects, what is done with them, what is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from kubewright.client.client import Client
from kubewright.machinery.errors import ApiError
from tests.cluster.differential import Side, State, Step, created, patched, settled
from tests.cluster.normalise import Plain

__all__ = [
    "BOUND",
    "CLAIM",
    "KINDS",
    "LOCAL",
    "ON_A_NODE",
    "ON_VOLUMES_NODE",
    "RWO",
    "RWX",
    "asks_for",
    "available",
    "claim",
    "forced",
    "is_refused",
    "made",
    "node",
    "offered",
    "pod",
    "scheduled",
    "storage_class",
    "until",
    "volume",
]

KINDS: Final = ("PersistentVolumeClaim", "PersistentVolume", "ConfigMap")
RWO: Final = ["ReadWriteOnce"]
RWX: Final = ["ReadWriteMany"]

_NOWHERE: Final = "/tmp/there-is-no-such-volume"  # noqa: S108 - upstream deletes no other paths
_PATIENCE: Final = 60.0
"""Seconds that anything may take on a busy machine."""


def claim(name: str, size: str = "1Gi", *, modes: Sequence[str] = RWO, **spec: Any) -> Plain:
    """A claim; None as its class is that it says nothing of it."""
    metadata: Plain = {"name": name}
    if "annotations" in spec:
        metadata["annotations"] = spec.pop("annotations")
    wanted = {"accessModes": list(modes), "resources": {"requests": {"storage": size}}}
    spec = {"storageClassName": "<namespace>", **wanted, **spec}
    if spec["storageClassName"] is None:
        del spec["storageClassName"]
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def volume(name: str, size: str = "1Gi", *, modes: Sequence[str] = RWO, **spec: Any) -> Plain:
    metadata: Plain = {"name": name, "labels": spec.pop("labels", {})}
    wanted = {"accessModes": list(modes), "capacity": {"storage": size}}
    source = {} if {"nfs", "local"} & set(spec) else {"hostPath": {"path": _NOWHERE}}
    spec = {
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": "<namespace>",
        **source,
        **wanted,
        **spec,
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}


def storage_class(name: str, provisioner: str, **fields: Any) -> Plain:
    metadata: Plain = {"name": name}
    if fields.pop("default", False):
        metadata["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": metadata}
    return {**head, "provisioner": provisioner, **fields}


def pod(name: str, claim_name: str, **spec: Any) -> Plain:
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}]
    spec = {"containers": [{"name": "c", "image": "i"}], "volumes": volumes, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def made(*objects: Plain) -> Step:
    """Created; `<namespace>` in them is that of the side."""

    async def step(side: Side) -> None:
        await created([_placed(each, side.namespace) for each in objects])(side)

    return step


def offered(*classes: Plain) -> Step:
    """Classes that controllers know of: of a claim that is seen before its class, a real cluster tells so."""

    async def step(side: Side) -> None:
        await created(classes)(side)
        for each in classes:
            await _known(side.client, each["metadata"]["name"])

    return step


async def _known(client: Client, name: str) -> None:
    """Wait until controllers say something else of a claim than that there is no such class."""
    asking = f"asks-for-{name}"
    claims, events = (client.dynamic("v1", kind, "default") for kind in ("PersistentVolumeClaim", "Event"))
    await claims.create(claim(asking, storageClassName=name))
    async with asyncio.timeout(_PATIENCE):
        while not any(  # noqa: ASYNC110 - there is no event
            each["involvedObject"]["name"] == asking and "not found" not in each["message"]
            for each in [each.to_dict() async for each in events.list()]
        ):
            await asyncio.sleep(0.1)
    await claims.delete(asking)


def _placed(value: Any, namespace: str) -> Any:
    if isinstance(value, dict):
        return {key: _placed(inner, namespace) for key, inner in value.items()}
    if isinstance(value, list):
        return [_placed(inner, namespace) for inner in value]
    return namespace if value == "<namespace>" else value


def until(*phases: str, events: Sequence[str] = ()) -> Step:
    """Settled, when there are claims and volumes of these phases (`Bound`, `volume Bound`), and events."""

    def met(state: State) -> bool:
        found = [each.get("status", {}).get("phase") for each in state["PersistentVolumeClaim"]]
        found += [f"volume {each.get('status', {}).get('phase')}" for each in state["PersistentVolume"]]
        told = {each.get("reason") for each in state["Event"]}
        return sorted(map(str, found)) == sorted(phases) and told.issuperset(events)

    return settled(kinds=KINDS, until=met)


def forced(kind: str, name: str) -> Step:
    """The finalizers of an object are taken away."""
    return patched(kind, name, {"metadata": {"finalizers": None}})


def asks_for(name: str, size: str) -> Step:
    return patched("PersistentVolumeClaim", name, {"spec": {"resources": {"requests": {"storage": size}}}})


def is_refused(what: Step, named: str) -> Step:
    """Something that is not done; why not is written down in a ConfigMap, to be compared."""

    async def step(side: Side) -> None:
        try:
            await what(side)
            why = "it is not refused"
        except ApiError as error:
            why = str(error)
        note = {"kind": "ConfigMap", "metadata": {"name": named}, "data": {"why": why}}
        await created([note])(side)

    return step


def node(name: str) -> Plain:
    """A node that only pods can have that tolerate everything."""
    taints = [{"key": "volumes", "effect": "NoSchedule"}]
    status = {"allocatable": {"pods": "10"}, "capacity": {"pods": "10"}}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": {"taints": taints},
        "status": status,
    }


def scheduled(name: str, node_name: str) -> Step:
    """Wait until a pod has a node."""

    async def step(side: Side) -> None:
        await side.api("Pod").wait_for(
            name, lambda found: found["spec"].get("nodeName") == node_name, timeout=_PATIENCE
        )

    return step


CLAIM: Final = {"namespace": "<namespace>", "name": "data"}
BOUND: Final = {"pv.kubernetes.io/bind-completed": "yes"}
LOCAL: Final = {"path": "/srv"}


def _on(key: str, value: str) -> Plain:
    expression = {"key": key, "operator": "In", "values": [value]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


ON_A_NODE: Final = _on("x", "y")
ON_VOLUMES_NODE: Final = _on("kubernetes.io/hostname", "volumes-node")


def available(*volumes: Plain) -> list[Step]:
    """Volumes that are seen: of a claim that is seen before its volume, a real cluster tells a failure."""
    return [made(*volumes), until(*["volume Available"] * len(volumes))]
