"""Replicas of a webhook server that share a Secret, with a clock that a test moves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from kubewright import Client, NotFound
from kubewright.models.admissionregistration_v1 import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
)
from kubewright.webhooks import CertificateSecret, Lifetimes, Review, defaulting, validating
from kubewright.webhooks.certificate_secret import SecretCertificates
from kubewright.webhooks.certificates import ServingCertificate
from tests.webhooks.apps import App, InCluster

__all__ = ["LIFETIMES", "Replica", "Time", "bundles", "check", "defaults", "secret_in"]

LIFETIMES = Lifetimes(overlap=timedelta(hours=1))
BEGIN = datetime.now(UTC)


class Time:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.value = BEGIN

    def __call__(self) -> datetime:
        return self.value

    def move(self, **by: float) -> None:
        self.value += timedelta(**by)


class Replica:
    """One of several processes: its certificates, and what it shows."""

    def __init__(self, client: Client, secret: CertificateSecret, *names: str) -> None:
        self.source = SecretCertificates(client, secret, names or ("app.default.svc",))
        self.shown: list[ServingCertificate] = []

    async def start(self) -> Replica:
        self.shown.append(await self.source.first())
        return self

    async def look(self) -> ServingCertificate:
        await self.source.check(self.shown.append)
        return self.shown[-1]


def secret_in(cluster: InCluster, now: Time, **options: Any) -> CertificateSecret:
    return CertificateSecret(
        name="certs", namespace=cluster.namespace, lifetimes=LIFETIMES, now=now, check_every=60, **options
    )


@validating(App)
async def check(review: Review[App]) -> None: ...


@defaulting(App)
async def defaults(review: Review[App]) -> None: ...


async def bundles(cluster: InCluster) -> set[bytes]:
    """The CA bundles of the configurations of the namespace."""
    found: set[bytes] = set()
    for kind in (MutatingWebhookConfiguration, ValidatingWebhookConfiguration):
        try:
            made = await cluster.client.api(kind).get(f"{cluster.namespace}.example.com")
        except NotFound:
            continue
        found |= {each.client_config.ca_bundle for each in made.webhooks}
    return found
