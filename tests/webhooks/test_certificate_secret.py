"""Certificates in a Secret: replicas that agree, authorities that change, and Secrets that are spoilt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest

from kubewright import NotFound
from kubewright.models.core_v1 import Secret
from kubewright.testing import Cluster
from kubewright.webhooks import (
    CertificateError,
    CertificateSecret,
    Injection,
    Lifetimes,
    Review,
    WebhookServer,
    install,
    uninstall,
    validating,
)
from kubewright.webhooks.authorities import is_issued_by, names_in
from kubewright.webhooks.certificate_secret import read_state, write_state
from kubewright.webhooks.rotation import next_state
from tests.conformance.client import ServerUnderTest
from tests.webhooks.apps import App, InCluster, app, call, run_in, until
from tests.webhooks.replicas import LIFETIMES, Replica, Time, bundles, check, secret_in

BEGIN = Time().value


def test_replicas_agree(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        secret = secret_in(cluster, Time())
        replicas = await asyncio.gather(*(Replica(cluster.client, secret).start() for _ in range(8)))
        shown = {each.shown[0] for each in replicas}
        assert len(shown) == 1
        stored = await cluster.client.api(Secret, cluster.namespace).get("certs")
        assert stored.type == "kubernetes.io/tls"
        (one,) = shown
        assert (one.certificate, one.key, one.authority) == (
            stored.data["tls.crt"],
            stored.data["tls.key"],
            stored.data["ca.crt"],
        )

    run_in(server, test)


def test_an_authority_changes_under_replicas(server: ServerUnderTest) -> None:
    """Whatever the order in which replicas look, each shows what all bundles of the moment trust."""

    async def test(cluster: InCluster) -> None:
        now = Time()
        secret = secret_in(
            cluster, now, inject=Injection(configurations=[f"{cluster.namespace}.example.com"])
        )
        async with WebhookServer() as webhooks:
            webhooks.add(check)
            await install(cluster.client, webhooks, name=f"{cluster.namespace}.example.com")
        one, two = await asyncio.gather(*(Replica(cluster.client, secret).start() for _ in range(2)))
        first = one.shown[0]
        assert await bundles(cluster) == {first.authority}
        now.move(days=280)
        await asyncio.gather(one.look(), two.look())
        staged = await one.look()
        assert await two.look() == staged
        assert staged.authority.startswith(first.authority)
        assert len(staged.authority) > len(first.authority)
        assert await bundles(cluster) == {staged.authority}
        now.move(minutes=59)
        assert await one.look() == staged
        now.move(minutes=2)
        taken = await one.look()
        assert taken.certificate != staged.certificate
        # The other one still shows the old certificate, and both are trusted.
        assert is_issued_by(two.shown[-1].certificate, first.authority)
        assert taken.authority.endswith(first.authority)
        assert await bundles(cluster) == {taken.authority}
        assert await two.look() == taken
        now.move(minutes=61)
        dropped = await two.look()
        assert taken.authority == dropped.authority + first.authority
        assert dropped.certificate == taken.certificate
        assert await bundles(cluster) == {dropped.authority}
        await uninstall(cluster.client, name=f"{cluster.namespace}.example.com")

    run_in(server, test)


def test_no_authority_takes_over_that_was_not_injected(
    server: ServerUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    async def test(cluster: InCluster) -> None:
        now = Time()
        # Labels that no server takes stand for rights that are missing.
        secret = secret_in(cluster, now, inject=Injection(labels="a in"))
        replica = await Replica(cluster.client, secret).start()
        now.move(days=280)
        staged = await replica.look()
        now.move(days=3)
        assert await replica.look() == staged
        # When it is injected at last, API servers get the time to hear of it.
        object.__setattr__(secret, "inject", Injection())
        assert await replica.look() == staged
        now.move(minutes=59)
        assert await replica.look() == staged
        now.move(minutes=2)
        assert (await replica.look()).certificate != staged.certificate

    run_in(server, test)
    assert "the CA bundle of the webhooks could not be injected" in caplog.text


def test_a_secret_that_is_deleted_comes_back_as_it_was(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        replica = await Replica(cluster.client, secret_in(cluster, Time())).start()
        secrets = cluster.client.api(Secret, cluster.namespace)
        await secrets.delete("certs")
        assert await replica.look() == replica.shown[0]
        assert (await secrets.get("certs")).data["tls.crt"] == replica.shown[0].certificate

    run_in(server, test)


def test_secrets_that_are_there(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        secrets = cluster.client.api(Secret, cluster.namespace)
        meta = {"metadata": {"name": "certs"}}
        # One that was prepared with the rights to change it alone.
        prepared = {
            **meta,
            "data": {"tls.crt": "", "tls.key": "", "mine": "YQ=="},
            "type": "kubernetes.io/tls",
        }
        await secrets.create(prepared)
        await Replica(cluster.client, secret_in(cluster, Time())).start()
        filled = await secrets.get("certs")
        assert filled.data["mine"] == b"a"
        assert filled.data["tls.crt"]
        # One with other names gets them, and keeps its authority.
        other = await Replica(cluster.client, secret_in(cluster, Time()), "other").start()
        assert "other" in names_in(other.shown[0].certificate)
        assert other.shown[0].authority == filled.data["ca.crt"]
        # Those of somebody else are left alone.
        for data, said in (
            ({"tls.crt": "YQ==", "tls.key": "YQ=="}, "has no ca-current.crt; delete it"),
            (
                {"tls.crt": "YQ==", "tls.key": "YQ==", "ca-current.crt": "YQ==", "ca.key": "YQ=="},
                "holds certificates that cannot be read; delete it, and it is made anew",
            ),
        ):
            await secrets.delete("certs")
            await secrets.create({**meta, "data": data})
            with pytest.raises(CertificateError, match=said) as caught:
                await Replica(cluster.client, secret_in(cluster, Time())).start()
            assert f"the Secret {cluster.namespace}/certs" in str(caught.value)
            assert (await secrets.get("certs")).data["tls.crt"] == b"a"
        with pytest.raises(NotFound, match="namespaces"):
            await Replica(
                cluster.client,
                CertificateSecret(name="certs", namespace="absent", lifetimes=LIFETIMES, now=Time()),
            ).start()

    run_in(server, test)


def test_states_are_read_as_they_were_written() -> None:
    state = next_state(None, now=BEGIN, names=["a"], lifetimes=LIFETIMES)
    for days in (0, 280, 281, 282):
        state = next_state(state, now=BEGIN + timedelta(days=days), names=["a"], lifetimes=LIFETIMES)
        assert read_state(Secret(data=write_state(state))) == state


def test_looks_that_are_too_seldom() -> None:
    with pytest.raises(ValueError, match="check_every=1801 is too seldom"):
        CertificateSecret(name="a", namespace="b", lifetimes=LIFETIMES, check_every=1801)


def test_one_name_is_a_list_too() -> None:
    with pytest.raises(TypeError, match=r"write configurations=\['a'\]"):
        Injection(configurations="a")


@pytest.fixture(scope="module")
def embedded() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as cluster:
        yield cluster


def test_a_server_of_a_secret(embedded: Cluster) -> None:
    async def test(cluster: InCluster) -> None:
        secret = CertificateSecret(name="certs", namespace=cluster.namespace)
        with pytest.raises(RuntimeError, match="need a client; give WebhookServer"):
            await WebhookServer(certificates=secret).__aenter__()
        with pytest.raises(ValueError, match="from a Secret or from files"):
            WebhookServer(certificates=secret, certificate_file="a", key_file="b")
        webhooks = WebhookServer(certificates=secret)
        webhooks.lend(cluster.client)

        @validating(App)
        async def refuses(review: Review[App]) -> None:
            from kubewright.webhooks import Denied

            raise Denied("no")

        webhooks.add(refuses)
        async with webhooks, cluster.asked(webhooks):
            assert (await call(cluster.apps.create(app("a")))).status.code == 403

    run_in(embedded, test)


def test_a_server_goes_on_without_its_api_server(caplog: pytest.LogCaptureFixture) -> None:
    """What fails is logged and tried again, and the webhooks go on with what they have."""

    async def test(cluster: InCluster) -> None:
        secret = CertificateSecret(
            name="certs",
            namespace=cluster.namespace,
            lifetimes=Lifetimes(overlap=timedelta(seconds=1)),
            check_every=0.02,
        )
        async with WebhookServer(certificates=secret, client=cluster.client) as webhooks:
            bundle = webhooks.ca_bundle
            secrets = cluster.client.api(Secret, cluster.namespace)
            stored = await secrets.get("certs")
            good = dict(stored.data)
            stored.data = {**good, "tls.crt": b"nothing"}
            stored = await secrets.update(stored)
            await until(lambda: "could not be looked after" in caplog.text)
            assert webhooks.ca_bundle == bundle
            # A key that is not the certificate's is found before it is in use.
            caplog.clear()
            other = next_state(None, now=BEGIN, names=["a"], lifetimes=LIFETIMES)
            stored.data = {**good, "tls.key": other.key}
            stored = await secrets.update(stored)
            await until(lambda: "cannot be used" in caplog.text)
            assert webhooks.ca_bundle == bundle
            assert "PRIVATE" not in caplog.text

    with Cluster.in_thread(controllers="none") as cluster, caplog.at_level(logging.INFO, "kubewright"):
        run_in(cluster, test)
