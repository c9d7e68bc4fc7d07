"""Certificates and authorities that change all the time while an API server asks: no review may fail."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from kubewright import ApiError
from kubewright.models.core_v1 import Secret
from kubewright.webhooks import (
    CertificateSecret,
    Injection,
    Lifetimes,
    Review,
    WebhookServer,
    defaulting,
    validating,
)
from tests.conformance.client import ServerUnderTest
from tests.webhooks.apps import App, InCluster, app, run_in, until

OVERLAP = timedelta(seconds=2.5)
"""How long API servers have to hear of a new authority: a real one's informers take some time when cores are
busy, and those who run operators give them hours."""

PATIENCE = 150.0
"""Seconds until enough must have changed."""


@defaulting(App)
async def defaults(review: Review[App]) -> None:
    review.object.spec.replicas = 1


@validating(App)
async def check(review: Review[App]) -> None:
    await asyncio.sleep(0.005)


@pytest.mark.slow
def test_no_review_fails(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        secret = CertificateSecret(
            name="webhooks",
            namespace=cluster.namespace,
            inject=Injection(configurations=[f"{cluster.namespace}.example.com"]),
            # All is due a second after it was made.
            lifetimes=Lifetimes(
                authority=timedelta(hours=1),
                renew_authority_before=timedelta(hours=1) - timedelta(seconds=1),
                serving=timedelta(minutes=30),
                renew_serving_before=timedelta(minutes=30) - timedelta(seconds=1),
                overlap=OVERLAP,
            ),
            check_every=0.1,
        )
        authorities: set[bytes] = set()
        certificates: set[bytes] = set()
        asked = 0
        failures: list[str] = []

        def has_changed() -> bool:
            return asked > 100 and len(authorities) >= 3 and len(certificates) > len(authorities)

        async def stream(worker: int) -> None:
            nonlocal asked
            number = 0
            while not done.is_set():
                number += 1
                try:
                    made = await cluster.apps.create(app(f"a-{worker}-{number}"), dry_run=True)
                    assert made.spec.replicas == 1
                except ApiError as error:
                    failures.append(str(error))
                asked += 1

        async def look() -> None:
            while not done.is_set():
                found = await cluster.client.api(Secret, cluster.namespace).get("webhooks")
                authorities.add(found.data["ca-current.crt"])
                certificates.add(found.data["tls.crt"])
                await asyncio.sleep(0.1)

        done = asyncio.Event()
        webhooks = WebhookServer(certificates=secret, client=cluster.client)
        webhooks.add(defaults)
        webhooks.add(check)
        async with webhooks, cluster.asked(webhooks), asyncio.TaskGroup() as tasks:
            for worker in range(4):
                tasks.create_task(stream(worker))
            tasks.create_task(look())
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await until(lambda: bool(failures) or has_changed())
            done.set()
        assert failures == []
        assert has_changed(), (asked, len(authorities), len(certificates))

    run_in(server, test, within=PATIENCE + 60)
