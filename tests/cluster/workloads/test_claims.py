"""Adoption and release, decided without a server."""

from __future__ import annotations

import pytest

from kubewright.cluster.workloads.claims import Claim, adoption_patch, decide, release_patch
from kubewright.machinery.label_selectors import Selector
from kubewright.models.core_v1 import Pod
from tests.cluster.workloads.objects import NOW, pod, replica_set

WEB = Selector.from_labels({"app": "web"})
OTHER = Selector.from_labels({"app": "other"})


@pytest.mark.parametrize(
    ("obj", "selector", "expected", "when_deleted"),
    [
        (pod(owner="uid-web"), WEB, Claim.KEEP, Claim.KEEP),
        (pod(owner="uid-web"), OTHER, Claim.RELEASE, Claim.IGNORE),
        (pod(owner="uid-else"), WEB, Claim.IGNORE, Claim.IGNORE),
        (pod(), WEB, Claim.ADOPT, Claim.IGNORE),
        (pod(), OTHER, Claim.IGNORE, Claim.IGNORE),
        (pod(deleted=NOW), WEB, Claim.IGNORE, Claim.IGNORE),
    ],
)
def test_what_becomes_of_an_object(
    obj: Pod, selector: Selector, expected: Claim, when_deleted: Claim
) -> None:
    owner = replica_set("web")
    assert decide(owner, selector, obj) is expected
    owner.metadata.deletion_timestamp = NOW
    assert decide(owner, selector, obj) is when_deleted


def test_patches_hold_for_one_object_alone() -> None:
    owner = replica_set("web")
    reference = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "web",
        "uid": "uid-web",
        "controller": True,
        "blockOwnerDeletion": True,
    }
    assert adoption_patch(owner, pod()) == {"metadata": {"uid": "uid-p", "ownerReferences": [reference]}}
    released = {"$patch": "delete", "uid": "uid-web"}
    assert release_patch(owner, pod()) == {"metadata": {"uid": "uid-p", "ownerReferences": [released]}}
