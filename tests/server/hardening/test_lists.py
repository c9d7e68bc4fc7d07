"""Lists of very many objects, and selectors of very many requirements, do not hold the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from kubewright.server.storage import Value
from kubewright.testing import Cluster
from tests.server.hardening.loop_holds import measure_holds
from tests.server.raw_http import Answer, ask, failure

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
COUNT = 20_000

LONGEST = 0.2
"""Seconds of CPU time for which no callback may hold the loop here. Most of these requests held it for at
least twice as long, a selector for a second."""


async def fill(cluster: Cluster) -> None:
    """Objects as the store has them; one by one through the API they would take minutes."""
    for number in range(COUNT):
        name = f"c{number:06}"
        before = f'{{"metadata":{{"name":"{name}","namespace":"default","resourceVersion":"'
        after = f'","uid":"u-{number}","labels":{{"n":"{number % 10}"}}}},"data":{{}}}}'
        key = f"/registry/configmaps/default/{name}"
        await cluster.registry.storage.create(key, Value(before.encode(), after.encode()))
        if number % 100 == 0:
            await asyncio.sleep(0)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as running:
        assert running._loop is not None
        asyncio.run_coroutine_threadsafe(fill(running), running._loop).result()
        for accept in FORMS.values():
            assert get(running, "?limit=1", accept).status == 200
        yield running


def get(cluster: Cluster, query: str, accept: str = "application/json") -> Answer:
    answer = ask(cluster, "GET", CONFIG_MAPS + query, b"", {"Accept": accept})
    assert answer is not None
    return answer


def ready(cluster: Cluster) -> None:
    answer = ask(cluster, "GET", "/readyz")
    assert answer is not None
    assert answer.status == 200


FORMS = {
    "table": "application/json;as=Table;g=meta.k8s.io;v=v1",
    "protobuf": "application/vnd.kubernetes.protobuf",
    "yaml": "application/yaml",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(cluster: Cluster, form: str) -> None:
    with measure_holds() as holds:
        answer = get(cluster, "?limit=5000" if form == "yaml" else "", FORMS[form])
        ready(cluster)
    assert answer.status == 200
    assert holds.longest < LONGEST, holds.name


@pytest.mark.parametrize("limit", ["", "&limit=500"])
def test_selectors_with_very_many_requirements(cluster: Cluster, limit: str) -> None:
    selector = "%2C".join(f"!k{i}" for i in range(1_000))
    with measure_holds() as holds:
        answer = get(cluster, f"?labelSelector={selector}%2Cn%3D3{limit}")
        ready(cluster)
    assert len(answer.json()["items"]) == (500 if limit else COUNT // 10)
    assert holds.longest < LONGEST, holds.name


def test_selectors_of_half_a_megabyte(cluster: Cluster) -> None:
    selector = "%2C".join(["!a"] * 60_000)
    with measure_holds() as holds:
        answer = get(cluster, f"?limit=1&labelSelector={selector}%2Cn%3D3")
        ready(cluster)
    assert len(answer.json()["items"]) == 1
    assert holds.longest < LONGEST, holds.name


def test_selectors_of_watches_are_limited(cluster: Cluster) -> None:
    selector = "%2C".join(f"!k{i}" for i in range(1_001))
    message = failure(get(cluster, f"?watch=1&labelSelector={selector}"), 400)
    assert "at most 1000 requirements, and these have 1001" in message


def test_a_page_of_the_past(cluster: Cluster) -> None:
    answer = get(cluster, "?limit=1")
    token = answer.json()["metadata"]["continue"]
    deleted = ask(cluster, "DELETE", f"{CONFIG_MAPS}/c000005")
    assert deleted is not None
    assert deleted.status == 200
    page = get(cluster, f"?limit=10&continue={token}").json()
    assert [item["metadata"]["name"] for item in page["items"]] == [f"c{n:06}" for n in range(1, 11)]


def test_the_last_is_deletecollection(cluster: Cluster) -> None:
    with measure_holds() as holds:
        answer = ask(cluster, "DELETE", f"{CONFIG_MAPS}?labelSelector=n%20in%20(1%2C2%2C3%2C4)")
        ready(cluster)
    assert answer is not None
    assert len(answer.json()["items"]) == COUNT * 4 // 10
    assert holds.longest < LONGEST, holds.name
