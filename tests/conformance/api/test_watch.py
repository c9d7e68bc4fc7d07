"""Watches, waits and changes under conflict, on both servers."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from kubewright.client.client import Client
from kubewright.client.watch import Watch
from kubewright.config import ANONYMOUS, Config
from kubewright.machinery.errors import Conflict, Forbidden, NotFound, Unauthorized, WaitTimeout
from kubewright.models.core_v1 import ConfigMap, Pod
from kubewright.models.events_v1 import Event
from kubewright.testing import FaultProxy
from tests.conformance.api.conftest import Use
from tests.conformance.client import ServerUnderTest
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import pod

OURS = "app=ours"
"""A selector, since real clusters put a ConfigMap into each namespace."""


def ours(name: str, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": {"app": "ours"}}, "data": data}


def event(name: str, namespace: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": namespace},
        "regarding": {"namespace": namespace, "kind": "Pod", "name": "somebody"},
        "reason": "Tested",
        "action": "Testing",
        "type": "Normal",
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "example.com/tests",
        "reportingInstance": "tests-0",
    }


async def take(watch: Watch[Any], count: int) -> list[tuple[str, str]]:
    """The next events, without the bookmarks that a server sends when it likes."""
    taken: list[tuple[str, str]] = []
    async with asyncio.timeout(30):
        while len(taken) < count:
            found = await anext(watch)
            if found.type != "BOOKMARK" or found.ends_initial_events:
                taken.append((found.type, found.object.metadata.name))
    return taken


def test_what_is_there_and_what_happens(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        made = [await api.create(ours(name)) for name in ("a", "b")]
        async with api.watch(labels=OURS, bookmarks=True) as watch:
            first = [await anext(watch) for _ in range(2)]
            assert [found.object for found in first] == made
            end = await anext(watch)
            assert end.ends_initial_events
            assert int(end.resource_version) >= int(made[1].metadata.resource_version)
            await api.patch("a", {"data": {"k": "1"}})
            await api.delete("b")
            await api.create(ours("b"))
            expected = [("MODIFIED", "a"), ("DELETED", "b"), ("ADDED", "b")]
            assert await take(watch, 3) == expected

    use(test)


def test_changes_alone(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        await api.create(ours("a"))
        async with api.watch(labels=OURS, initial=False, bookmarks=True) as watch:
            assert (await anext(watch)).ends_initial_events
            await api.create(ours("b"))
            assert await take(watch, 1) == [("ADDED", "b")]

    use(test)


def test_from_a_revision(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        made = await api.create(ours("a"))
        await api.patch("a", {"data": {"k": "1"}})
        await api.delete("a")
        async with api.watch(labels=OURS, resource_version=made.metadata.resource_version) as watch:
            assert await take(watch, 2) == [("MODIFIED", "a"), ("DELETED", "a")]
        async with api.watch(labels=OURS, resource_version="0") as watch:
            await api.create(ours("b"))
            events = await take(watch, 1)
            # The server's cache may still have what was deleted a moment ago.
            while events[-1] != ("ADDED", "b"):
                events += await take(watch, 1)

    use(test)


def test_one_object_and_a_selection(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        await api.create(ours("a"))
        async with api.watch(name="b") as one, api.watch(labels={"tier": "web"}) as selected:
            for kind, tier in (("ADDED", "web"), ("DELETED", "db"), ("ADDED", "web")):
                await api.patch("a", {"metadata": {"labels": {"tier": tier}}})
                assert await take(selected, 1) == [(kind, "a")]
            await api.create(ours("b"))
            assert await take(one, 1) == [("ADDED", "b")]
            await api.patch("b", {"data": {"k": "1"}})
            assert await take(one, 1) == [("MODIFIED", "b")]

    use(test)


def test_other_forms(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        await client.api(ConfigMap, namespace.name).create(ours("a", k="1"))
        async with client.dynamic("v1", "ConfigMap", namespace.name).watch(labels=OURS) as plain:
            found = (await anext(plain)).object
            assert (found.kind, found["data"]) == ("ConfigMap", {"k": "1"})
        api = client.api(ConfigMap, namespace.name).metadata()
        async with api.watch(labels=OURS, bookmarks=True) as watch:
            first = (await anext(watch)).object
            assert (first.kind, first.metadata.name) == ("PartialObjectMetadata", "a")
            assert (await anext(watch)).ends_initial_events
        everywhere = client.api(ConfigMap).watch(name="a", labels=OURS)
        async for seen in everywhere:
            if seen.object.metadata.namespace == namespace.name:
                break

    use(test)


def test_what_the_server_has_forgotten(
    use: Use[object], server: ServerUnderTest, namespace: Namespace, config: Config
) -> None:
    """With events, which kube-apiserver does not cache, so that it sees the compaction of etcd at once."""

    async def test(client: Client) -> None:
        api = client.api(Event, namespace.name)
        for name in ("changed", "deleted", "kept"):
            await api.create(event(name, namespace.name))
        with FaultProxy(config.server) as proxy:
            async with Client(msgspec.structs.replace(config, server=proxy.url)) as disturbed:
                watch = disturbed.api(Event, namespace.name).watch(bookmarks=True)
                assert [name for _, name in await take(watch, 4)] == ["changed", "deleted", "kept", ""]
                proxy.refuse()
                proxy.cut()
                await api.patch("changed", {"metadata": {"labels": {"a": "b"}}})
                await api.delete("deleted")
                last = await api.create(event("new", namespace.name))
                server.compact(int(last.metadata.resource_version))
                proxy.resume()
                events = await take(watch, 4)
                assert events == [
                    ("MODIFIED", "changed"),
                    ("ADDED", "new"),
                    ("DELETED", "deleted"),
                    ("BOOKMARK", ""),
                ]
                await api.create(event("newer", namespace.name))
                assert await take(watch, 1) == [("ADDED", "newer")]
                await watch.aclose()

    use(test)


def test_connections_that_break(use: Use[object], namespace: Namespace, config: Config) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        with FaultProxy(config.server) as proxy:
            async with Client(msgspec.structs.replace(config, server=proxy.url)) as disturbed:
                watch = disturbed.api(ConfigMap, namespace.name).watch(
                    labels=OURS, bookmarks=True, idle_timeout=0.5
                )
                assert await take(watch, 1) == [("BOOKMARK", "")]
                for number in range(10):
                    if number % 5 == 4:
                        proxy.black_hole()
                    else:
                        proxy.cut(reset=number % 2 == 0)
                    await api.create(ours(f"m{number}"))
                    events = await take(watch, 1)
                    while events[-1][0] == "BOOKMARK":
                        events += await take(watch, 1)
                    assert events[-1] == ("ADDED", f"m{number}")
                await watch.aclose()

    use(test)


def test_what_no_retry_mends(use: Use[object], config: Config) -> None:
    async def test(client: Client) -> None:
        with pytest.raises(NotFound):
            await anext(client.dynamic("example.com/v1", "Nothing").watch())
        async with Client(msgspec.structs.replace(config, credentials=ANONYMOUS)) as anonymous:
            with pytest.raises((Unauthorized, Forbidden)):
                await anext(anonymous.api(ConfigMap, "default").watch())

    use(test)


def test_waiting(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        pods = client.api(Pod, namespace.name)
        waiting = asyncio.create_task(pods.wait_for("a", "Ready=False", timeout=30))
        await pods.create(pod("a"))
        with pytest.raises(WaitTimeout, match=r"Pod 'a' was not Ready within 3 seconds: it has no condition"):
            await pods.wait_for("a", "Ready", timeout=3)
        conditions = [{"type": "Ready", "status": "False", "reason": "Slow"}]
        patch = {"status": {"conditions": conditions}}
        await pods.patch("a", patch, type="strategic", subresource="status")
        found = await waiting
        assert found is not None
        gone: asyncio.Task[object] = asyncio.create_task(pods.wait_for("a", "deleted", timeout=30))
        await pods.delete("a", grace_period=0)
        assert await gone is None

    use(test)


def test_changes_under_conflict(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        await api.create(ours("a", n="0"))

        def count(found: ConfigMap) -> None:
            found.data["n"] = str(int(found.data["n"]) + 1)

        await asyncio.gather(*(api.retry_on_conflict("a", count, attempts=50) for _ in range(5)))
        assert (await api.get("a")).data == {"n": "5"}

        async def overtaken(found: ConfigMap) -> None:
            await api.patch("a", {"data": {"n": found.metadata.resource_version}})
            found.data["n"] = "mine"

        with pytest.raises(Conflict):
            await api.retry_on_conflict("a", overtaken, attempts=2)

    use(test)
