"""Waiting for objects, and updates under conflict, against a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.config import Config, config_from_kubeconfig
from kubewright.machinery.errors import Conflict, KubewrightError, NotFound, ParseError, WaitTimeout
from kubewright.models.core_v1 import ConfigMap, Pod
from kubewright.testing import Cluster
from tests.client.peers import run
from tests.client.watch_script import Line, Streamed, bookmark, config_map, event, scripted

LONG = 20.0
"""Seconds that nothing takes."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as made:
        yield made


def config_of(cluster: Cluster) -> Config:
    return config_from_kubeconfig(Path(cluster.kubeconfig).read_text())


@asynccontextmanager
async def client(cluster: Cluster) -> AsyncIterator[tuple[Client, str]]:
    """A client, and a fresh namespace."""
    async with Client(config_of(cluster)) as made:
        space = await made.dynamic("v1", "Namespace").create({"metadata": {"generateName": "waiting-"}})
        yield made, space.metadata.name


def pod(name: str, **metadata: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "main", "image": "example.com/main:1"}]}
    return {"metadata": {"name": name, **metadata}, "spec": spec}


async def set_ready(pods: Api[Pod], name: str, status: str) -> None:
    await pods.patch(
        name,
        {"status": {"conditions": [{"type": "Ready", "status": status, "reason": "Tested"}]}},
        type="strategic",
        subresource="status",
    )


