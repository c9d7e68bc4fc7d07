"""Large bodies are read, merged and validated beside the event loop, which serves others meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from kubewright.machinery.errors import TooManyRequests
from kubewright.server.large_requests import LargeRequests
from kubewright.testing import Cluster
from tests.server.hardening.loop_holds import measure_holds
from tests.server.raw_http import Answer, ask

YAML = "application/yaml"
MERGE = "application/merge-patch+json"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"

LONGEST = 0.3
"""Seconds of CPU time for which no callback may hold the loop here. Each of these bodies held it for longer,
up to three times, when they were handled on the loop; now it is 10 to 30 ms."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as running:
        # What is imported and made with the first write is not what is measured.
        assert send(running, "POST", CONFIG_MAPS, {**config_map("warm", 1)}).status == 201
        assert patch(running, "warm", MERGE, {"data": {"a": "b"}}).status == 200
        yield running


def config_map(name: str, keys: int) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": {f"k{i}": "v" for i in range(keys)},
    }


def send(cluster: Cluster, method: str, path: str, body: object, media: str = "application/json") -> Answer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = ask(cluster, method, path, data, {"Content-Type": media})
    assert answer is not None
    return answer


def patch(cluster: Cluster, name: str, media: str, body: object) -> Answer:
    return send(cluster, "PATCH", f"{CONFIG_MAPS}/{name}?fieldManager=test", body, media)


def ready(cluster: Cluster) -> None:
    """A callback counts when it has returned, which it has when another request is answered."""
    answer = ask(cluster, "GET", "/readyz")
    assert answer is not None
    assert answer.status == 200


def test_yaml_with_very_many_elements(cluster: Cluster) -> None:
    body = (
        b"apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\nspec: {}\n"
        b"x: [" + b"1," * 500_000 + b"1]\n"
    )
    with measure_holds() as holds:
        answer = send(cluster, "POST", REVIEWS, body, YAML)
        ready(cluster)
    assert answer.status in {400, 422}
    assert holds.longest < LONGEST, holds.name


@pytest.mark.parametrize("media", ["application/json", YAML])
def test_a_large_object_is_created(cluster: Cluster, media: str) -> None:
    name = f"created-from-{media.partition('/')[2]}"
    with measure_holds() as holds:
        answer = send(cluster, "POST", CONFIG_MAPS, config_map(name, 100_000), media)
        ready(cluster)
    assert answer.status == 201
    assert len(answer.json()["data"]) == 100_000
    assert holds.longest < LONGEST, holds.name


def test_a_large_object_is_patched_and_applied(cluster: Cluster) -> None:
    assert send(cluster, "POST", CONFIG_MAPS, config_map("patched", 60_000)).status == 201
    with measure_holds() as holds:
        # The patch is small, the object is not.
        small = patch(cluster, "patched", MERGE, {"data": {"k0": "changed"}})
        large = patch(cluster, "patched", MERGE, {"data": {f"z{i}": "v" for i in range(50_000)}})
        applied = patch(cluster, "applied", "application/apply-patch+yaml", config_map("applied", 30_000))
        ready(cluster)
    assert (small.status, large.status, applied.status) == (200, 200, 201)
    assert small.json()["data"]["k0"] == "changed"
    assert len(large.json()["data"]) == 110_000
    assert len(applied.json()["data"]) == 30_000
    assert holds.longest < LONGEST, holds.name


def test_large_options_of_a_delete(cluster: Cluster) -> None:
    body = b'{"kind":"DeleteOptions","apiVersion":"v1","x":[' + b"1," * 700_000 + b"1]}"
    with measure_holds() as holds:
        answer = send(cluster, "DELETE", f"{CONFIG_MAPS}/none", body)
        ready(cluster)
    assert answer.status == 404
    assert holds.longest < LONGEST, holds.name


def test_so_many_large_requests_wait_and_no_more() -> None:
    async def main() -> None:
        requests = LargeRequests()
        end = asyncio.Event()

        async def work() -> None:
            async with requests.slot():
                await end.wait()

        tasks = [asyncio.create_task(work()) for _ in range(4 + 64)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await work()
        # A client that gives up makes room for another.
        tasks.pop().cancel()
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(work()))
        end.set()
        await asyncio.gather(*tasks)
        await work()

    asyncio.run(main())
