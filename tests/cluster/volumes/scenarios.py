"""What is done to claims and volumes on both clusters; each scenario has a namespace of its own.

Volumes and classes have no namespace: their names are those of one scenario alone. Unless a class is named,
that of claims and volumes is called as the namespace is, and not there: no scenario gets another's volumes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tests.cluster.differential import Step, deleted, patched
from tests.cluster.volumes.steps import (
    BOUND,
    CLAIM,
    LOCAL,
    ON_A_NODE,
    ON_VOLUMES_NODE,
    RWO,
    RWX,
    asks_for,
    available,
    claim,
    forced,
    is_refused,
    made,
    node,
    offered,
    pod,
    scheduled,
    storage_class,
    until,
    volume,
)

__all__ = ["SCENARIOS"]

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
                volume("modes-both", "3Gi", modes=[*RWO, *RWX]),
                volume("modes-many", "5Gi", modes=RWX),
            ),
            until(*["volume Available"] * 3),
        ],
        "the fewest": [
            made(claim("data", modes=RWX)),
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
            made(volume("meant", "3Gi", claimRef=CLAIM), volume("smaller")),
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
                volume("unfit-modes", modes=RWX),
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
        "bound": [*available(volume("taken")), made(claim("data")), until("Bound", "volume Bound")],
        "held": [deleted("PersistentVolume", "taken"), until("Bound", "volume Bound")],
        "lost": [forced("PersistentVolume", "taken"), until("Lost", events=["ClaimLost"])],
    },
    "claims that were bound elsewhere": {
        "volumes": [made(volume("restored")), until("volume Available")],
        "one is bound again, one is not": [
            made(claim("data", volumeName="restored", annotations=BOUND)),
            until("Bound", "volume Bound"),
            made(claim("second", volumeName="restored", annotations=BOUND)),
            made(claim("third", annotations=BOUND)),
            until("Bound", "Lost", "Lost", "volume Bound", events=["ClaimLost", "ClaimMisbound"]),
        ],
    },
    "reclaiming": {
        "bound": [
            *available(
                volume("deleted", persistentVolumeReclaimPolicy="Delete", claimRef={**CLAIM, "name": "a"}),
                volume(
                    "undeletable",
                    persistentVolumeReclaimPolicy="Delete",
                    hostPath={"path": "/srv"},
                    claimRef={**CLAIM, "name": "b"},
                ),
                volume(
                    "remote",
                    persistentVolumeReclaimPolicy="Delete",
                    nfs={"server": "s", "path": "/"},
                    claimRef={**CLAIM, "name": "c"},
                ),
                volume(
                    "on-a-node",
                    persistentVolumeReclaimPolicy="Delete",
                    local=LOCAL,
                    nodeAffinity=ON_A_NODE,
                    claimRef={**CLAIM, "name": "d"},
                ),
                volume(
                    "unrecyclable",
                    persistentVolumeReclaimPolicy="Recycle",
                    local=LOCAL,
                    nodeAffinity=ON_A_NODE,
                    claimRef={**CLAIM, "name": "e"},
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
                volume("others-volume", storageClassName="others", claimRef=CLAIM),
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
                volume("local-elsewhere", storageClassName="local", nodeAffinity=ON_A_NODE, local=LOCAL),
                volume(
                    "local-large",
                    "9Gi",
                    storageClassName="local",
                    nodeAffinity=ON_VOLUMES_NODE,
                    local=LOCAL,
                ),
                volume(
                    "local-right",
                    "2Gi",
                    storageClassName="local",
                    nodeAffinity=ON_VOLUMES_NODE,
                    local=LOCAL,
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
            made(volume("late-volume", storageClassName="made-late", claimRef={**CLAIM, "name": "late"})),
            scheduled("next", "volumes-node"),
            until("Bound", "Bound", *["volume Bound", "volume Available"] * 2),
        ],
    },
    "a claim that a pod uses": {
        "bound": [
            *available(volume("used")),
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
                volume("growing-volume", storageClassName="growing", claimRef=CLAIM),
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
