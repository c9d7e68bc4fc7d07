"""What is done to claims and volumes on both clusters; each scenario has a namespace of its own.

Volumes and classes have no namespace: their names are those of one scenario alone. Unless a class is named,
that of claims and volumes is called as the namespace is, and not there: no scenario gets another's volumes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kubewright.client.client import Client
from kubewright.machinery.errors import ApiError
from tests.cluster.differential import Side, State, Step, created, deleted, patched, settled
from tests.cluster.normalise import Plain

__all__ = ["KINDS", "SCENARIOS"]

KINDS: Final = ("PersistentVolumeClaim", "PersistentVolume", "ConfigMap")

_NOWHERE: Final = "/tmp/there-is-no-such-volume"  # noqa: S108 - upstream deletes no other paths
_PATIENCE: Final = 60.0
"""Seconds that anything may take on a busy machine."""
_RWO: Final = ["ReadWriteOnce"]
_RWX: Final = ["ReadWriteMany"]


def claim(name: str, size: str = "1Gi", *, modes: Sequence[str] = _RWO, **spec: Any) -> Plain:
    """A claim; None as its class is that it says nothing of it."""
    metadata: Plain = {"name": name}
    if "annotations" in spec:
        metadata["annotations"] = spec.pop("annotations")
    wanted = {"accessModes": list(modes), "resources": {"requests": {"storage": size}}}
    spec = {"storageClassName": "<namespace>", **wanted, **spec}
    if spec["storageClassName"] is None:
        del spec["storageClassName"]
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def volume(name: str, size: str = "1Gi", *, modes: Sequence[str] = _RWO, **spec: Any) -> Plain:
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


_CLAIM: Final = {"namespace": "<namespace>", "name": "data"}
_BOUND: Final = {"pv.kubernetes.io/bind-completed": "yes"}
_LOCAL: Final = {"path": "/srv"}


def _on(key: str, value: str) -> Plain:
    expression = {"key": key, "operator": "In", "values": [value]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


_ON_A_NODE: Final = _on("x", "y")
_ON_VOLUMES_NODE: Final = _on("kubernetes.io/hostname", "volumes-node")


def _available(*volumes: Plain) -> list[Step]:
    """Volumes that are seen: of a claim that is seen before its volume, a real cluster tells a failure."""
    return [made(*volumes), until(*["volume Available"] * len(volumes))]


SCENARIOS: Final[Mapping[str, Mapping[str, Sequence[Step]]]] = {
    "no class": {
        "waits": [made(claim("data", storageClassName=None)), until("Pending", events=["FailedBinding"])],
        "binds a volume of no class": [
            made(volume("late", storageClassName="")),
            until("Bound", "volume Bound"),
        ],
        "gets a default class that comes late": [
            made(claim("more", storageClassName=None)),
            until("Bound", "Pending", "volume Bound"),
            made(storage_class("usual", "example.com/disks", default=True)),
            until("Bound", "Pending", "volume Bound", events=["ExternalProvisioning"]),
            made(claim("next", storageClassName=None), claim("none", storageClassName="")),
            until("Bound", "Pending", "Pending", "Pending", "volume Bound"),
        ],
    },
    "a class that is not there": {
        "waits": [
            made(claim("data", storageClassName="coming")),
            until("Pending", events=["ProvisioningFailed"]),
        ],
        "and comes": [
            made(storage_class("coming", "example.com/disks")),
            until("Pending", events=["ExternalProvisioning"]),
        ],
    },
    "the smallest that is large enough": {
        "volumes": [
            made(volume("small", "500Mi"), volume("large", "5Gi"), volume("right", "2Gi")),
            until(*["volume Available"] * 3),
        ],
        "bound": [made(claim("data")), until("Bound", "volume Bound", *["volume Available"] * 2)],
        "released": [
            deleted("PersistentVolumeClaim", "data"),
            until("volume Released", *["volume Available"] * 2),
        ],
        "not for one of the same name": [
            made(claim("data", "4Gi")),
            until("Bound", "volume Released", "volume Bound", "volume Available"),
        ],
    },
    "access modes": {
        "volumes": [
            made(
                volume("modes-once"),
                volume("modes-both", "3Gi", modes=[*_RWO, *_RWX]),
                volume("modes-many", "5Gi", modes=_RWX),
            ),
            until(*["volume Available"] * 3),
        ],
        "the fewest": [
            made(claim("data", modes=_RWX)),
            until("Bound", "volume Bound", *["volume Available"] * 2),
        ],
        "whose size is changed by hand": [
            patched("PersistentVolume", "modes-many", {"spec": {"capacity": {"storage": "6Gi"}}}),
            until("Bound", "volume Bound", *["volume Available"] * 2),
        ],
    },
    "selector and volumeMode": {
        "volumes": [
            made(
                volume("mode-block", volumeMode="Block"),
                volume("mode-labelled", "3Gi", labels={"tier": "gold"}),
                volume("mode-other", "2Gi", labels={"tier": "iron"}),
            ),
            until(*["volume Available"] * 3),
        ],
        "bound": [
            made(
                claim("block", volumeMode="Block"), claim("gold", selector={"matchLabels": {"tier": "gold"}})
            ),
            until("Bound", "Bound", "volume Bound", "volume Bound", "volume Available"),
        ],
        "none that is left": [
            made(claim("none", volumeMode="Block")),
            until(
                "Bound",
                "Bound",
                "Pending",
                "volume Bound",
                "volume Bound",
                "volume Available",
                events=["ProvisioningFailed"],
            ),
        ],
    },
    "a volume that is meant for a claim": {
        "volumes": [
            made(volume("meant", "3Gi", claimRef=_CLAIM), volume("smaller")),
            until(*["volume Available"] * 2),
        ],
        "bound": [made(claim("data")), until("Bound", "volume Bound", "volume Available")],
        "released": [
            deleted("PersistentVolumeClaim", "data"),
            until("volume Released", "volume Available"),
        ],
    },
    "a claim that names a volume": {
        "that is not there": [made(claim("data", volumeName="named")), until("Pending")],
        "that comes": [made(volume("named", "5Gi")), until("Bound", "volume Bound")],
        "that is another's": [
            made(claim("second", volumeName="named")),
            until("Bound", "Pending", "volume Bound", events=["FailedBinding"]),
        ],
    },
    "a claim that names a volume that is not for it": {
        "volumes": [
            made(
                volume("unfit-small", "500Mi"),
                volume("unfit-class", storageClassName="other"),
                volume("unfit-block", volumeMode="Block"),
                volume("unfit-modes", modes=_RWX),
            ),
            until(*["volume Available"] * 4),
        ],
        "told": [
            made(
                claim("small", volumeName="unfit-small"),
                claim("class", volumeName="unfit-class"),
                claim("block", volumeName="unfit-block"),
                claim("modes", volumeName="unfit-modes"),
            ),
            until(*["Pending"] * 4, *["volume Available"] * 4, events=["VolumeMismatch"]),
        ],
    },
    "a volume that is taken away": {
        "bound": [*_available(volume("taken")), made(claim("data")), until("Bound", "volume Bound")],
        "held": [deleted("PersistentVolume", "taken"), until("Bound", "volume Bound")],
        "lost": [forced("PersistentVolume", "taken"), until("Lost", events=["ClaimLost"])],
    },
    "claims that were bound elsewhere": {
        "volumes": [made(volume("restored")), until("volume Available")],
        "one is bound again, one is not": [
            made(claim("data", volumeName="restored", annotations=_BOUND)),
            until("Bound", "volume Bound"),
            made(claim("second", volumeName="restored", annotations=_BOUND)),
            made(claim("third", annotations=_BOUND)),
            until("Bound", "Lost", "Lost", "volume Bound", events=["ClaimLost", "ClaimMisbound"]),
        ],
    },
    "reclaiming": {
        "bound": [
            *_available(
                volume("deleted", persistentVolumeReclaimPolicy="Delete", claimRef={**_CLAIM, "name": "a"}),
                volume(
                    "undeletable",
                    persistentVolumeReclaimPolicy="Delete",
                    hostPath={"path": "/srv"},
                    claimRef={**_CLAIM, "name": "b"},
                ),
                volume(
                    "remote",
                    persistentVolumeReclaimPolicy="Delete",
                    nfs={"server": "s", "path": "/"},
                    claimRef={**_CLAIM, "name": "c"},
                ),
                volume(
                    "on-a-node",
                    persistentVolumeReclaimPolicy="Delete",
                    local=_LOCAL,
                    nodeAffinity=_ON_A_NODE,
                    claimRef={**_CLAIM, "name": "d"},
                ),
                volume(
                    "unrecyclable",
                    persistentVolumeReclaimPolicy="Recycle",
                    local=_LOCAL,
                    nodeAffinity=_ON_A_NODE,
                    claimRef={**_CLAIM, "name": "e"},
                ),
            ),
            made(*(claim(name) for name in "abcde")),
            until(*["Bound"] * 5, *["volume Bound"] * 5),
        ],
        "gone or failed": [
            *(deleted("PersistentVolumeClaim", name) for name in "abcde"),
            until(*["volume Failed"] * 4),
        ],
    },
    "somebody else's provisioner": {
        "waits": [
            offered(storage_class("others", "example.com/disks")),
            made(claim("data", storageClassName="others")),
            until("Pending", events=["ExternalProvisioning"]),
        ],
        "who has made a volume": [
            made(
                volume("others-volume", storageClassName="others", claimRef=_CLAIM),
            ),
            until("Bound", "volume Bound"),
        ],
    },
    "no provisioner": {
        "waits": [
            offered(storage_class("by-hand", "kubernetes.io/no-provisioner")),
            made(claim("data", storageClassName="by-hand")),
            until("Pending", events=["ProvisioningFailed"]),
        ],
    },
    "a class that waits for a consumer": {
        "waits": [
            offered(storage_class("later", "example.com/disks", volumeBindingMode="WaitForFirstConsumer")),
            made(volume("later-volume", storageClassName="later"), claim("data", storageClassName="later")),
            until("Pending", "volume Available", events=["WaitForFirstConsumer"]),
        ],
        "for a pod to be scheduled": [
            made(pod("web", "data")),
            until("Pending", "volume Available", events=["WaitForPodScheduled"]),
        ],
    },
    # A scenario of its own: the real cluster tells that the claim waits whenever it looks at it, and tells
    # nothing more of an object of which it has told 25 times within minutes.
    "a class whose consumer is known": {
        "waits": [
            offered(storage_class("known", "example.com/disks", volumeBindingMode="WaitForFirstConsumer")),
            made(volume("known-volume", storageClassName="known"), claim("data", storageClassName="known")),
            until("Pending", "volume Available", events=["WaitForFirstConsumer"]),
        ],
        "that the scheduler has in mind": [
            patched(
                "PersistentVolumeClaim",
                "data",
                {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n"}}},
            ),
            until("Pending", "volume Available", events=["ExternalProvisioning"]),
        ],
    },
    "a pod for whose volumes the scheduler looks": {
        "the node that has one": [
            offered(
                storage_class(
                    "local", "kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer"
                ),
            ),
            made(
                node("volumes-node"),
                volume("local-elsewhere", storageClassName="local", nodeAffinity=_ON_A_NODE, local=_LOCAL),
                volume(
                    "local-large",
                    "9Gi",
                    storageClassName="local",
                    nodeAffinity=_ON_VOLUMES_NODE,
                    local=_LOCAL,
                ),
                volume(
                    "local-right",
                    "2Gi",
                    storageClassName="local",
                    nodeAffinity=_ON_VOLUMES_NODE,
                    local=_LOCAL,
                ),
                claim("data", storageClassName="local"),
            ),
            until("Pending", *["volume Available"] * 3, events=["WaitForFirstConsumer"]),
            made(pod("web", "data", tolerations=[{"operator": "Exists"}])),
            scheduled("web", "volumes-node"),
            until("Bound", "volume Bound", *["volume Available"] * 2),
        ],
        "the node where one is wanted": [
            offered(
                storage_class("made-late", "example.com/disks", volumeBindingMode="WaitForFirstConsumer")
            ),
            made(
                claim("late", storageClassName="made-late"),
                pod("next", "late", tolerations=[{"operator": "Exists"}]),
            ),
            until(
                "Bound", "Pending", "volume Bound", *["volume Available"] * 2, events=["ExternalProvisioning"]
            ),
            made(volume("late-volume", storageClassName="made-late", claimRef={**_CLAIM, "name": "late"})),
            scheduled("next", "volumes-node"),
            until("Bound", "Bound", *["volume Bound", "volume Available"] * 2),
        ],
    },
    "a claim that a pod uses": {
        "bound": [
            *_available(volume("used")),
            made(claim("data")),
            until("Bound", "volume Bound"),
            made(pod("web", "data", nodeName="absent"), pod("waiting", "unbound"), claim("unbound", "9Gi")),
            until("Bound", "Pending", "volume Bound", events=["ProvisioningFailed"]),
        ],
        "is held, but not by a pod without a node": [
            deleted("PersistentVolumeClaim", "data"),
            deleted("PersistentVolumeClaim", "unbound"),
            until("Bound", "volume Bound"),
        ],
        "is gone with the pod": [deleted("Pod", "web", grace_period=0), until("volume Released")],
    },
    "growth of what nobody here can let grow": {
        "bound": [
            made(
                storage_class("growing", "example.com/disks", allowVolumeExpansion=True),
                volume("growing-volume", storageClassName="growing", claimRef=_CLAIM),
            ),
            until("volume Available"),
            made(claim("data", storageClassName="growing")),
            until("Bound", "volume Bound"),
        ],
        "told": [
            asks_for("data", "2Gi"),
            until("Bound", "volume Bound", events=["ExternalExpanding"]),
            is_refused(asks_for("data", "500Mi"), "less"),
        ],
    },
    "growth that is not allowed": {
        "refused": [
            made(
                storage_class("fixed", "example.com/disks"),
                volume("fixed-volume", storageClassName="fixed"),
            ),
            until("volume Available"),
            made(claim("data", storageClassName="fixed"), claim("unbound")),
            until("Bound", "Pending", "volume Bound"),
            is_refused(asks_for("data", "2Gi"), "fixed"),
            is_refused(asks_for("unbound", "2Gi"), "unbound"),
        ],
    },
}
