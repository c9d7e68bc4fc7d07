"""What a manager does with a webhook server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright import Client, DeclarationError, Manager
from kubewright.controllers.probes import CheckFailed
from kubewright.testing import Cluster, run_operator
from kubewright.webhooks import CertificateSecret, Review, WebhookServer
from kubewright.webhooks.managed import add_webhook, check_served, running
from tests.webhooks.replicas import check


def test_a_server_is_run_with_the_manager_s_client() -> None:
    async def test() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            webhooks = WebhookServer(certificates=CertificateSecret(name="certs", namespace="default"))
            assert add_webhook(webhooks, check) is check
            async with running(webhooks, client):
                found = await client.core_v1.secrets("default").get("certs")
                assert found.data["ca.crt"] == webhooks.ca_bundle
            with pytest.raises(RuntimeError, match="does not run"):
                _ = webhooks.url

    asyncio.run(test())


def test_nobody_is_to_serve_them() -> None:
    async def test() -> None:
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            Manager(client, webhooks=False, signals=False) as manager,
        ):
            assert manager.webhook(check) is check
            with pytest.raises(DeclarationError, match="it is no webhook"):
                manager.webhook(no_webhook)
            async with manager.running():
                await manager.ready()

    async def no_webhook(review: Review[Any]) -> None: ...

    asyncio.run(test())


def test_an_operator_in_a_test_needs_no_server() -> None:
    async def test() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            async with run_operator(client, lambda manager: manager.webhook(check)) as operator:
                await operator.settled()
            webhooks = WebhookServer()
            async with run_operator(client, lambda manager: manager.webhook(check), webhooks=webhooks):
                assert [each.path for each in webhooks.declarations]

    asyncio.run(test())


def test_a_manager_is_ready_when_they_are_served() -> None:
    async def test() -> None:
        webhooks = WebhookServer()
        with pytest.raises(CheckFailed, match="not served yet"):
            check_served(webhooks)
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            Manager(client, webhooks=webhooks, signals=False) as manager,
        ):
            with pytest.raises(CheckFailed, match="webhooks: the webhooks are not served yet"):
                await manager.ready()
            async with manager.running():
                await manager.ready()
            assert not webhooks.is_running

    asyncio.run(test())


def test_a_manager_without_one() -> None:
    async def test() -> None:
        with pytest.raises(DeclarationError, match=r"check.*give Manager\(webhooks=WebhookServer"):
            add_webhook(None, check)
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            running(None, client),
        ):
            assert await client.version()

    asyncio.run(test())
