"""Nodes that pretend, where somebody refuses what they write."""

from __future__ import annotations

import logging

import pytest

from kubewright import Client, Manager, NotFound
from kubewright.cluster.nodes.pretended import keep_alive
from kubewright.models.admissionregistration_v1 import ValidatingWebhookConfiguration
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import Node
from tests.cluster.clusters import eventually, with_cluster

NOBODY = "https://127.0.0.1:1/nobody-listens-here"


async def refuse(client: Client, *resources: str) -> None:
    """Have writes of all groups refused, by a webhook that does not answer."""
    rule = {
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "operations": ["CREATE", "UPDATE"],
        "resources": list(resources),
    }
    webhook = {
        "name": "nobody.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "clientConfig": {"url": NOBODY},
        "rules": [rule],
    }
    await client.api(ValidatingWebhookConfiguration).create(
        {"metadata": {"name": "nobody"}, "webhooks": [webhook]}
    )


@pytest.mark.parametrize("resource", ["leases", "nodes"])
def test_a_node_that_is_refused_ends_no_controller(resource: str, caplog: pytest.LogCaptureFixture) -> None:
    """A webhook for everything whose program does not run is usual while somebody writes it."""
    caplog.set_level(logging.WARNING, logger="kubewright.cluster")

    def warnings() -> list[str]:
        return [each.getMessage() for each in caplog.records if each.name == "kubewright.cluster"]

    async def test(client: Client) -> None:
        await refuse(client, resource)

        async def has_heartbeats() -> bool:
            try:
                for name in ("node-1", "node-2"):
                    await client.api(Lease, "kube-node-lease").get(name)
            except NotFound:
                return False
            return True

        async def told() -> bool:
            return len(warnings()) >= 2

        async with Manager(client, signals=False) as manager:
            keep_alive(manager, nodes=2, renew_every=0.02)
            async with manager.running():
                await eventually(told, "nobody was told that the nodes are refused")
                assert not await has_heartbeats()
                await client.api(ValidatingWebhookConfiguration).delete("nobody")
                await eventually(has_heartbeats, "the nodes did not come")
                assert len([each async for each in client.api(Node).list()]) == 2

    with_cluster(test, "none")
    what = "has no heartbeat" if resource == "leases" else "cannot be registered"
    # Each thing once, and not at each beat.
    assert [each.partition(",")[0] for each in warnings()] == [f"node-1 {what}", f"node-2 {what}"]
