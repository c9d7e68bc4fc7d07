"""The service account and the authority's certificate that every namespace has."""

from __future__ import annotations

import logging

import pytest

from kubewright import Client, NotFound
from kubewright.models.core_v1 import ConfigMap, Namespace, ServiceAccount
from tests.cluster.clusters import PATIENCE, eventually, with_cluster

BUNDLE = "kube-root-ca.crt"
CONTROLLERS = ("serviceaccount", "root-ca-cert-publisher")


async def make(client: Client, name: str = "team") -> None:
    await client.api(Namespace).create(Namespace.from_dict({"metadata": {"name": name}}))
    await client.api(ServiceAccount, name).wait_for("default", lambda _: True, timeout=PATIENCE)
    await client.api(ConfigMap, name).wait_for(BUNDLE, lambda _: True, timeout=PATIENCE)


def test_what_is_deleted_is_made_again() -> None:
    async def test(client: Client) -> None:
        await make(client)
        accounts, maps = client.api(ServiceAccount, "team"), client.api(ConfigMap, "team")
        account, bundle = await accounts.get("default"), await maps.get(BUNDLE)
        await accounts.delete("default")
        await maps.delete(BUNDLE)

        async def again() -> bool:
            try:
                first, second = await accounts.get("default"), await maps.get(BUNDLE)
            except NotFound:
                return False
            return account.metadata.uid != first.metadata.uid and bundle.metadata.uid != second.metadata.uid

        await eventually(again, "they are not made again")
        assert (await maps.get(BUNDLE)).data == bundle.data

    with_cluster(test, *CONTROLLERS)


def test_an_edited_bundle_is_mended_and_the_rest_of_it_kept() -> None:
    async def test(client: Client) -> None:
        await make(client)
        maps = client.api(ConfigMap, "team")
        bundle = await maps.get(BUNDLE)
        edited = {
            "metadata": {
                "labels": {"mine": "yes"},
                "annotations": {"kubernetes.io/description": None, "mine": "too"},
            },
            "data": {"ca.crt": "nonsense", "more": "nonsense"},
        }
        await maps.patch(BUNDLE, edited)

        async def mended() -> bool:
            return (await maps.get(BUNDLE)).data == bundle.data

        await eventually(mended, "it is not mended")
        after = (await maps.get(BUNDLE)).metadata
        assert after.labels == {"mine": "yes"}
        assert after.annotations == {**bundle.metadata.annotations, "mine": "too"}
        # What it says about itself may be said otherwise.
        other = {"metadata": {"annotations": {"kubernetes.io/description": "other words"}}}
        changed = await maps.patch(BUNDLE, other)
        await client.api(ServiceAccount, "team").delete("default")
        await make(client, "later")
        assert (await maps.get(BUNDLE)).metadata.resource_version == changed.metadata.resource_version

    with_cluster(test, *CONTROLLERS)


def test_a_namespace_on_its_way_out_gets_neither(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        await make(client)
        # There is nobody who would finish it.
        await client.api(Namespace).delete("team")
        await client.api(ServiceAccount, "team").delete("default")
        await client.api(ConfigMap, "team").delete(BUNDLE)
        await make(client, "later")
        assert [each async for each in client.api(ServiceAccount, "team").list()] == []
        assert [each async for each in client.api(ConfigMap, "team").list()] == []

    with caplog.at_level(logging.WARNING, logger="kubewright"):
        with_cluster(test, *CONTROLLERS)
    assert caplog.records == []
