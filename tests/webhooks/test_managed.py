"""What a manager does with a webhook server."""

from __future__ import annotations

import asyncio

import pytest

from kubewright import Client, DeclarationError
from kubewright.testing import Cluster
from kubewright.webhooks import CertificateSecret, WebhookServer
from kubewright.webhooks.managed import add_webhook, running
from tests.webhooks.replicas import check


def test_a_server_is_run_with_the_manager_s_client() -> None:
    async def test() -> None:
        async with Cluster() as cluster, Client(cluster.config) as client:
            webhooks = WebhookServer(certificates=CertificateSecret(name="certs", namespace="default"))
            assert add_webhook(webhooks, check) is check
            async with running(webhooks, client):
                found = await client.core_v1.secrets("default").get("certs")
                assert found.data["ca.crt"] == webhooks.ca_bundle
            with pytest.raises(RuntimeError, match="does not run"):
                _ = webhooks.url

    asyncio.run(test())


def test_a_manager_without_one() -> None:
    async def test() -> None:
        with pytest.raises(DeclarationError, match=r"check.*give Manager\(webhooks=WebhookServer"):
            add_webhook(None, check)
        async with Cluster() as cluster, Client(cluster.config) as client, running(None, client):
            assert await client.version()

    asyncio.run(test())
