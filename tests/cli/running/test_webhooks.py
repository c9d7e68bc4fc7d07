"""That a program serves its webhooks by now is seen in the cluster."""

from __future__ import annotations

import asyncio
import time

import pytest

from kubewright import Client, ObjectMeta
from kubewright.cli.running import webhooks
from kubewright.cli.running.webhooks import LocalWebhooks
from kubewright.models.admissionregistration_v1 import ValidatingWebhookConfiguration
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.testing import Cluster, define
from tests.webhooks.test_development import Lamp

NAME = "lamps.development.example.com"


async def have_converted(client: Client, port: int) -> None:
    config = {"url": f"https://127.0.0.1:{port}/convert"}
    webhook = {"clientConfig": config, "conversionReviewVersions": ["v1"]}
    patch = {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}}
    await client.api(CustomResourceDefinition).patch(NAME, patch)


async def have_asked(client: Client, name: str) -> None:
    made = ValidatingWebhookConfiguration(metadata=ObjectMeta(name=name))
    await client.api(ValidatingWebhookConfiguration).create(made)


def test_what_was_there_before_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await define(client, Lamp)
            converts = LocalWebhooks(cluster.kubeconfig, None, admission=False)
            admits = LocalWebhooks(cluster.kubeconfig, None, admission=True)
            assert await converts.versions() == await admits.versions() == frozenset()
            await have_converted(client, 9)
            await have_asked(client, "old")
            for local in (converts, admits):
                before = await local.versions()
                assert len(before) == 1
                waiting = asyncio.create_task(local.served(before))
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(3 * webhooks._EVERY):
                        await asyncio.shield(waiting)
                await (have_converted(client, 10) if local is converts else have_asked(client, "new"))
                began = time.monotonic()
                await waiting
                assert time.monotonic() - began < webhooks._PATIENCE / 2

    monkeypatch.setattr(webhooks, "_EVERY", 0.05)
    monkeypatch.setattr(webhooks, "_PATIENCE", 300.0)  # which no machine takes half of
    asyncio.run(main())
