"""Claims on a cluster: volumes made for them, growth, protection, and what becomes of the volumes."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright import Client, Forbidden, NotFound
from kubewright.client.api import Api
from kubewright.models.core_v1 import Event, Namespace, PersistentVolume, PersistentVolumeClaim, Pod
from kubewright.models.storage_v1 import StorageClass
from tests.cluster.clusters import PATIENCE, eventually, with_cluster
from tests.cluster.volumes.objects import pod_using

VOLUMES = (
    "persistentvolume-binder",
    "persistentvolume-provisioner",
    "persistentvolume-expander",
    "pvc-protection",
    "pv-protection",
)
OURS = "pretended.kubewright.dev"


def spec(size: str = "1Gi", **fields: Any) -> dict[str, Any]:
    return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **fields}


def claims_in(client: Client) -> Api[PersistentVolumeClaim]:
    return client.api(PersistentVolumeClaim, "default")


async def bound(client: Client, name: str, size: str = "1Gi", **fields: Any) -> PersistentVolumeClaim:
    await claims_in(client).create({"metadata": {"name": name}, "spec": spec(size, **fields)})
    return await claims_in(client).wait_for(name, lambda it: it.status.phase == "Bound", timeout=PATIENCE)


async def gone(api: Api[Any], name: str) -> None:
    async def is_gone() -> bool:
        try:
            await api.get(name)
        except NotFound:
            return True
        return False

    await eventually(is_gone, f"{name} is still there")


async def reasons(client: Client, name: str) -> list[str]:
    events = [each async for each in client.api(Event, "default").list()]
    return [each.reason for each in events if each.involved_object.name == name]


async def told(client: Client, name: str, reason: str) -> None:
    async def is_told() -> bool:
        return reason in await reasons(client, name)

    await eventually(is_told, f"{reason} is not told of {name}")


def test_a_claim_gets_a_volume_which_grows_and_goes_with_it() -> None:
    async def test(client: Client) -> None:
        claim = await bound(client, "data")
        assert claim.spec.storage_class_name == "standard"
        assert claim.spec.volume_name == f"pvc-{claim.metadata.uid}"
        assert claim.status.to_dict() == {
            "phase": "Bound",
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
        }
        assert claim.metadata.annotations == {
            "pv.kubernetes.io/bind-completed": "yes",
            "pv.kubernetes.io/bound-by-controller": "yes",
            "volume.beta.kubernetes.io/storage-provisioner": OURS,
            "volume.kubernetes.io/storage-provisioner": OURS,
        }
        volumes = client.api(PersistentVolume)
        volume = await volumes.get(claim.spec.volume_name)
        assert (volume.status.phase, volume.spec.persistent_volume_reclaim_policy) == ("Bound", "Delete")
        assert volume.metadata.annotations == {"pv.kubernetes.io/provisioned-by": OURS}
        assert volume.spec.claim_ref is not None
        assert volume.spec.claim_ref.uid == claim.metadata.uid
        for reason in ("ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"):
            await told(client, "data", reason)

        await claims_in(client).patch("data", {"spec": {"resources": {"requests": {"storage": "3Gi"}}}})
        grown = await claims_in(client).wait_for(
            "data", lambda it: str(it.status.capacity["storage"]) == "3Gi", timeout=PATIENCE
        )
        assert grown.status.conditions == []
        assert str(grown.status.allocated_resources["storage"]) == "3Gi"
        assert str((await volumes.get(claim.spec.volume_name)).spec.capacity["storage"]) == "3Gi"

        await claims_in(client).delete("data")
        await gone(claims_in(client), "data")
        await gone(volumes, claim.spec.volume_name)

    with_cluster(test, *VOLUMES)


def test_what_is_used_is_there_until_it_is_not() -> None:
    async def test(client: Client) -> None:
        claim = await bound(client, "data")
        volumes, pods = client.api(PersistentVolume), client.api(Pod, "default")
        await pods.create(pod_using("web", "data", nodeName="somewhere"))
        await claims_in(client).delete("data")
        await volumes.delete(claim.spec.volume_name)
        # What comes after both has been looked at.
        await bound(client, "another")
        await claims_in(client).delete("another")
        await gone(claims_in(client), "another")
        assert (await claims_in(client).get("data")).metadata.finalizers == ["kubernetes.io/pvc-protection"]
        held = await volumes.get(claim.spec.volume_name)
        assert held.metadata.finalizers == ["kubernetes.io/pv-protection"]
        await pods.delete("web", grace_period=0)
        await gone(claims_in(client), "data")
        await gone(volumes, claim.spec.volume_name)

    with_cluster(test, *VOLUMES)


def test_finalizers_are_there_from_the_start() -> None:
    async def test(client: Client) -> None:
        given = ["example.com/mine", "kubernetes.io/pvc-protection"]
        for finalizers, wanted in ([], given[1:]), (given[:1], given), (given, given):
            metadata = {"generateName": "data-", "finalizers": finalizers}
            made = await claims_in(client).create({"metadata": metadata, "spec": spec()}, dry_run=True)
            assert made.metadata.finalizers == wanted

    with_cluster(test, "pvc-protection", "pv-protection")


def test_without_the_plugin_the_finalizers_come_from_the_controllers() -> None:
    async def test(client: Client) -> None:
        await claims_in(client).create({"metadata": {"name": "data"}, "spec": spec()})
        made = await claims_in(client).wait_for("data", lambda it: it.metadata.finalizers, timeout=PATIENCE)
        assert made.metadata.finalizers == ["kubernetes.io/pvc-protection"]
        await claims_in(client).delete("data")
        await gone(claims_in(client), "data")

    with_cluster(test, "pvc-protection")


def test_without_the_controllers_nothing_is_held() -> None:
    async def test(client: Client) -> None:
        await claims_in(client).create({"metadata": {"name": "data"}, "spec": spec()})
        await claims_in(client).delete("data")
        await gone(claims_in(client), "data")

    with_cluster(test, "persistentvolume-binder", "pv-protection")


def test_classes_that_retain_or_mount_or_wait() -> None:
    async def test(client: Client) -> None:
        classes, volumes = client.api(StorageClass), client.api(PersistentVolume)
        kept = {"reclaimPolicy": "Retain", "mountOptions": ["noatime"]}
        await classes.create({"metadata": {"name": "kept"}, "provisioner": OURS, **kept})
        claim = await bound(client, "data", storageClassName="kept", volumeMode="Block")
        volume = await volumes.get(claim.spec.volume_name)
        assert (volume.spec.mount_options, volume.spec.volume_mode) == (["noatime"], "Block")
        await claims_in(client).delete("data")
        await volumes.wait_for(
            claim.spec.volume_name, lambda it: it.status.phase == "Released", timeout=PATIENCE
        )

        later = {"volumeBindingMode": "WaitForFirstConsumer"}
        await classes.create({"metadata": {"name": "later"}, "provisioner": OURS, **later})
        await claims_in(client).create({"metadata": {"name": "slow"}, "spec": spec(storageClassName="later")})
        await told(client, "slow", "WaitForFirstConsumer")
        annotations = {"volume.kubernetes.io/selected-node": "node-1"}
        await claims_in(client).patch("slow", {"metadata": {"annotations": annotations}})
        await claims_in(client).wait_for("slow", lambda it: it.status.phase == "Bound", timeout=PATIENCE)

    with_cluster(test, *VOLUMES)


def test_a_selector_is_not_for_volumes_that_are_made() -> None:
    async def test(client: Client) -> None:
        selected = spec(selector={"matchLabels": {"a": "b"}})
        await claims_in(client).create({"metadata": {"name": "data"}, "spec": selected})
        await told(client, "data", "ProvisioningFailed")
        assert (await claims_in(client).get("data")).status.phase == "Pending"

    with_cluster(test, *VOLUMES)


def test_a_default_class_that_comes_late_is_that_of_claims_without_one() -> None:
    async def test(client: Client) -> None:
        for name, fields in (("data", {}), ("static", {"storageClassName": ""})):
            await claims_in(client).create({"metadata": {"name": name}, "spec": spec(**fields)})
            await told(client, name, "FailedBinding")
        annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
        usual = {
            "metadata": {"name": "usual", "annotations": annotations},
            "provisioner": "example.com/disks",
        }
        await client.api(StorageClass).create(usual)
        await claims_in(client).wait_for(
            "data", lambda it: it.spec.storage_class_name == "usual", timeout=PATIENCE
        )
        await told(client, "data", "ExternalProvisioning")
        assert (await claims_in(client).get("static")).spec.storage_class_name == ""
        made = await claims_in(client).create({"metadata": {"name": "next"}, "spec": spec()})
        assert made.spec.storage_class_name == "usual"

    with_cluster(test, "persistentvolume-binder")


def test_a_class_of_ones_own_is_the_default() -> None:
    async def test(client: Client) -> None:
        classes = client.api(StorageClass)
        await classes.wait_for("standard", lambda _: True, timeout=PATIENCE)
        annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
        # It is newer, or if it is of the same second, the first by name.
        await classes.create({"metadata": {"name": "aaa", "annotations": annotations}, "provisioner": OURS})
        assert (await bound(client, "data")).spec.storage_class_name == "aaa"

    with_cluster(test, *VOLUMES)


def test_what_may_not_grow() -> None:
    async def test(client: Client) -> None:
        classes = client.api(StorageClass)
        await classes.create({"metadata": {"name": "fixed"}, "provisioner": OURS})
        await bound(client, "data", storageClassName="fixed")
        why = (
            'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and '
            "the storageclass that provisions the pvc must support resize"
        )
        larger = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
        with pytest.raises(Forbidden, match=why):
            await claims_in(client).patch("data", larger)
        await classes.patch("fixed", {"allowVolumeExpansion": True})
        await claims_in(client).patch("data", larger)
        await claims_in(client).wait_for(
            "data", lambda it: str(it.status.capacity["storage"]) == "2Gi", timeout=PATIENCE
        )

    with_cluster(test, *VOLUMES)


def test_recycled_volumes_are_offered_again() -> None:
    async def test(client: Client) -> None:
        volume = {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "nfs": {"server": "s", "path": "/"},
            "persistentVolumeReclaimPolicy": "Recycle",
        }
        volumes = client.api(PersistentVolume)
        await volumes.create({"metadata": {"name": "shared"}, "spec": volume})
        assert (await bound(client, "first", storageClassName="")).spec.volume_name == "shared"
        await claims_in(client).create({"metadata": {"name": "next"}, "spec": spec(storageClassName="")})
        await told(client, "next", "FailedBinding")
        await claims_in(client).delete("first")
        found = await claims_in(client).wait_for(
            "next", lambda it: it.status.phase == "Bound", timeout=PATIENCE
        )
        assert found.spec.volume_name == "shared"

    with_cluster(test, *VOLUMES)


def test_a_namespace_goes_with_its_claims_and_their_volumes() -> None:
    async def test(client: Client) -> None:
        await client.api(Namespace).create({"metadata": {"name": "shop"}})
        claims = client.api(PersistentVolumeClaim, "shop")
        for number in range(5):
            await claims.create({"metadata": {"name": f"data-{number}"}, "spec": spec()})
        await claims.wait_for("data-4", lambda it: it.status.phase == "Bound", timeout=PATIENCE)
        await client.api(Namespace).delete("shop")
        await gone(client.api(Namespace), "shop")

        async def none() -> bool:
            return not [each async for each in client.api(PersistentVolume).list()]

        await eventually(none, "volumes are left")

    with_cluster(test, *VOLUMES, "namespace")
