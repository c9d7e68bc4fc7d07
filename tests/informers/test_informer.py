"""An informer of a server that answers as written down: waiting for it, its handlers, and its end."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.informers import Change, Informer, Informers
from kubewright.machinery.errors import NotSynced, WaitTimeout
from kubewright.models.core_v1 import ConfigMap
from tests.client.peers import Asked, peer, run
from tests.client.watch_script import (
    Line,
    Script,
    Streamed,
    bookmark,
    config_map,
    error,
    event,
    eventually,
    listed,
    scripted,
)
from tests.informers.objects import keys_of

A, B = config_map("a", 11), config_map("b", 12)
BOTH = listed(12, A, B)
SOON = 60.0
"""Seconds in which what must happen happens on a busy machine too."""


@asynccontextmanager
async def informer_of(*lines: Line, **arguments: Any) -> AsyncIterator[tuple[Informer[ConfigMap], Script]]:
    async with scripted(*lines) as (client, script, _), Informers(client) as informers:
        yield informers.of(ConfigMap, **arguments), script


class Gate:
    """A server that answers a list at once, and sends frames of one watch when the test says so."""

    def __init__(self, revision: int = 12, *items: dict[str, Any]) -> None:
        self._listed = listed(revision, *items).body
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        self.finished = asyncio.Event()

    def send(self, frame: bytes) -> None:
        self._frames.put_nowait(frame)

    async def __call__(self, asked: Asked, request: Any) -> Any:
        from aiohttp import web

        if "watch=true" not in asked.target:
            return web.json_response(self._listed)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while not self.finished.is_set():
            await response.write(await self._frames.get())
        return response


@asynccontextmanager
async def gated(*items: dict[str, Any], **arguments: Any) -> AsyncIterator[tuple[Informer[ConfigMap], Gate]]:
    gate = Gate(12, *items)
    async with peer(gate) as server, Client(server.config) as client, Informers(client) as informers:
        informer = informers.of(ConfigMap, **arguments)
        await informer.synced(timeout=SOON)
        try:
            yield informer, gate
        finally:
            gate.finished.set()
            gate.send(bookmark(10**6))


def test_reads_wait_for_the_list() -> None:
    async def test() -> None:
        async with informer_of(BOTH) as (informer, _):
            assert not informer.is_synced
            with pytest.raises(NotSynced, match=r"the informer of ConfigMap is not synced yet"):
                informer.list()
            await informer.synced(timeout=SOON)
            assert informer.is_synced
            assert keys_of(informer.list()) == ["default/a", "default/b"]
            assert informer.last_error is None

    run(test)


def test_who_waits_in_vain_is_told_why() -> None:
    async def test() -> None:
        async with informer_of(403, 403, 403) as (informer, _):
            await eventually(lambda: informer.last_error is not None, within=SOON)
            with pytest.raises(WaitTimeout, match=r"ConfigMap was not synced within 0 seconds: .*") as raised:
                await informer.synced(timeout=0)
            assert str(informer.last_error) in str(raised.value)

    run(test)


def test_what_was_seen_already_is_not_waited_for() -> None:
    async def test() -> None:
        async with gated(A, B) as (informer, _):
            await informer.seen("12", timeout=0)
            await informer.seen("9", timeout=0)
            await informer.seen(ConfigMap.from_dict(A), timeout=0)

    run(test)


@pytest.mark.parametrize(
    "sent", [event("MODIFIED", config_map("a", 20)), bookmark(20), event("ADDED", config_map("c", 30))]
)
def test_a_write_is_waited_for_until_it_can_be_read(sent: bytes) -> None:
    async def test() -> None:
        async with gated(A, B) as (informer, gate):
            written = ConfigMap.from_dict(config_map("a", 20))
            waiters = [asyncio.create_task(informer.seen(each)) for each in (written, "20", "15")]
            gate.send(event("MODIFIED", config_map("b", 15)))
            await asyncio.wait_for(waiters[2], SOON)
            assert not waiters[0].done()
            assert not waiters[1].done()
            gate.send(sent)
            await asyncio.wait_for(asyncio.gather(*waiters), SOON)
            assert informer._waiters == []

    run(test)


def test_revisions_are_numbers_and_not_texts() -> None:
    async def test() -> None:
        async with gated(A) as (informer, gate):
            waiter = asyncio.create_task(informer.seen("100"))
            gate.send(bookmark(99))
            await informer.seen("99", timeout=SOON)
            assert not waiter.done(), "99 is more than 100 as a text"
            gate.send(bookmark(100))
            await asyncio.wait_for(waiter, SOON)

    run(test)


def test_a_write_that_does_not_come_is_not_waited_for_for_ever() -> None:
    async def test() -> None:
        async with gated(A) as (informer, _):
            with pytest.raises(
                WaitTimeout,
                match=r"revision 99 was not seen by the informer of ConfigMap within 0\.01 seconds",
            ):
                await informer.seen("99", timeout=0.01)
            assert informer._waiters == []
            waiter = asyncio.create_task(informer.seen("99"))
            await asyncio.sleep(0)
            waiter.cancel()
            await asyncio.wait([waiter])
            assert informer._waiters == []

    run(test)


@pytest.mark.parametrize("revision", ["", "x", "1.5", "-3"])
def test_what_is_no_revision_cannot_be_waited_for(revision: str) -> None:
    async def test() -> None:
        async with gated(A) as (informer, _):
            with pytest.raises(
                ValueError, match=r"is no resourceVersion; give an object as a write returned it"
            ):
                await informer.seen(revision)
            with pytest.raises(ValueError, match=r"'' is no resourceVersion"):
                await informer.seen(ConfigMap())

    run(test)


def test_nothing_is_seen_before_the_first_list() -> None:
    async def test() -> None:
        async with informer_of(500, 500, BOTH) as (informer, _):
            waiter = asyncio.create_task(informer.seen("5", timeout=SOON))
            await eventually(lambda: informer.last_error is not None, within=SOON)
            assert not waiter.done()
            await waiter
            assert informer.is_synced

    run(test)


def test_of_several_namespaces_the_one_of_the_object_counts() -> None:
    async def test() -> None:
        async with gated(A, namespace=["default", "other"]) as (informer, gate):
            # One watch gets the frame, and it is the namespace of that watch which has seen it.
            gate.send(bookmark(40))
            await eventually(
                lambda: "40" in {each.revision for each in informer._reflectors.values()}, within=SOON
            )
            ahead = next(name for name, each in informer._reflectors.items() if each.revision == "40")
            seen, unseen = config_map("x", 40), config_map("x", 40)
            seen["metadata"]["namespace"] = ahead
            unseen["metadata"]["namespace"] = "other" if ahead == "default" else "default"
            await informer.seen(ConfigMap.from_dict(seen), timeout=0)
            with pytest.raises(WaitTimeout):
                await informer.seen(ConfigMap.from_dict(unseen), timeout=0.01)
            with pytest.raises(WaitTimeout):
                await informer.seen("40", timeout=0.01)
            gate.send(bookmark(40))
            gate.send(bookmark(40))

    run(test)


def told_to(heard: list[tuple[str, str, bool]]) -> Callable[[Change[ConfigMap]], None]:
    return lambda change: heard.append((change.type, change.key, change.initial))


def test_a_late_handler_hears_first_of_what_is_there() -> None:
    async def test() -> None:
        async with gated(A, B) as (informer, gate):
            heard: list[tuple[str, str, bool]] = []
            registration = informer.on_change(told_to(heard))
            assert heard == [], "called before it was its turn"
            await registration.synced(timeout=SOON)
            assert sorted(heard) == [("ADDED", "default/a", True), ("ADDED", "default/b", True)]
            gate.send(event("DELETED", config_map("a", 13)))
            await eventually(lambda: len(heard) == 3, within=SOON)
            assert heard[2] == ("DELETED", "default/a", False)
            registration.remove()
            gate.send(event("DELETED", config_map("b", 14)))
            await informer.seen("14", timeout=SOON)
            assert len(heard) == 3

    run(test)


def test_an_early_handler_is_synced_when_it_has_heard_of_all() -> None:
    async def test() -> None:
        async with informer_of(500, listed(12, A, more="next"), listed(12, B)) as (informer, _):
            heard: list[tuple[str, str, bool]] = []
            registration = informer.on_change(told_to(heard))
            await registration.synced(timeout=SOON)
            assert heard == [("ADDED", "default/a", True), ("ADDED", "default/b", True)]

    run(test)


def test_handlers_hear_of_what_they_asked_for() -> None:
    async def test() -> None:
        lines: list[Line] = [
            listed(12, A),
            Streamed([event("ADDED", B), event("MODIFIED", config_map("a", 13))]),
            Streamed([event("DELETED", config_map("b", 14)), bookmark(15)], "hang"),
        ]
        async with informer_of(*lines) as (informer, _):
            heard: list[tuple[str, ...]] = []
            informer.on_add(lambda new: heard.append(("add", new.metadata.name)))
            informer.on_update(
                lambda old, new: heard.append(
                    ("update", old.metadata.resource_version, new.metadata.resource_version)
                )
            )
            informer.on_delete(lambda last: heard.append(("delete", last.metadata.resource_version)))
            await informer.seen("15", timeout=SOON)
            await eventually(lambda: len(heard) >= 4, within=SOON)
            assert sorted(heard) == [("add", "a"), ("add", "b"), ("delete", "14"), ("update", "11", "13")]

    run(test)


def test_a_resync_that_cannot_be_leaves_no_handler_behind() -> None:
    async def test() -> None:
        async with gated(A) as (informer, _):
            for every in (0, -1.5):
                with pytest.raises(ValueError, match=r"resync must be more than 0 seconds, not "):
                    informer.on_change(lambda change: None, resync=every)
            assert informer._handlers == []

    run(test)


def test_a_handler_with_a_resync_is_told_of_all_again() -> None:
    async def test() -> None:
        rounds = asyncio.Semaphore(0)

        async def sleep(seconds: float) -> None:
            if seconds == 60:
                await rounds.acquire()
            else:
                await asyncio.sleep(seconds)

        async with scripted(BOTH) as (client, _, _), Informers(client, sleep=sleep) as informers:
            informer = informers.of(ConfigMap)
            await informer.synced(timeout=SOON)
            heard: list[tuple[str, bool]] = []
            registration = informer.on_change(
                lambda change: heard.append((change.key, change.resync)), resync=60
            )
            others: list[str] = []
            informer.on_change(lambda change: others.append(change.key))
            await registration.synced(timeout=SOON)
            rounds.release()
            await eventually(lambda: len(heard) == 4, within=SOON)
            assert sorted(heard[2:]) == [("default/a", True), ("default/b", True)]
            registration.remove()
            rounds.release()
            await asyncio.sleep(0)
            assert len(others) == 2
            assert len(heard) == 4

    run(test)


def test_five_handlers_that_are_slow_or_fail_hold_up_nobody() -> None:
    async def test() -> None:
        forever = asyncio.Event()

        async def slow(change: Change[ConfigMap]) -> None:
            await forever.wait()

        def failing(change: Change[ConfigMap]) -> None:
            raise ValueError("no")

        async with gated(A, B) as (informer, gate):
            for _ in range(5):
                informer.on_change(slow)
                informer.on_change(failing)
            heard: list[tuple[str, str, bool]] = []
            informer.on_change(told_to(heard))
            gate.send(event("MODIFIED", config_map("a", 13)))
            await informer.seen("13", timeout=SOON)
            await eventually(lambda: len(heard) >= 2, within=SOON)
            found = informer.get("default/a")
            assert found is not None
            assert found.metadata.resource_version == "13"

    run(test)


def test_the_index_of_whoever_asks_later_is_added() -> None:
    async def test() -> None:
        async with scripted(BOTH) as (client, _, _), Informers(client) as informers:
            informer = informers.of(ConfigMap)
            await informers.synced(timeout=SOON)

            def first(obj: ConfigMap) -> list[str]:
                return [obj.metadata.name[0]]

            assert informers.of(ConfigMap, index={"first": first}) is informer
            assert keys_of(informer.by("first", "a")) == ["default/a"]
            with pytest.raises(ValueError, match=r"there is another index 'first' already"):
                informer.add_index("first", lambda obj: [])

    run(test)


def test_a_410_in_the_watch_is_a_list_and_its_difference() -> None:
    async def test() -> None:
        lines: list[Line] = [
            BOTH,
            Streamed([error(410, "Expired")]),
            listed(20, config_map("a", 15), config_map("c", 16)),
            Streamed([bookmark(30)], "hang"),
        ]
        async with informer_of(*lines) as (informer, script):
            heard: list[tuple[str, str, bool]] = []
            informer.on_change(told_to(heard))
            await informer.seen("30", timeout=SOON)
            assert keys_of(informer.list()) == ["default/a", "default/c"]
            assert [query.get("resourceVersion") for query in script.queries] == [None, "12", None, "20"]
            await eventually(lambda: len(heard) >= 3, within=SOON)
            assert {each[:2] for each in heard} >= {("DELETED", "default/b"), ("ADDED", "default/c")}

    run(test)


def test_a_closed_informer_says_so_and_lets_go_of_its_objects() -> None:
    async def test() -> None:
        async with (
            scripted(BOTH, Streamed(then="hang"), BOTH) as (client, _, _),
            Informers(client) as informers,
        ):
            informer = informers.of(ConfigMap, index={"all": lambda obj: ["x"]})
            heard: list[tuple[str, str, bool]] = []
            registration = informer.on_change(told_to(heard))
            await registration.synced(timeout=SOON)
            informer.list(labels="a=b")
            store = weakref.ref(informer._store)
            await informer.close()
            await informer.close()
            for read in (informer.list, informer.keys, informer.__len__):
                with pytest.raises(NotSynced, match=r"the informer of ConfigMap is closed"):
                    read()
            assert registration.is_removed
            assert list(informer._store.items()) == []
            again = informers.of(ConfigMap)
            assert again is not informer
            await again.synced(timeout=SOON)
            del informer, registration, read
            await eventually(lambda: gc.collect() >= 0 and store() is None, within=SOON)

    run(test)


def test_a_handler_may_close_its_informer() -> None:
    async def test() -> None:
        async with informer_of(BOTH) as (informer, _):
            heard: list[str] = []

            async def handler(change: Change[ConfigMap]) -> None:
                heard.append(change.key)
                await informer.close()

            registration = informer.on_change(handler)
            await eventually(lambda: registration.is_removed, within=SOON)
            assert len(heard) == 1

    run(test)
