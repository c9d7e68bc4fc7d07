"""What is decided for claims and volumes, without a cluster."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.cluster.volumes.claim_protection import is_used
from kubewright.cluster.volumes.claim_steps import (
    AssignClass,
    Bind,
    Lose,
    Notice,
    Provision,
    Tell,
    Wait,
    step_for_bound,
    step_for_named,
    step_for_unbound,
)
from kubewright.cluster.volumes.classes import default_class
from kubewright.cluster.volumes.expander import grow, wants_more
from kubewright.cluster.volumes.names import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    PROVISIONED_BY,
    PROVISIONER,
    SELECTED_NODE,
    STORAGE_PROVISIONER,
)
from kubewright.cluster.volumes.provisioner import is_to_be_made
from kubewright.cluster.volumes.volume_steps import Reclaim, VolumeStep, how_to_reclaim, step_for_volume
from kubewright.machinery.meta import OwnerReference
from kubewright.machinery.quantity import Quantity
from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim, Pod
from kubewright.models.storage_v1 import StorageClass
from tests.cluster.volumes.objects import claim, pod_using, storage_class, volume

LATER = storage_class("later", volumeBindingMode="WaitForFirstConsumer")


def unbound(wanted: PersistentVolumeClaim, found: PersistentVolume | None = None, **others: Any) -> Any:
    given = {"storage_class": None, "default": None, "pods": (), **others}
    return step_for_unbound(wanted, found, **given)


def reason(step: Any) -> str:
    assert isinstance(step, Wait | Tell | Lose)
    return step.notice.reason if step.notice is not None else ""


def test_a_claim_that_was_never_bound() -> None:
    there = volume()
    assert unbound(claim(), there) == Bind(there)
    assert reason(unbound(claim())) == "FailedBinding"
    assert unbound(claim(), default=storage_class("usual")) == AssignClass("usual")
    assert reason(unbound(claim(storageClassName=""), default=storage_class("usual"))) == "FailedBinding"
    assert unbound(claim(storageClassName="fast"), storage_class=storage_class()) == Provision()
    assert unbound(claim(storageClassName="absent"), default=storage_class("usual")) == Provision()


def test_a_claim_that_waits_for_a_consumer() -> None:
    waiting = claim(storageClassName="later")
    assert reason(unbound(waiting, storage_class=LATER)) == "WaitForFirstConsumer"
    told = unbound(waiting, storage_class=LATER, pods=("a",)).notice
    assert told == Notice("Normal", "WaitForPodScheduled", "waiting for pod a to be scheduled")
    told = unbound(waiting, storage_class=LATER, pods=("a", "b")).notice
    assert told.message == "waiting for pods a,b to be scheduled"
    selected = claim(storageClassName="later", annotations={SELECTED_NODE: "n"})
    assert unbound(selected, storage_class=LATER) == Provision()


def test_a_claim_that_names_a_volume() -> None:
    named = claim(volumeName="volume")
    assert step_for_named(named, None) == Wait(None)
    assert isinstance(step_for_named(named, volume()), Bind)
    assert isinstance(step_for_named(named, volume(claimed_by="data")), Bind)
    assert reason(step_for_named(named, volume(size="1Mi"))) == "VolumeMismatch"
    taken = volume(claimed_by="other")
    assert isinstance(step_for_named(named, taken), Wait)
    ours = claim(volumeName="volume", annotations={BOUND_BY_CONTROLLER: "yes"})
    assert isinstance(step_for_named(ours, taken), Tell)


def test_a_claim_that_was_bound() -> None:
    bound = claim(volumeName="volume", annotations={BIND_COMPLETED: "yes"})
    assert isinstance(step_for_bound(bound, volume()), Bind)
    assert isinstance(step_for_bound(bound, volume(claimed_by="data/uid-of-data")), Bind)
    assert reason(step_for_bound(bound, None)) == "ClaimLost"
    assert reason(step_for_bound(claim(annotations={BIND_COMPLETED: "yes"}), volume())) == "ClaimLost"
    assert reason(step_for_bound(bound, volume(claimed_by="data/another"))) == "ClaimMisbound"


def test_volumes() -> None:
    mine = claim(volumeName="volume")
    assert step_for_volume(volume(), None) is VolumeStep.AVAILABLE
    assert step_for_volume(volume(claimed_by="data"), None) is VolumeStep.AVAILABLE
    claimed = volume(claimed_by="data/uid-of-data")
    assert step_for_volume(claimed, None) is VolumeStep.RELEASE
    assert step_for_volume(claimed, mine) is VolumeStep.BOUND
    assert step_for_volume(claimed, claim()) is VolumeStep.SYNC_CLAIM
    assert step_for_volume(claimed, claim(volumeMode="Block")) is VolumeStep.MISMATCH
    elsewhere = claim(volumeName="another")
    assert step_for_volume(claimed, elsewhere) is VolumeStep.UNBIND
    annotations = {PROVISIONED_BY: "example.com/disks"}
    made = volume(
        claimed_by="data/uid-of-data", annotations=annotations, persistentVolumeReclaimPolicy="Delete"
    )
    assert step_for_volume(made, elsewhere) is VolumeStep.RELEASE
    made.spec.persistent_volume_reclaim_policy = "Retain"
    assert step_for_volume(made, elsewhere) is VolumeStep.UNBIND


def test_which_claims_volumes_are_made_for() -> None:
    ours = storage_class(provisioner=PROVISIONER)
    later = storage_class(provisioner=PROVISIONER, volumeBindingMode="WaitForFirstConsumer")
    asked = {STORAGE_PROVISIONER: PROVISIONER}
    assert is_to_be_made(claim(annotations=asked), ours)
    assert not is_to_be_made(claim(), ours)
    assert not is_to_be_made(claim(annotations=asked), storage_class())
    assert not is_to_be_made(claim(annotations=asked, volumeName="volume"), ours)
    assert not is_to_be_made(claim(annotations=asked), later)
    assert is_to_be_made(claim(annotations={**asked, SELECTED_NODE: "n"}), later)


def test_which_pods_use_a_claim() -> None:
    def pod(**spec: Any) -> Pod:
        return Pod.from_dict(pod_using("web", "data", **spec))

    made_for = {"volumes": [{"name": "scratch", "ephemeral": {}}], "nodeName": "n"}
    assert is_used(claim(), [pod(nodeName="n")])
    assert not is_used(claim(), [pod()])
    assert not is_used(claim("other"), [pod(nodeName="n")])
    assert not is_used(claim("web-scratch"), [pod(**made_for)])
    owned = claim("web-scratch")
    owner = OwnerReference(api_version="v1", kind="Pod", name="web", uid="u", controller=True)
    owned.metadata.owner_references = [owner]
    its = pod(**made_for)
    its.metadata.uid = "u"
    assert is_used(owned, [its])
    its.metadata.deletion_timestamp = datetime.now(UTC)
    its.metadata.deletion_grace_period_seconds = 0
    assert not is_used(owned, [its])


@pytest.mark.parametrize(
    ("policy", "spec", "maker", "outcome"),
    [
        ("Retain", {}, "", Reclaim.KEEP),
        ("Delete", {}, "", Reclaim.DELETE),
        ("Delete", {}, "example.com/disks", Reclaim.KEEP),
        ("Delete", {}, "kubernetes.io/host-path", Reclaim.DELETE),
        ("Delete", {}, "kubernetes.io/gone", "no volume plugin matched name: kubernetes.io/gone"),
        ("Delete", {"hostPath": None, "csi": {"driver": "d", "volumeHandle": "h"}}, "", Reclaim.KEEP),
        (
            "Delete",
            {"hostPath": {"path": "/srv"}},
            "",
            "host_path deleter only supports /tmp/.+ but received provided /srv",
        ),
        ("Recycle", {}, "", Reclaim.RECYCLE),
        (
            "Recycle",
            {"hostPath": None, "local": {"path": "/x"}},
            "",
            "No recycler plugin found for the volume!",
        ),
    ],
)
def test_reclaiming(policy: str, spec: dict[str, Any], maker: str, outcome: Reclaim | str) -> None:
    annotations = {PROVISIONED_BY: maker} if maker else {}
    found = how_to_reclaim(volume(annotations=annotations, persistentVolumeReclaimPolicy=policy, **spec))
    assert (found.message if isinstance(found, Notice) else found) == outcome


def test_the_newest_default_class_counts_then_the_first_by_name() -> None:
    def marked(name: str, day: int, value: str = "true") -> StorageClass:
        made = storage_class(name)
        made.metadata.annotations = {"storageclass.kubernetes.io/is-default-class": value}
        made.metadata.creation_timestamp = datetime(2026, 1, day, tzinfo=UTC)
        return made

    classes = [marked("old", 1), marked("b", 2), marked("a", 2), marked("no", 3, "false"), storage_class()]
    found = default_class(classes)
    assert found is not None
    assert found.metadata.name == "a"
    assert default_class([storage_class()]) is None


def test_growth_leaves_nothing_under_way() -> None:
    bound = claim(
        size="3Gi",
        status={
            "phase": "Bound",
            "capacity": {"storage": "1Gi"},
            "allocatedResources": {"storage": "2Gi"},
            "allocatedResourceStatuses": {"storage": "ControllerResizeInProgress"},
            "conditions": [{"type": "Resizing", "status": "True"}, {"type": "Mine", "status": "True"}],
        },
    )
    assert wants_more(bound)
    grow(bound.status, Quantity("3Gi"))
    assert not wants_more(bound)
    assert bound.status.to_dict() == {
        "phase": "Bound",
        "capacity": {"storage": "3Gi"},
        "allocatedResources": {"storage": "3Gi"},
        "conditions": [{"type": "Mine", "status": "True"}],
    }
