"""The roles of `kubewright manifests` are what an operator needs: nothing is missing.

A manager with leader election, webhooks that make their certificates, a controller and events runs as a
service account that has these roles and no more; then with each right taken away in turn.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest

from kubewright.client.client import Client
from kubewright.controllers.leader_election import LeaderElection
from kubewright.controllers.manager import Manager
from kubewright.models.admissionregistration_v1 import ValidatingWebhookConfiguration
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import ConfigMap, Event, Secret
from kubewright.testing import Cluster
from tests.controllers.rights_operator import (
    LEASE,
    NAMESPACE,
    SECRET,
    Operator,
    deployed,
    load_operator,
)
from tests.controllers.running import PATIENCE, managed, until
from tests.controllers.servers import Server

ELECTION = LeaderElection(name=LEASE, namespace=NAMESPACE, retry_period=0.1)
"""Soon renewed, which needs another right than to become leader does."""


@pytest.fixture(scope="session")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    path = list(sys.path)
    try:
        # For the session: pytest comes back to a module for each server, and a package is imported once.
        return load_operator(tmp_path_factory.mktemp("operator"))
    finally:
        sys.path[:] = path


async def has_worked(admin: Client, operator: Operator) -> None:
    """Wait for everything that the operator does."""
    sites = admin.api(operator.module.Site, "default")
    await sites.wait_for("shop", lambda site: site.status is not None and site.status.seen, timeout=PATIENCE)
    await admin.api(ConfigMap, "default").get("shop")
    lease = await admin.api(Lease, NAMESPACE).get(LEASE)
    assert lease.spec.holder_identity
    bundle = (await admin.api(Secret, NAMESPACE).get(SECRET)).data["ca.crt"]
    hook = await admin.api(ValidatingWebhookConfiguration).get("validating-webhook-configuration")
    assert [each.client_config.ca_bundle for each in hook.webhooks] == [bundle]


async def a_site(admin: Client, operator: Operator) -> None:
    await admin.api(operator.module.Site, "default").create({"metadata": {"name": "shop"}, "spec": {}})


def test_the_rights_are_enough(server: Server, operator: Operator, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with Client(server.config) as admin, deployed(operator, admin) as account:
            await a_site(admin, operator)
            webhooks = operator.module.webhooks()
            async with managed(account, operator.module.setup, leader_election=ELECTION, webhooks=webhooks):
                await has_worked(admin, operator)
            told = [each.message async for each in admin.api(Event, "default").list()]
            assert "its child" in told

    asyncio.run(main())
    assert "cannot" not in caplog.text


NEEDED = [
    ("get", "coordination.k8s.io", "leases"),
    ("create", "coordination.k8s.io", "leases"),
    ("update", "coordination.k8s.io", "leases"),
    ("get", "", "secrets"),
    ("create", "", "secrets"),
    ("update", "", "secrets"),
    ("get", "admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("get", "admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("update", "admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("get", "apiextensions.k8s.io", "customresourcedefinitions"),
    ("update", "apiextensions.k8s.io", "customresourcedefinitions"),
]
"""What the manager does by itself."""

NEEDED_BY_CONTROLLERS = [
    ("create", "", "events"),
    ("list", "rights.example.com", "sites"),
    ("watch", "rights.example.com", "sites"),
    ("patch", "rights.example.com", "sites/status"),
    ("list", "", "configmaps"),
    ("watch", "", "configmaps"),
    ("create", "", "configmaps"),
]
"""What the controller does here. The others are for what it does not do: it updates no child, say."""


@pytest.fixture(scope="module")
def embedded() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as cluster:
        yield cluster


@pytest.mark.parametrize(
    ("verb", "group", "resource"),
    [*NEEDED, *(pytest.param(*each, marks=pytest.mark.slow) for each in NEEDED_BY_CONTROLLERS)],
)
def test_no_right_can_be_left_out(
    embedded: Cluster,
    operator: Operator,
    caplog: pytest.LogCaptureFixture,
    verb: str,
    group: str,
    resource: str,
) -> None:
    async def main() -> None:
        missing = [each for each in operator.rights() if each[:3] == (verb, group, resource)]
        assert missing
        async with Client(embedded.config) as admin, deployed(operator, admin, without=missing) as account:
            if (verb, resource) == ("update", "secrets"):
                await admin.api(Secret, NAMESPACE).create({"metadata": {"name": SECRET}})
            await a_site(admin, operator)
            webhooks = operator.module.webhooks()
            async with Manager(
                account, leader_election=ELECTION, webhooks=webhooks, signals=False
            ) as manager:
                operator.module.setup(manager)
                running = asyncio.create_task(manager.run())
                try:
                    await until(lambda: missing[0].refusal in said(running), missing[0].refusal)
                finally:
                    manager.stop()
                    await asyncio.wait([running], timeout=PATIENCE)

    def said(running: asyncio.Task[None]) -> str:
        error = running.exception() if running.done() else None
        return f"{caplog.text}{error}"

    asyncio.run(main())
