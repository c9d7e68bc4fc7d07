"""What is put into clusters: webhook configurations, and CA bundles in what is there."""

from __future__ import annotations

import asyncio

import pytest

from kubewright import NotFound
from kubewright.models.admissionregistration_v1 import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
)
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.core_v1 import Secret
from kubewright.webhooks import Injection, WebhookServer, install, uninstall
from kubewright.webhooks.certificates import make_certificate
from kubewright.webhooks.injection import inject
from tests.conformance.client import ServerUnderTest
from tests.crd.versioned_kinds import Site
from tests.webhooks.apps import InCluster, run_in
from tests.webhooks.replicas import Replica, Time, bundles, check, defaults, secret_in


def test_bundles_are_injected(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        name = f"{cluster.namespace}.example.com"
        labels = {"operator": cluster.namespace}
        definitions = cluster.client.api(CustomResourceDefinition)
        async with WebhookServer() as webhooks:
            webhooks.add_conversion(Site)
            webhooks.add(check)
            webhooks.add(defaults)
            definition = Site.crd(conversion=webhooks.conversion())
            definition.metadata.labels.update(labels)
            await definitions.create(definition)
            await install(cluster.client, webhooks, name=name, labels=labels)
            other = await bundles(cluster)
        site = definition.metadata.name
        try:
            for inject in (
                Injection(configurations=[name, "absent"], definitions=[site, "absent.example.com"]),
                Injection(labels=f"operator={cluster.namespace}"),
                Injection(labels=f"operator={cluster.namespace}", configurations=[name]),
            ):
                await cluster.client.api(Secret, cluster.namespace).delete_collection()
                replica = await Replica(cluster.client, secret_in(cluster, Time(), inject=inject)).start()
                bundle = replica.shown[0].authority
                assert await bundles(cluster) == {bundle} != other
                conversion = (await definitions.get(site)).spec.conversion
                assert conversion is not None
                assert conversion.webhook is not None
                assert conversion.webhook.client_config is not None
                assert conversion.webhook.client_config.ca_bundle == bundle
                # Somebody applies his manifests again.
                for kind in (MutatingWebhookConfiguration, ValidatingWebhookConfiguration):
                    patch = [{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]
                    await cluster.client.api(kind).patch(name, patch)
                await replica.look()
                assert await bundles(cluster) == {bundle}
        finally:
            await definitions.delete(site)
            # Other tests of this server define it, too.
            await definitions.wait_for(site, "deleted", timeout=60)
            await uninstall(cluster.client, name=name)

    run_in(server, test)


def test_an_older_bundle_never_replaces_a_newer_one(server: ServerUnderTest) -> None:
    """A replica that read the Secret before another one changed it finds out before it writes."""
    old, new = (make_certificate(["a"]).authority for _ in range(2))

    async def test(cluster: InCluster) -> None:
        name = f"{cluster.namespace}.example.com"
        targets = Injection(configurations=[name])
        async with WebhookServer() as webhooks:
            webhooks.add(check)
            await install(cluster.client, webhooks, name=name)

        async def current() -> bytes:
            return new

        for _ in range(2):
            assert await inject(cluster.client, targets, old, current)
            assert await bundles(cluster) == {new}
        await uninstall(cluster.client, name=name)

    run_in(server, test)


def test_what_is_installed(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        name = f"{cluster.namespace}.example.com"
        validations = cluster.client.api(ValidatingWebhookConfiguration)
        async with WebhookServer() as webhooks, WebhookServer() as fewer:
            webhooks.add(check)
            webhooks.add(defaults)
            replicas = (install(cluster.client, webhooks, name=name, labels={f"n{n}": "x"}) for n in range(4))
            await asyncio.gather(*replicas)
            made = await validations.get(name)
            assert set(made.metadata.labels) == {"n0", "n1", "n2", "n3"}
            assert (
                made.webhooks[0].client_config.url == f"{webhooks.url}/validate-webhooks-example-com-v1-app"
            )
            await install(cluster.client, webhooks, name=name, service="ns/svc", port=8443, labels={"a": "b"})
            made = await validations.get(name)
            service = made.webhooks[0].client_config.service
            assert service is not None
            assert (service.namespace, service.name, service.port) == ("ns", "svc", 8443)
            assert made.webhooks[0].client_config.ca_bundle == webhooks.ca_bundle
            assert made.metadata.labels["a"] == "b"
            fewer.add(check)
            await install(cluster.client, fewer, name=name)
            assert "service" not in (await validations.get(name)).webhooks[0].client_config.to_dict()
            with pytest.raises(NotFound):
                await cluster.client.api(MutatingWebhookConfiguration).get(name)
            with pytest.raises(ValueError, match="service='svc' does not say where it is; write name"):
                await install(cluster.client, fewer, name=name, service="svc")
            await uninstall(cluster.client, name=name)
            await uninstall(cluster.client, name=name)
            with pytest.raises(NotFound):
                await validations.get(name)

    run_in(server, test)
