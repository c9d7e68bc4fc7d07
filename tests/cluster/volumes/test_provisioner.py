"""Volumes that are made for claims: for which, what they are like, and what may happen meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from kubewright import Client, Conflict, Manager
from kubewright.client.request import Request as SentRequest
from kubewright.client.sender import Hooks
from kubewright.cluster.volumes import provisioner
from kubewright.cluster.volumes.names import PROVISIONED_BY, PROVISIONER, SELECTED_NODE, STORAGE_PROVISIONER
from kubewright.cluster.volumes.provisioner import is_to_be_deleted, is_to_be_made, volume_for
from kubewright.controllers import Request
from kubewright.models.core_v1 import Event, PersistentVolume, PersistentVolumeClaim
from kubewright.models.storage_v1 import StorageClass
from kubewright.testing import Cluster, reconcile_once
from tests.cluster.clusters import PATIENCE, eventually, with_cluster
from tests.cluster.volumes.objects import claim, storage_class, volume

OURS = {STORAGE_PROVISIONER: PROVISIONER}
LATER = {"volumeBindingMode": "WaitForFirstConsumer"}


@pytest.mark.parametrize(
    ("of_claim", "of_class", "made"),
    [
        ({}, {}, True),
        ({"annotations": {}}, {}, False),
        ({"annotations": {STORAGE_PROVISIONER: "example.com/disks"}}, {}, False),
        ({}, {"provisioner": "example.com/disks"}, False),
        ({"volumeName": "chosen"}, {}, False),
        ({}, LATER, False),
        ({"annotations": {**OURS, SELECTED_NODE: "node-1"}}, LATER, True),
    ],
)
def test_for_which_claims(of_claim: dict[str, Any], of_class: dict[str, Any], *, made: bool) -> None:
    waiting = claim(**{"annotations": OURS, **of_claim})
    assert is_to_be_made(waiting, storage_class(**{"provisioner": PROVISIONER, **of_class})) is made
    waiting.metadata.deletion_timestamp = datetime(2026, 1, 1, tzinfo=UTC)
    assert not is_to_be_made(waiting, storage_class(provisioner=PROVISIONER))


def test_what_they_are_like() -> None:
    plain = volume_for(claim(size="3Gi"), storage_class()).to_dict()
    assert plain["metadata"] == {"name": "pvc-uid-of-data", "annotations": {PROVISIONED_BY: PROVISIONER}}
    reference = plain["spec"].pop("claimRef")
    assert (reference["namespace"], reference["name"], reference["uid"]) == (
        "default",
        "data",
        "uid-of-data",
    )
    # An empty name of a class of attributes is not the same as none.
    assert plain["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "3Gi"},
        "csi": {"driver": PROVISIONER, "volumeHandle": "pvc-uid-of-data"},
        "persistentVolumeReclaimPolicy": "Delete",
        "storageClassName": "fast",
        "volumeMode": "Filesystem",
    }
    special = claim(modes=("ReadWriteMany",), volumeMode="Block", volumeAttributesClassName="gold")
    kept = storage_class(reclaimPolicy="Retain", mountOptions=["noatime"])
    said = volume_for(special, kept).to_dict()["spec"]
    assert said["accessModes"] == ["ReadWriteMany"]
    assert said["mountOptions"] == ["noatime"]
    assert said["persistentVolumeReclaimPolicy"] == "Retain"
    assert said["volumeAttributesClassName"] == "gold"
    assert said["volumeMode"] == "Block"


@pytest.mark.parametrize(
    ("said", "deleted"),
    [
        ({}, True),
        ({"phase": "Failed"}, True),
        ({"phase": "Bound"}, False),
        ({"phase": "Available"}, False),
        ({"persistentVolumeReclaimPolicy": "Retain"}, False),
        ({"annotations": {}}, False),
        ({"annotations": {PROVISIONED_BY: "example.com/disks"}}, False),
    ],
)
def test_which_volumes_go(said: dict[str, Any], *, deleted: bool) -> None:
    ours = {
        "annotations": {PROVISIONED_BY: PROVISIONER},
        "phase": "Released",
        "persistentVolumeReclaimPolicy": "Delete",
    }
    found = volume(**{**ours, **said})
    assert is_to_be_deleted(found) is deleted
    found.metadata.deletion_timestamp = datetime(2026, 1, 1, tzinfo=UTC)
    assert not is_to_be_deleted(found)


async def waiting(client: Client, **spec: Any) -> PersistentVolumeClaim:
    """A claim that waits for a volume of the class `ours`."""
    await client.api(StorageClass).create({"metadata": {"name": "ours"}, "provisioner": PROVISIONER})
    body = claim(storageClassName="ours", annotations=OURS, **spec).to_dict()
    del body["metadata"]["uid"]
    return await client.api(PersistentVolumeClaim, "default").create(body)


async def reconciled(client: Client, request: Request | PersistentVolumeClaim) -> None:
    await reconcile_once(client, provisioner.reconcile, request)


async def told(client: Client) -> list[tuple[str, int | None]]:
    found = [each async for each in client.api(Event, "default").list()]
    return sorted(((each.reason, each.count) for each in found), key=str)


async def volumes_of(client: Client) -> list[str]:
    return [each.metadata.name async for each in client.api(PersistentVolume).list()]


def hooked(client: Client, method: str, what: Callable[[], Awaitable[None]]) -> Client:
    """A client of the same cluster before whose first request for volumes, by a method, something happens."""
    left = [what]

    async def before(request: SentRequest) -> None:
        if request.method == method and "/persistentvolumes" in request.path and left:
            await left.pop()()

    return Client(client.config, hooks=Hooks(before=[before]))


def test_a_volume_is_made_and_told_of_once() -> None:
    async def test(client: Client) -> None:
        made = await waiting(client)
        for _ in range(3):
            # It waits to be bound, and is looked at again meanwhile.
            await reconciled(client, made)
        assert await volumes_of(client) == [f"pvc-{made.metadata.uid}"]
        assert await told(client) == [("Provisioning", 1), ("ProvisioningSucceeded", 1)]

    with_cluster(test, "none")


def test_a_volume_that_somebody_makes_meanwhile_is_it() -> None:
    async def test(client: Client) -> None:
        made = await waiting(client)

        async def make() -> None:
            found = await client.api(StorageClass).get("ours")
            await client.api(PersistentVolume).create(volume_for(made, found))

        async with hooked(client, "POST", make) as late:
            await reconciled(late, made)
        assert await volumes_of(client) == [f"pvc-{made.metadata.uid}"]
        assert await told(client) == [("Provisioning", 1), ("ProvisioningSucceeded", 1)]

    with_cluster(test, "none")


def test_for_a_selector_there_is_none() -> None:
    async def test(client: Client) -> None:
        made = await waiting(client, selector={"matchLabels": {"a": "b"}})
        await reconciled(client, made)
        assert await volumes_of(client) == []
        assert await told(client) == [("Provisioning", 1), ("ProvisioningFailed", 1)]

    with_cluster(test, "none")


def test_what_is_gone_and_whose_class_is_gone_is_nothing_to_do() -> None:
    async def test(client: Client) -> None:
        made = await waiting(client)
        await client.api(StorageClass).delete("ours")
        await reconciled(client, made)
        await reconciled(client, Request("default", "absent"))
        await reconciled(client, Request("", "absent"))
        assert await volumes_of(client) == []
        assert await told(client) == []

    with_cluster(test, "none")


def test_a_volume_that_was_made_anew_stays() -> None:
    async def test(client: Client) -> None:
        volumes = client.api(PersistentVolume)
        by_us = {PROVISIONED_BY: PROVISIONER}
        body = volume("v", annotations=by_us, persistentVolumeReclaimPolicy="Delete").to_dict()
        del body["metadata"]["uid"]

        async def released() -> None:
            await volumes.create(body)
            await volumes.patch("v", {"status": {"phase": "Released"}}, subresource="status")

        async def replace() -> None:
            await volumes.delete("v")
            await released()

        await released()
        async with hooked(client, "DELETE", replace) as late:
            with pytest.raises(Conflict):
                await reconciled(late, Request("", "v"))
        assert await volumes_of(client) == ["v"]
        await reconciled(client, Request("", "v"))
        assert await volumes_of(client) == []

    with_cluster(test, "none")


def with_provisioner(test: Callable[[Client], Awaitable[None]], *there: dict[str, Any]) -> None:
    """Run a test with a cluster in which there are some objects when the provisioner begins, and it alone."""

    async def run() -> None:
        async with (
            asyncio.timeout(120),
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            Manager(client, signals=False) as manager,
        ):
            for each in there:
                await client.dynamic(each["apiVersion"], each["kind"]).create(each)
            # It needs nothing of what other controllers share.
            provisioner.setup(manager, cast("Any", None))
            async with manager.running():
                await test(client)

    asyncio.run(run())


async def gets_a_volume(client: Client) -> None:
    made = await waiting(client)

    async def is_made() -> bool:
        return await volumes_of(client) == [f"pvc-{made.metadata.uid}"]

    await eventually(is_made, "no volume is made")


def test_a_default_class_is_made() -> None:
    async def test(client: Client) -> None:
        found = await client.api(StorageClass).wait_for("standard", lambda _: True, timeout=PATIENCE)
        assert found is not None
        assert found.metadata.annotations == {"storageclass.kubernetes.io/is-default-class": "true"}
        assert (found.provisioner, found.reclaim_policy) == (PROVISIONER, "Delete")
        assert (found.volume_binding_mode, found.allow_volume_expansion) == ("Immediate", True)

    with_provisioner(test)


def test_where_there_is_a_default_class_none_is_made() -> None:
    async def test(client: Client) -> None:
        await gets_a_volume(client)
        assert {each.metadata.name async for each in client.api(StorageClass).list()} == {"mine", "ours"}

    annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
    mine = {"metadata": {"name": "mine", "annotations": annotations}, "provisioner": "example.com/disks"}
    with_provisioner(test, {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", **mine})


def test_where_none_can_be_made_the_volumes_are(caplog: pytest.LogCaptureFixture) -> None:
    """All controllers would end with the one whose task fails."""

    async def test(client: Client) -> None:
        async def is_said() -> bool:
            return "there is no default storage class, and none could be made" in caplog.text

        await eventually(is_said, "nothing is said of it")
        await client.dynamic("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration").delete("no")
        await gets_a_volume(client)

    # Nobody listens there.
    hook = {
        "name": "no.example.com",
        "rules": [
            {
                "apiGroups": ["storage.k8s.io"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["storageclasses"],
            }
        ],
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
    }
    with_provisioner(
        test,
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "no"},
            "webhooks": [hook],
        },
    )
