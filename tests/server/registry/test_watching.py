"""Watches of a registry: what comes first, what comes then, and how selectors change what is seen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from kubewright.machinery.errors import Expired, Timeout
from kubewright.server.registry.delete import DeleteRequest, delete
from kubewright.server.registry.selection import Selection, select
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from kubewright.server.registry.watching import Watching, reached, watch
from tests.server.registry.objects import config_map, made, new_store, replaced, write

EVERYTHING = Selection("", "", None)
PATIENCE = 60.0
"""Seconds that events may take on a busy machine."""


async def seen(watching: Watching, count: int) -> list[tuple[str, str]]:
    """The types and names of the next events, which must come."""
    found: list[tuple[str, str]] = []
    deadline = asyncio.get_running_loop().time() + PATIENCE
    async for changes in watching.changes(deadline=deadline):
        found += [(change.type, read_meta(change.value).name) for change in changes]
        if len(found) >= count:
            break
    assert len(found) == count, found
    return found


def run(check: Callable[[Store], Awaitable[None]]) -> None:
    async def in_loop() -> None:
        await check(new_store())

    asyncio.run(in_loop())


def test_all_that_is_there_then_all_that_happens() -> None:
    async def check(store: Store) -> None:
        await made(store, config_map("a"), config_map("b"))
        watching = await watch(store, EVERYTHING, after_revision=None)
        assert [read_meta(value).name for value in watching.initial] == ["a", "b"]
        assert watching.start_revision == store.storage.revision
        await made(store, config_map("c"))
        await replaced(store, config_map("a", x="y"))
        await delete(store, "b", DeleteRequest(), write())
        assert await seen(watching, 3) == [("ADDED", "c"), ("MODIFIED", "a"), ("DELETED", "b")]
        assert watching.progress == store.storage.revision

    run(check)


def test_after_a_revision() -> None:
    async def check(store: Store) -> None:
        await made(store, config_map("a"))
        start = store.storage.revision
        await made(store, config_map("b"))
        watching = await watch(store, EVERYTHING, after_revision=start)
        assert watching.initial == []
        assert await seen(watching, 1) == [("ADDED", "b")]

    run(check)


def test_only_a_namespace_or_one_object() -> None:
    async def check(store: Store) -> None:
        watches = [
            await watch(store, Selection(namespace, name, None), after_revision=None)
            for namespace, name in (("ns", ""), ("ns", "a"), ("n", ""))
        ]
        # A name that begins like the other's is another.
        await made(store, config_map("ab"), config_map("a"), config_map("a", "n"), config_map("z", "n2"))
        assert await seen(watches[0], 2) == [("ADDED", "ab"), ("ADDED", "a")]
        assert await seen(watches[1], 1) == [("ADDED", "a")]
        assert await seen(watches[2], 1) == [("ADDED", "a")]

    run(check)


def test_selectors_make_events_of_what_comes_in_and_goes_out() -> None:
    async def check(store: Store) -> None:
        watching = await watch(store, select(store.type, namespace="ns", labels="in"), after_revision=None)
        await made(store, config_map("a"))
        for labels in ({"in": ""}, {"in": "1"}, {}, {"x": ""}, {"in": ""}):
            await replaced(store, config_map("a", **labels))
        await delete(store, "a", DeleteRequest(), write())
        types = [kind for kind, _ in await seen(watching, 5)]
        assert types == ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]

    run(check)


def test_what_is_never_selected_is_never_seen() -> None:
    async def check(store: Store) -> None:
        watching = await watch(store, select(store.type, namespace="ns", labels="in"), after_revision=None)
        await made(store, config_map("a"))
        await delete(store, "a", DeleteRequest(), write())
        await made(store, config_map("b", **{"in": ""}))
        assert await seen(watching, 1) == [("ADDED", "b")]

    run(check)


def test_what_goes_out_is_shown_as_it_last_was_in() -> None:
    async def check(store: Store) -> None:
        await made(store, config_map("a", **{"in": ""}))
        watching = await watch(store, select(store.type, namespace="ns", labels="in"), after_revision=None)
        await replaced(store, config_map("a"))
        deadline = asyncio.get_running_loop().time() + PATIENCE
        async for changes in watching.changes(deadline=deadline):
            (change,) = changes
            break
        meta = read_meta(change.value)
        assert (change.type, change.event) == ("DELETED", None)
        assert meta.labels == {"in": ""}
        assert meta.resource_version == str(store.storage.revision)

    run(check)


def test_a_quiet_watch_ticks_and_ends() -> None:
    async def check(store: Store) -> None:
        watching = await watch(store, EVERYTHING, after_revision=None)
        deadline = asyncio.get_running_loop().time() + PATIENCE
        ticks = []
        async for changes in watching.changes(deadline=deadline, tick=0.01):
            ticks.append(changes)
            if len(ticks) == 3:
                break
        assert ticks == [()] * 3
        ending = await watch(store, EVERYTHING, after_revision=None)
        deadline = asyncio.get_running_loop().time() + 0.05
        assert [changes async for changes in ending.changes(deadline=deadline)] == []

    run(check)


def test_a_closed_watch_ends() -> None:
    async def check(store: Store) -> None:
        watching = await watch(store, EVERYTHING, after_revision=None)
        assert watching in store.watches
        watching.close()
        deadline = asyncio.get_running_loop().time() + PATIENCE
        assert [changes async for changes in watching.changes(deadline=deadline)] == []

    run(check)


def test_a_revision_to_come_is_waited_for_in_silence() -> None:
    async def check(store: Store) -> None:
        await made(store, config_map("a"))
        to_come = store.storage.revision + 1
        watching = await watch(store, EVERYTHING, after_revision=to_come)
        await made(store, config_map("b"), config_map("c"))
        assert await seen(watching, 1) == [("ADDED", "c")]

    run(check)


def test_history_that_is_gone() -> None:
    async def check(store: Store) -> None:
        await made(store, config_map("a"), config_map("b"), config_map("c"))
        await store.storage.compact(store.storage.revision)
        with pytest.raises(Expired, match="The resourceVersion for the provided watch is too old"):
            await watch(store, EVERYTHING, after_revision=1)

    run(check)


def test_reads_wait_for_their_revision() -> None:
    async def check(store: Store) -> None:
        storage = store.storage
        await reached(storage, storage.revision)
        waiting = asyncio.ensure_future(reached(storage, storage.revision + 2, within=PATIENCE))
        await made(store, config_map("a"))
        assert not waiting.done()
        await made(store, config_map("b"))
        await waiting
        with pytest.raises(Timeout, match="Too large resource version"):
            await reached(storage, storage.revision + 1, within=0.01)

    run(check)
