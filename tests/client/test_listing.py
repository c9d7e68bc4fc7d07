"""Lists that page by themselves, also when the server has forgotten what they were listing."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.machinery.errors import Expired
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing.cluster import Cluster
from tests.client.peers import Asked, peer, run, status


def page(names: list[str], revision: str, token: str = "") -> web.Response:
    items = [{"metadata": {"name": name, "namespace": "n"}} for name in names]
    metadata = {"resourceVersion": revision, **({"continue": token} if token else {})}
    body = {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items}
    return web.Response(text=json.dumps(body), content_type="application/json")


def query(asked: Asked) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(asked.target).query).items()}


def test_an_expired_token_goes_on_with_what_is_there_now() -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            sent = query(asked)
            if sent.get("continue") == "second":
                return status(410, "Expired")
            if "limit" in sent:
                return page(["a", "b"], "7", "second")
            # Meanwhile "a" has gone, "bb" and "d" have come.
            return page(["b", "bb", "c", "d"], "9")

        async with peer(answer) as server, Client(server.config) as client:
            listing = client.api(ConfigMap, "n").list(page_size=2, labels="app")
            found = [item.metadata.name async for item in listing]
            assert found == ["a", "b", "bb", "c", "d"]
            assert listing.resource_version == "9"
        assert [query(asked).get("labelSelector") for asked in server.asked] == ["app"] * 3

    run(test)


def test_an_expired_first_page_is_an_error() -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            return status(410, "Expired")

        async with peer(answer) as server, Client(server.config) as client:
            with pytest.raises(Expired):
                await client.api(ConfigMap, "n").list(resource_version="1").to_list()
        assert len(server.asked) == 1

    run(test)


def test_what_was_said_of_the_revision_is_said_once() -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            return page(["b"], "5") if "continue" in query(asked) else page(["a"], "5", "next")

        async with peer(answer) as server, Client(server.config) as client:
            listing = client.api(ConfigMap, "n").list(
                page_size=1, resource_version="5", resource_version_match="Exact"
            )
            assert [item.metadata.name for item in await listing.to_list()] == ["a", "b"]
        first, second = map(query, server.asked)
        assert (first["resourceVersion"], first["resourceVersionMatch"]) == ("5", "Exact")
        assert second == {"continue": "next", "limit": "1"}

    run(test)


def test_a_compacted_server() -> None:
    with Cluster.in_thread(controllers="none") as cluster:

        async def test() -> None:
            async with Client(cluster.config) as client:
                api = client.api(ConfigMap, "default")
                for name in "abcdef":
                    await api.create({"metadata": {"name": name}})
                found: list[str] = []
                async for item in api.list(page_size=2):
                    found.append(item.metadata.name)
                    if len(found) == 2:
                        await api.delete("a")
                        last = await api.create({"metadata": {"name": "cc"}})
                        cluster.compact(int(last.metadata.resource_version))
                assert found == ["a", "b", "c", "cc", "d", "e", "f"]

        run(test)


@pytest.mark.parametrize(
    ("size", "limits"),
    [(10, ["500", "500", "500"]), (10_000, ["500", "51", "51"]), (1_000_000, ["500", "50", "50"])],
)
def test_of_large_objects_fewer_are_asked_for(size: int, limits: list[str]) -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            number = int(query(asked).get("continue", "0"))
            return page(["a" * size], "5", str(number + 1) if number < 2 else "")

        async with peer(answer) as server, Client(server.config) as client:
            assert len(await client.api(ConfigMap, "n").list().to_list()) == 3
            assert len(await client.api(ConfigMap, "n").list(page_size=7).to_list()) == 3
        asked = [query(each)["limit"] for each in server.asked]
        assert asked == [*limits, "7", "7", "7"]

    run(test)
