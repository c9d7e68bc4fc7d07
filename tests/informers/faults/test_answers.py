"""Answers that servers give seldom, and some that they should not: from a server that does as it is told."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.informers import Informers
from kubewright.models.core_v1 import ConfigMap
from tests.client.peers import run
from tests.client.watch_script import (
    Line,
    Streamed,
    bookmark,
    config_map,
    error,
    event,
    eventually,
    listed,
    scripted,
)
from tests.informers.faults.connecting import short_pause
from tests.informers.faults.histories import PATIENCE, History

TOO_OLD: dict[str, Streamed | int] = {
    "status": 410,
    "ERROR event": Streamed([error(410, "Expired")]),
    "ERROR event of an old server": Streamed([error(410, "Gone")]),
    "ERROR event amid others": Streamed([event("MODIFIED", config_map("a", 11)), error(410, "Expired")]),
}


@pytest.mark.parametrize("answer", TOO_OLD.values(), ids=TOO_OLD)
def test_a_revision_that_is_too_old(answer: Streamed | int) -> None:
    async def test() -> None:
        async with (
            scripted(
                listed(10, config_map("a", 5), config_map("gone", 6), config_map("other", 7, uid="o1")),
                Streamed(then="cut"),
                answer,
                listed(30, config_map("a", 25), config_map("other", 26, uid="o2")),
                Streamed([event("ADDED", config_map("new", 31))], then="hang"),
            ) as (client, script, _),
            Informers(client, sleep=short_pause) as informers,
        ):
            history = History()
            informer = informers.of(ConfigMap)
            informer.on_change(history)
            await history.until_told("ADDED", "new")
            history.check()
            assert [(each.type, each.revision) for each in history.of("gone")] == [
                ("ADDED", 6),
                ("DELETED", 6),
            ]
            assert [(each.type, each.revision) for each in history.of("other")] == [
                ("ADDED", 7),
                ("DELETED", 7),
                ("ADDED", 26),
            ]
            assert history.of("a")[-1].revision == 25
            assert sorted(informer.keys()) == ["default/a", "default/new", "default/other"]
        watched = [query.get("resourceVersion", "") for query in script.queries if "watch" in query]
        assert watched == ["10", "10", "30"]

    run(test)


def test_two_objects_with_one_uid() -> None:
    """As restored backups and bad aggregated servers have them: they are two, and found by name."""

    async def test() -> None:
        one, two = config_map("one", 5, uid="same"), config_map("two", 6, uid="same")
        async with (
            scripted(
                listed(10, one, two),
                Streamed(
                    [
                        event("MODIFIED", config_map("two", 11, uid="same", data={"k": "2"})),
                        event("DELETED", config_map("one", 12, uid="same")),
                        event("ADDED", config_map("three", 13, uid="same")),
                    ],
                    then="hang",
                ),
            ) as (client, _, _),
            Informers(client) as informers,
        ):
            history = History()
            informer = informers.of(ConfigMap, index={"uid": lambda each: [each.metadata.uid]})
            informer.on_change(history)
            await history.until_told("ADDED", "three")
            history.check()
            assert [each.type for each in history.of("one")] == ["ADDED", "DELETED"]
            assert "DELETED" not in [each.type for each in history.of("two")]
            assert informer.get("default/one") is None
            found = informer.get("default/two")
            assert found is not None
            assert found.data == {"k": "2"}
            found_by_uid = sorted(each.metadata.name for each in informer.by("uid", "same"))
            assert found_by_uid == ["three", "two"]

    run(test)


def test_what_comes_and_goes_between_the_list_and_the_watch() -> None:
    async def test() -> None:
        async with (
            scripted(
                listed(10, config_map("a", 5)),
                Streamed(
                    [
                        event("DELETED", config_map("never seen", 11)),
                        event("ADDED", config_map("passing", 12)),
                        event("DELETED", config_map("passing", 13)),
                        bookmark(20),
                    ],
                    then="hang",
                ),
            ) as (client, _, _),
            Informers(client) as informers,
        ):
            history, slow = History(), History()
            informer = informers.of(ConfigMap, index={"name": lambda each: [each.metadata.name]})
            informer.on_change(history)
            await informer.seen("20")
            await history.until_told("DELETED", "passing")
            assert history.short() == [("ADDED", "a"), ("ADDED", "passing"), ("DELETED", "passing")]
            assert informer.keys() == ["default/a"]
            assert informer.by("name", "passing") == []
            assert informer._store.indexes["name"].values() == ["a"]
            # Whoever comes later is told of what is there alone.
            await informer.on_change(slow).synced(timeout=PATIENCE)
            assert slow.short() == [("ADDED", "a")]

    run(test)


def test_in_a_stream_of_what_is_there_what_was_deleted_is_left_out() -> None:
    async def test() -> None:
        async with (
            scripted(
                Streamed(
                    [
                        event("ADDED", config_map("a", 5)),
                        event("ADDED", config_map("b", 6)),
                        event("DELETED", config_map("b", 7)),
                        event("MODIFIED", config_map("a", 8)),
                        bookmark(10, end=True),
                    ],
                    then="hang",
                ),
            ) as (client, _, _),
            Informers(client, streams=True) as informers,
        ):
            history = History()
            informer = informers.of(ConfigMap)
            await informer.on_change(history).synced(timeout=PATIENCE)
            assert [(each.type, each.name, each.revision) for each in history.told] == [("ADDED", "a", 8)]
            assert informer.keys() == ["default/a"]

    run(test)


HALF: dict[str, list[Line]] = {
    "a page that is refused": [listed(10, config_map("ghost", 5), more="more"), 500],
    "a page that is too late": [listed(10, config_map("ghost", 5), more="more"), 410],
    "a stream that is cut": [Streamed([event("ADDED", config_map("ghost", 5))], then="cut")],
    "a stream that ends": [Streamed([event("ADDED", config_map("ghost", 5))])],
    "a stream with an error": [Streamed([event("ADDED", config_map("ghost", 5)), error(410, "Expired")])],
}


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
@pytest.mark.parametrize("what", HALF)
def test_what_half_a_list_had_is_forgotten(what: str, again: bool) -> None:
    """An object that was in it, and is not in the next one, never was; nor is it told of."""
    streams = "stream" in what
    known = config_map("a", 4, data={"k": "1"})

    def all_of(revision: int, *items: dict[str, Any]) -> Line:
        if not streams:
            return listed(revision, *items)
        return Streamed([*(event("ADDED", item) for item in items), bookmark(revision, end=True)], then="cut")

    before: list[Line] = [all_of(4, known), 410] if again else []

    async def test() -> None:
        async with (
            scripted(
                *before,
                *HALF[what],
                all_of(20, known),
                Streamed([event("ADDED", config_map("end", 21))], then="hang"),
            ) as (client, _, _),
            Informers(client, streams=streams, sleep=short_pause) as informers,
        ):
            history = History()
            informer = informers.of(ConfigMap, index={"name": lambda each: [each.metadata.name]})
            informer.on_change(history)
            await history.until_told("ADDED", "end")
            assert history.short() == [("ADDED", "a"), ("ADDED", "end")]
            assert sorted(informer.keys()) == ["default/a", "default/end"]
            assert informer.by("name", "ghost") == []

    run(test)


def test_another_object_of_the_name_without_a_deletion() -> None:
    """Where the deletion was lost, it is told nevertheless, and before the other object."""

    async def test() -> None:
        async with (
            scripted(
                listed(10, config_map("a", 5, uid="first", data={"k": "1"})),
                Streamed(
                    [
                        event("ADDED", config_map("a", 11, uid="second", data={"k": "2"})),
                        event("MODIFIED", config_map("a", 12, uid="third", data={"k": "3"})),
                        event("DELETED", config_map("a", 13, uid="second", data={"k": "2"})),
                        event("ADDED", config_map("end", 14)),
                    ],
                    then="hang",
                ),
            ) as (client, _, _),
            Informers(client) as informers,
        ):
            history = History()
            informer = informers.of(ConfigMap)
            informer.on_change(history)
            await history.until_told("ADDED", "end")
            history.check()
            assert [(each.type, each.uid, each.state["k"]) for each in history.of("a")] == [
                ("ADDED", "first", "1"),
                ("DELETED", "first", "1"),
                ("ADDED", "second", "2"),
                ("DELETED", "second", "2"),
                ("ADDED", "third", "3"),
            ]
            found = informer.get("default/a")
            assert found is not None
            assert found.metadata.uid == "third"

    run(test)


def test_streams_that_a_server_does_not_have_become_lists() -> None:
    async def test() -> None:
        async with (
            scripted(422, listed(10, config_map("a", 5)), Streamed(then="hang")) as (
                client,
                script,
                _,
            ),
            Informers(client, streams=True, sleep=short_pause) as informers,
        ):
            informer = informers.of(ConfigMap)
            await informer.synced(timeout=PATIENCE)
            assert informer.keys() == ["default/a"]
        assert [query.get("sendInitialEvents", "") for query in script.queries[:2]] == ["true", ""]

    run(test)


def test_events_twice_and_events_that_come_late() -> None:
    """A server with several caches behind one address may do so."""

    async def test() -> None:
        async with (
            scripted(
                listed(10, config_map("a", 5)),
                Streamed([event("MODIFIED", config_map("a", 12))], then="cut"),
                Streamed(
                    [
                        event("MODIFIED", config_map("a", 12)),
                        event("MODIFIED", config_map("a", 11)),
                        event("ADDED", config_map("b", 13)),
                    ],
                    then="hang",
                ),
            ) as (client, _, _),
            Informers(client, sleep=short_pause) as informers,
        ):
            history = History()
            informer = informers.of(ConfigMap)
            informer.on_change(history)
            await history.until_told("ADDED", "b")
            history.check()
            assert history.of("a")[-1].revision == 12
            assert len(history.of("a")) <= 2

    run(test)


BROKEN: dict[str, Streamed | int] = {
    "no JSON": Streamed([b"{nonsense}\n"]),
    "no event": Streamed([b'{"type":"STRANGE","object":{}}\n']),
    "half a frame": Streamed([event("ADDED", config_map("b", 11))[:40]]),
    "500": 500,
    "403": 403,
    "cut": Streamed(then="cut"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_it_never_gives_up(what: str) -> None:
    answer = BROKEN[what]
    # Where what came cannot be read, it is listed instead.
    again = [listed(11, config_map("a", 5), config_map("b", 11))] if what.startswith("no ") else []

    async def test() -> None:
        async with (
            scripted(
                answer,
                listed(10, config_map("a", 5)),
                answer,
                *again,
                Streamed([event("ADDED", config_map("b", 11))], then="hang"),
            ) as (client, _, _),
            Informers(client, sleep=short_pause) as informers,
        ):
            history = History()
            informer = informers.of(ConfigMap)
            informer.on_change(history)
            await history.until_told("ADDED", "b")
            assert history.short() == [("ADDED", "a"), ("ADDED", "b")]
            await eventually(lambda: informer.last_error is None, within=PATIENCE)

    run(test)
