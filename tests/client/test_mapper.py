"""What the mapper says when the server has no such kind."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import pytest

from kubewright.client.discovery import Discovery
from kubewright.client.endpoint import Endpoint
from kubewright.client.mapper import Mapper
from kubewright.client.sender import Sender
from kubewright.machinery.errors import NotFound
from kubewright.machinery.gvk import GroupVersionKind, GroupVersionResource
from tests.client.discovery_server import DiscoveryServer, aggregated, group, resource
from tests.client.peers import peer, run

DOCUMENTS = {
    "/api": aggregated(group("", {"v1": [resource("pods", "Pod", categories=["all"])]})),
    "/apis": aggregated(
        group("apps", {"v1": [resource("deployments", "Deployment", categories=["all"])]}),
        group(
            "example.com", {"v2": [resource("widgets", "Widget")], "v1beta1": [resource("widgets", "Widget")]}
        ),
        *[
            group(f"many{number}", {"v1": [resource("crowds", "Crowd", scope="Cluster")]})
            for number in range(7)
        ],
    ),
}
BROKEN = {**DOCUMENTS, "/apis": aggregated(*DOCUMENTS["/apis"]["items"], group("metrics", {"v1": None}))}


def mapping(test: Callable[[Mapper], Awaitable[None]], documents: dict[str, object] = DOCUMENTS) -> None:
    async def main() -> None:
        async with peer(DiscoveryServer(documents), tls=False) as made:
            sender = Sender(made.config)
            try:
                await test(Mapper(Discovery(sender)))
            finally:
                await sender.close()

    run(main)


def test_a_kind_has_its_endpoint() -> None:
    async def test(mapper: Mapper) -> None:
        gvk = GroupVersionKind("example.com", "v1beta1", "Widget")
        gvr = GroupVersionResource("example.com", "v1beta1", "widgets")
        assert await mapper.endpoint(gvk) == Endpoint(gvk, gvr, namespaced=True)
        assert await mapper.kind_for(gvr) == gvk
        assert not (await mapper.resource("crowds.many3")).namespaced

    mapping(test)


def test_a_category_has_its_endpoints() -> None:
    async def test(mapper: Mapper) -> None:
        assert [each.gvk.kind for each in await mapper.category("all")] == ["Pod", "Deployment"]
        with pytest.raises(NotFound, match="serves nothing of the category 'some'"):
            await mapper.category("some")

    mapping(test)


@pytest.mark.parametrize(
    ("api_version", "kind", "words"),
    [
        (
            "example.com/v1",
            "Widget",
            "no Widget in example.com/v1; it serves it in the versions v2, v1beta1 (",
        ),
        ("apps/v1beta1", "Deployment", "no Deployment in apps/v1beta1; it serves it in the version v1 ("),
        ("extensions/v1beta1", "Deployment", "extensions/v1beta1; it serves Deployment in apps/v1 ("),
        ("v1", "Nothing", "no Nothing in v1; is its CustomResourceDefinition installed? ("),
        # A kind is not served because one with other letters is.
        ("v1", "pod", "no pod in v1; is its CustomResourceDefinition installed? ("),
        ("many/v1", "Crowd", "in many0/v1, many1/v1, many2/v1, many3/v1, many4/v1 and 2 more ("),
    ],
)
def test_a_kind_that_is_not_served(api_version: str, kind: str, words: str) -> None:
    async def test(mapper: Mapper) -> None:
        with pytest.raises(NotFound, match=re.escape(words)) as raised:
            await mapper.endpoint(GroupVersionKind.from_api_version(api_version, kind))
        assert raised.value.status.code == 404
        assert raised.value.status.details is not None
        assert raised.value.status.details.kind == kind

    mapping(test)


def test_a_resource_that_is_not_served() -> None:
    async def test(mapper: Mapper) -> None:
        with pytest.raises(
            NotFound, match=r"^http://127.0.0.1:\d+ serves nothing that is called 'wigdets'; "
        ):
            await mapper.resource("wigdets")
        with pytest.raises(NotFound, match=r"serves no resource 'widgets' in example.com/v3 \("):
            await mapper.kind_for(GroupVersionResource("example.com", "v3", "widgets"))

    mapping(test)


def test_what_could_not_be_read_is_said_with_what_is_not_there() -> None:
    words = r"; what these groups have is not known: metrics/v1 \(.* \(503 \w+\)\) \(404 NotFound\)$"

    async def test(mapper: Mapper) -> None:
        with pytest.raises(NotFound, match=words):
            await mapper.resource("nodemetrics")
        with pytest.raises(NotFound, match=words):
            await mapper.endpoint(GroupVersionKind("metrics", "v1", "NodeMetrics"))
        with pytest.raises(NotFound, match=words):
            await mapper.kind_for(GroupVersionResource("metrics", "v1", "nodes"))
        with pytest.raises(NotFound, match=words):
            await mapper.category("nothing")

    mapping(test, BROKEN)
