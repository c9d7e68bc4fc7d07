"""Functions that look at other objects: with a manager's caches, with a client of their own, or with none."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from kubewright import Client, Manager
from kubewright.client.request import Request
from kubewright.client.sender import Hooks
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster
from kubewright.webhooks import Denied, Review, WebhookServer, validating
from tests.conformance.client import ServerUnderTest
from tests.webhooks.apps import App, InCluster, app, call, run_in
from tests.webhooks.caller import Caller
from tests.webhooks.questions import ask, ran

if TYPE_CHECKING:
    from kubewright.controllers.cached_client import CachedClient


@validating(App)
async def one_of_an_image(review: Review[App]) -> None:
    for other in await review.client.api(App, review.namespace).by("image", review.object.spec.image):
        if other.metadata.name != review.name:
            raise Denied(f"{other.metadata.name} has this image already")


@validating(App, path="/needs-a-map", name="needs-a-map.webhooks.example.com")
async def needs_a_map(review: Review[App]) -> None:
    maps = review.client.api(ConfigMap, review.namespace)
    if not [each async for each in maps.list(labels="for=apps")]:
        raise Denied("there is no config map for apps")


def test_what_is_read_comes_from_the_caches_of_the_manager(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        webhooks, sent = WebhookServer(), list[str]()

        def sending(request: Request) -> None:
            sent.append(f"{request.method} {request.path}")

        async with (
            Client(server.config, hooks=Hooks(before=[sending])) as client,  # type: ignore[attr-defined]
            Manager(client, signals=False, webhooks=webhooks) as manager,
        ):
            manager.index(App, {"image": lambda each: [each.spec.image]})
            manager.webhook(one_of_an_image)
            manager.webhook(needs_a_map)
            async with manager.running(), cluster.asked(webhooks):
                refused = await call(cluster.apps.create(app("a", image="x:1")))
                assert refused.status.message.endswith("denied the request: there is no config map for apps")
                labels = {"for": "apps"}
                maps = cluster.client.api(ConfigMap, cluster.namespace)
                await maps.create({"metadata": {"name": "m", "labels": labels}})
                kept = manager.cached.api(ConfigMap, cluster.namespace)
                while not [each async for each in kept.list(labels=labels)]:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
                before = len(sent)
                await cluster.apps.create(app("a", image="x:1"))
                seen = manager.cached.api(App)
                while not await seen.by("image", "x:1"):  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
                await cluster.apps.patch("a", {"spec": {"replicas": 2}})
                refused = await call(cluster.apps.create(app("b", image="x:1")))
                assert refused.status.message.endswith("denied the request: a has this image already")
                assert sent[before:] == []

    run_in(server, test)


def test_a_client_of_its_own_asks_the_server(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        async with cluster.asking(needs_a_map, client=cluster.client):
            refused = await call(cluster.apps.create(app("a")))
            assert "there is no config map for apps" in refused.status.message
            await cluster.client.api(ConfigMap, cluster.namespace).create(
                {"metadata": {"name": "m", "labels": {"for": "apps"}}}
            )
            # No cache has to hear of it.
            await cluster.apps.create(app("a", image="x:1"))

    run_in(server, test)


def test_without_a_client_it_is_said(caplog: pytest.LogCaptureFixture) -> None:
    async def test(caller: Caller, path: str) -> None:
        answer = await ask(caller, path)
        assert not answer["allowed"]

    ran(needs_a_map, test)
    assert "this webhook has no client; have a Manager serve it, or give WebhookServer(client=...) one" in (
        caplog.text
    )


def test_in_a_test() -> None:
    async def test() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as kube:
            review = Review(App.from_dict(app("a")), namespace="default", client=kube)
            with pytest.raises(Denied, match="there is no config map for apps"):
                await needs_a_map(review)
            with pytest.raises(LookupError, match="has no index where no manager has caches; use list"):
                await one_of_an_image(review)
            assert review.client is review.client
            assert review.client.uncached is kube
            async with Manager(kube, signals=False) as manager:
                cached: CachedClient = manager.cached
                assert Review(App.from_dict(app("a")), client=cached).client is cached

    asyncio.run(test())


def test_whose_client_it_is() -> None:
    """A manager lends its caches to a server of the same client, and not to one of another cluster."""

    async def test() -> None:
        async with (
            Cluster(controllers="none") as cluster,
            Client(cluster.config) as client,
            Client(cluster.config) as other,
            Manager(client, signals=False) as manager,
        ):
            cached = manager.cached
            for made, expected in ((None, client), (client, client), (other, other)):
                webhooks = WebhookServer(client=made)
                webhooks.lend(client, cached)
                given = webhooks._for_functions()
                assert given is not None
                assert given.uncached is expected
                assert (given is cached) == (expected is client)

    asyncio.run(test())