def test_a_condition_that_holds_already(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            pods = made.api(Pod, space)
            await pods.create(pod("a"))
            await set_ready(pods, "a", "True")
            found = await pods.wait_for("a", "Ready", timeout=LONG)
            assert found is not None
            assert found.metadata.name == "a"

    run(test)


def test_an_object_that_does_not_exist_yet(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            pods = made.api(Pod, space)
            waiting = asyncio.create_task(pods.wait_for("a", "Ready", timeout=LONG))
            await pods.create(pod("other"))
            await set_ready(pods, "other", "True")
            await pods.create(pod("a"))
            await set_ready(pods, "a", "False")
            assert not waiting.done()
            await set_ready(pods, "a", "True")
            found = await waiting
            assert found is not None
            assert [item.status for item in found.status.conditions if item.type == "Ready"] == ["True"]

    run(test)


def test_a_function(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            maps = made.api(ConfigMap, space)
            waiting = asyncio.create_task(
                maps.wait_for("a", lambda found: found.data.get("k") == "2", timeout=LONG)
            )
            await maps.create({"metadata": {"name": "a"}, "data": {"k": "1"}})
            await maps.patch("a", {"data": {"k": "2"}})
            found = await waiting
            assert found is not None
            assert found.data == {"k": "2"}

    run(test)


def test_what_a_function_raises_is_raised(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            maps = made.api(ConfigMap, space)
            await maps.create({"metadata": {"name": "a"}})

            def fails(found: ConfigMap) -> bool:
                raise TimeoutError("mine")

            with pytest.raises(TimeoutError, match="mine") as raised:
                await maps.wait_for("a", fails, timeout=LONG)
            assert not isinstance(raised.value, KubewrightError)

    run(test)


def test_deletion(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            maps = made.api(ConfigMap, space)
            assert await maps.wait_for("never", "deleted", timeout=LONG) is None
            await maps.create({"metadata": {"name": "a", "finalizers": ["example.com/hold"]}})
            await maps.delete("a")
            waiting = asyncio.create_task(maps.wait_for("a", "deleted", timeout=LONG))
            await maps.patch("a", {"data": {"k": "1"}})
            assert not waiting.done()
            await maps.patch("a", {"metadata": {"finalizers": None}})
            assert await waiting is None

    run(test)


def test_an_object_of_the_same_name_is_not_the_one_that_was_deleted() -> None:
    async def test() -> None:
        lines: list[Line] = [
            Streamed([event("ADDED", config_map("a", 11, "first")), bookmark(11, end=True)]),
            410,
            Streamed([event("ADDED", config_map("a", 21, "second")), bookmark(21, end=True)], "hang"),
        ]
        async with scripted(*lines) as (made, script, _):
            assert await made.api(ConfigMap, "default").wait_for("a", "deleted", timeout=LONG) is None
        assert len(script.queries) == 3
        assert script.queries[0]["fieldSelector"] == "metadata.name=a"

    run(test)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("Ready", "was not Ready within 2 seconds: its condition Ready was False (Tested)"),
        ("Gone", "was not Gone within 2 seconds: it has no condition Gone, only"),
        ("deleted", "was not deleted within 2 seconds: it is still there, and nobody has deleted it"),
        (lambda found: False, "was not what the function asks for within 2 seconds: the function said no"),
    ],
    ids=["Ready", "Gone", "deleted", "function"],
)
def test_a_wait_that_takes_too_long_says_what_was(cluster: Cluster, condition: Any, words: str) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            pods = made.api(Pod, space)
            await pods.create(pod("a"))
            await set_ready(pods, "a", "False")
            with pytest.raises(WaitTimeout) as raised:
                await pods.wait_for("a", condition, timeout=2)
            assert isinstance(raised.value, TimeoutError)
            assert str(raised.value).startswith(f"Pod 'a' {words}")

    run(test)


def test_what_was_never_there(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            with pytest.raises(
                WaitTimeout, match=r"^Pod 'a' was not Ready within 2 seconds: it does not exist$"
            ):
                await made.api(Pod, space).wait_for("a", "Ready", timeout=2)

    run(test)


def test_a_server_that_is_not_there() -> None:
    async def test() -> None:
        async with Client(Config(server="http://127.0.0.1:1")) as made:
            with pytest.raises(WaitTimeout, match=r"within 1 seconds: http://127\.0\.0\.1:1 cannot be"):
                await made.api(Pod, "default").wait_for("a", "Ready", timeout=1.0)

    run(test)


def test_a_name_needs_its_namespace(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, _):
            with pytest.raises(ParseError, match="none was said"):
                await made.api(Pod).wait_for("a", "Ready", timeout=LONG)

    run(test)


def test_a_change_in_place_or_returned_or_awaited(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            maps = made.api(ConfigMap, space)
            await maps.create({"metadata": {"name": "a"}, "data": {"k": "0"}})

            def in_place(found: ConfigMap) -> None:
                found.data["k"] = "1"

            assert (await maps.retry_on_conflict("a", in_place)).data == {"k": "1"}

            def returned(found: ConfigMap) -> ConfigMap:
                return ConfigMap.from_dict({**found.to_dict(), "data": {"k": "2"}})

            assert (await maps.retry_on_conflict("a", returned)).data == {"k": "2"}

            async def awaited(found: ConfigMap) -> None:
                await asyncio.sleep(0)
                found.data["k"] = "3"

            assert (await maps.retry_on_conflict("a", awaited)).data == {"k": "3"}
            assert (await maps.get("a")).data == {"k": "3"}

    run(test)


def test_many_changes_at_once_all_happen(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            maps = made.api(ConfigMap, space)
            await maps.create({"metadata": {"name": "a"}, "data": {"n": "0"}})

            def count(found: ConfigMap) -> None:
                found.data["n"] = str(int(found.data["n"]) + 1)

            await asyncio.gather(*(maps.retry_on_conflict("a", count, attempts=100) for _ in range(10)))
            assert (await maps.get("a")).data == {"n": "10"}

    run(test)


def test_it_gives_up_after_its_attempts(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            maps = made.api(ConfigMap, space)
            await maps.create({"metadata": {"name": "a"}, "data": {"n": "0"}})
            calls = []

            async def overtaken(found: ConfigMap) -> ConfigMap:
                calls.append(found.metadata.resource_version)
                await maps.patch("a", {"data": {"n": str(len(calls))}})
                # Without a revision, an update would overwrite what the other has written.
                return ConfigMap.from_dict({"metadata": {"name": "a"}, "data": {"n": "mine"}})

            with pytest.raises(Conflict):
                await maps.retry_on_conflict("a", overtaken, attempts=3)
            assert len(set(calls)) == 3
            assert (await maps.get("a")).data == {"n": "3"}

    run(test)


def test_the_status_alone(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            pods = made.api(Pod, space)
            await pods.create(pod("a"))

            def change(found: Pod) -> None:
                found.status.message = "hello"
                found.spec.active_deadline_seconds = 5

            changed = await pods.retry_on_conflict("a", change, subresource="status")
            assert changed.status.message == "hello"
            assert changed.spec.active_deadline_seconds is None

    run(test)


def test_other_errors_are_raised_at_once(cluster: Cluster) -> None:
    async def test() -> None:
        async with client(cluster) as (made, space):
            maps = made.api(ConfigMap, space)
            with pytest.raises(NotFound):
                await maps.retry_on_conflict("a", lambda found: None)
            await maps.create({"metadata": {"name": "a"}})

            def stop(found: ConfigMap) -> None:
                raise LookupError("nothing to do")

            with pytest.raises(LookupError):
                await maps.retry_on_conflict("a", stop)
            with pytest.raises(ValueError, match="attempts must be at least 1, not 0"):
                await maps.retry_on_conflict("a", stop, attempts=0)

    run(test)
