"""Watches against a server that answers as written down: what is handed out, asked for again, and raised."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.client.watch import Watch
from kubewright.config import Config, TokenFile
from kubewright.machinery.errors import (
    ApiError,
    DecodeError,
    Forbidden,
    NotFound,
    TransportError,
    Unauthorized,
)
from kubewright.models.core_v1 import ConfigMap
from tests.client.peers import Peer, peer, run, some_credentials, status
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


def api(client: Client) -> Api[ConfigMap]:
    return client.api(ConfigMap, "default")


async def take(watch: Watch[Any], count: int) -> list[tuple[str, str, str]]:
    """The next events, as type, name and revision."""
    taken = []
    for _ in range(count):
        found = await anext(watch)
        taken.append((found.type, found.object.metadata.name, found.resource_version))
    return taken


A1, A2, B1, C21 = config_map("a", 11), config_map("a", 13), config_map("b", 12), config_map("c", 21)
BEGIN = Streamed([event("ADDED", A1), bookmark(11, end=True)])


async def read(watch: Watch[Any]) -> None:
    async for _ in watch:
        pass


def test_a_frame_is_handed_out_as_soon_as_it_is_complete() -> None:
    async def test() -> None:
        whole = event("ADDED", A1)
        pieces = [whole[:7], whole[7:60], whole[60:] + bookmark(11, end=True)[:30]]
        async with scripted(Streamed(pieces, "hang")) as (client, _, _), api(client).watch() as watch:
            assert await take(watch, 1) == [("ADDED", "a", "11")]

    run(test)


def test_it_resumes_from_the_last_revision_and_repeats_nothing() -> None:
    async def test() -> None:
        lines = [
            BEGIN,
            Streamed([event("ADDED", B1), event("MODIFIED", A2)[:40]], "cut"),
            Streamed([event("MODIFIED", A2), bookmark(20)]),
            Streamed([event("ADDED", C21)], "hang"),
        ]
        async with scripted(*lines) as (client, script, _), api(client).watch() as watch:
            assert await take(watch, 4) == [
                ("ADDED", "a", "11"),
                ("ADDED", "b", "12"),
                ("MODIFIED", "a", "13"),
                ("ADDED", "c", "21"),
            ]
        revisions = [query.get("resourceVersion") for query in script.queries]
        assert revisions == [None, "11", "12", "20"]
        assert all(query["allowWatchBookmarks"] == "true" for query in script.queries)

    run(test)


def test_an_end_in_the_middle_of_a_frame_loses_nothing() -> None:
    async def test() -> None:
        lines = [BEGIN, Streamed([event("ADDED", B1)[:50]]), Streamed([event("ADDED", B1)], "hang")]
        async with scripted(*lines) as (client, _, _), api(client).watch() as watch:
            assert await take(watch, 2) == [("ADDED", "a", "11"), ("ADDED", "b", "12")]

    run(test)


@pytest.mark.parametrize(
    "gone",
    [410, Streamed([error(410, "Expired")]), Streamed([error(410, "Gone")])],
    ids=["status", "event", "old"],
)
@pytest.mark.parametrize("streams", [True, False])
def test_410_is_a_list_and_what_differs(gone: Line, streams: bool) -> None:
    after = [config_map("b", 12), config_map("c", 22), config_map("d", 30, "new")]

    def passed(revision: int, *items: dict[str, Any]) -> Line:
        if not streams:
            return listed(revision, *items)
        return Streamed([*(event("ADDED", item) for item in items), bookmark(revision, end=True)])

    async def test() -> None:
        begin = [A1, B1, config_map("c", 10), config_map("d", 9, "old")]
        last = Streamed([event("ADDED", config_map("e", 41))], "hang")
        lines: list[Line] = [passed(20, *begin), gone, passed(40, *after), last]
        if not streams:
            lines.insert(0, 422)
        async with scripted(*lines) as (client, script, _), api(client).watch() as watch:
            assert [name for _, name, _ in await take(watch, 4)] == ["a", "b", "c", "d"]
            assert await take(watch, 5) == [
                ("MODIFIED", "c", "22"),
                ("DELETED", "d", "9"),
                ("ADDED", "d", "30"),
                ("DELETED", "a", "11"),
                ("ADDED", "e", "41"),
            ]
        assert script.queries[-1]["resourceVersion"] == "40"
        assert "sendInitialEvents" not in script.queries[-1]

    run(test)


def test_a_list_comes_in_pages_and_restarts_when_a_page_is_too_late() -> None:
    async def test() -> None:
        lines: list[Line] = [
            422,
            listed(20, A1, more="x"),
            410,
            listed(25, A2, B1),
            Streamed([event("ADDED", config_map("c", 26))], "hang"),
        ]
        async with scripted(*lines) as (client, script, _), api(client).watch() as watch:
            assert await take(watch, 4) == [
                ("ADDED", "a", "11"),
                ("MODIFIED", "a", "13"),
                ("ADDED", "b", "12"),
                ("ADDED", "c", "26"),
            ]
        assert [query.get("continue") for query in script.queries] == [None, None, "x", None, None]
        assert script.queries[1] == {"limit": "500"}
        assert script.queries[3] == {}
        assert script.queries[4]["resourceVersion"] == "25"

    run(test)


@pytest.mark.parametrize(
    ("code", "raised"), [(400, ApiError), (401, Unauthorized), (403, Forbidden), (404, NotFound)]
)
def test_what_no_retry_mends_is_raised_and_ends_the_watch(code: int, raised: type[ApiError]) -> None:
    async def test() -> None:
        async with scripted(BEGIN, code) as (client, script, _), api(client).watch() as watch:
            await take(watch, 1)
            with pytest.raises(raised):
                await anext(watch)
            with pytest.raises(StopAsyncIteration):
                await anext(watch)
        assert len(script.queries) == 2

    run(test)


def test_what_came_before_a_failure_is_handed_out_first() -> None:
    async def test() -> None:
        pieces = [event("ADDED", A1) + event("ADDED", B1) + error(403, "Forbidden")]
        async with scripted(Streamed(pieces)) as (client, _, _), api(client).watch() as watch:
            assert [name for _, name, _ in await take(watch, 2)] == ["a", "b"]
            with pytest.raises(Forbidden):
                await anext(watch)

    run(test)


@pytest.mark.parametrize(
    "frame",
    [b"<html>\n", event("UNHEARD", A1), event("ADDED", config_map("a", 1, data="none")) + b'{"type":7}\n'],
    ids=["no JSON", "no event", "no frame"],
)
def test_what_is_no_event_is_raised(frame: bytes) -> None:
    async def test() -> None:
        async with scripted(Streamed([frame])) as (client, _, _), api(client).watch() as watch:
            with pytest.raises(DecodeError):
                await take(watch, 2)

    run(test)


@pytest.mark.parametrize(
    "trouble",
    [429, 500, 503, 504, Streamed([error(500, "InternalError")]), Streamed(then="cut")],
    ids=["429", "500", "503", "504", "event", "cut"],
)
def test_what_passes_is_tried_again(trouble: Line) -> None:
    async def test() -> None:
        lines = [trouble, BEGIN, trouble, trouble, Streamed([event("ADDED", B1)], "hang")]
        async with scripted(*lines) as (client, script, _), api(client).watch() as watch:
            assert await take(watch, 2) == [("ADDED", "a", "11"), ("ADDED", "b", "12")]
        assert [query.get("resourceVersion") for query in script.queries] == [None, None, "11", "11", "11"]

    run(test)


def test_a_client_that_is_closed_is_said_to_be() -> None:
    async def test() -> None:
        async with scripted(BEGIN) as (client, _, _):
            watch = api(client).watch()
            await take(watch, 1)
            await client.close()
            with pytest.raises(TransportError, match="the client is closed"):
                await anext(watch)

    run(test)


def test_a_certificate_that_is_not_trusted_is_said_to_be() -> None:
    async def test() -> None:
        async with peer(lambda asked, request: status(500)) as server:
            from kubewright.server.certificates import make_credentials

            other = make_credentials(["127.0.0.1"])
            config = Config(server=server.config.server, authority=other.authority)
            async with Client(config) as client:
                with pytest.raises(TransportError, match="is not trusted"):
                    await anext(api(client).watch())
        assert some_credentials().authority != other.authority

    run(test)


def test_a_reader_that_was_cancelled_goes_on_where_it_was() -> None:
    async def test() -> None:
        lines = [
            Streamed([event("ADDED", A1), bookmark(11, end=True)], "hang"),
            Streamed([event("ADDED", B1)], "hang"),
        ]
        async with (
            scripted(*lines) as (client, script, server),
            api(client).watch(bookmarks=True) as watch,
        ):
            await take(watch, 2)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(take(watch, 1), 0.1)
            await until_disconnected(server)
            assert await take(watch, 1) == [("ADDED", "b", "12")]
        assert script.queries[1]["resourceVersion"] == "11"

    run(test)


async def until_disconnected(server: Peer) -> None:
    """Fails when a connection stays open; who waited for a farewell of TLS would wait for 30 seconds."""
    await eventually(lambda: not server.is_connected(), within=10)


@pytest.mark.parametrize("way", ["aclose", "aclosing", "break", "cancel", "other task"])
def test_however_a_watch_is_left_its_connection_is_closed(way: str) -> None:
    async def test() -> None:
        line = Streamed([event("ADDED", A1), bookmark(11, end=True)], "hang")
        async with scripted(line, tls=True) as (client, _, server):
            watch = api(client).watch()
            seen = asyncio.Event()

            async def read() -> None:
                async for _ in watch:
                    seen.set()

            if way == "aclose":
                await take(watch, 1)
                await watch.aclose()
                await watch.aclose()
            elif way == "aclosing":
                async with contextlib.aclosing(watch):
                    await take(watch, 1)
            elif way == "break":
                async for _ in watch:
                    break
                del watch
            else:
                task = asyncio.create_task(read())
                await seen.wait()
                assert server.is_connected()
                if way == "cancel":
                    task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await task
                else:
                    await watch.aclose()
                    await asyncio.wait_for(task, 10)
            await until_disconnected(server)

    # What is left unclosed must not wait for the garbage collector.
    gc.disable()
    try:
        run(test)
    finally:
        gc.enable()


def test_a_watch_reconnects_with_the_token_of_that_time(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("first")

    async def test() -> None:
        lines = [
            BEGIN,
            Streamed([bookmark(12)]),
            401,
            Streamed([event("ADDED", config_map("c", 30))], "hang"),
        ]
        async with (
            scripted(*lines, credentials=TokenFile(file)) as (client, script, _),
            api(client).watch() as watch,
        ):
            await take(watch, 1)
            file.write_text("second")
            assert await take(watch, 1) == [("ADDED", "c", "30")]
        assert script.tokens == ["first", "first", "first", "second"]
        assert script.queries[-1]["resourceVersion"] == "12"

    run(test)


def test_selectors_and_names_are_asked_for() -> None:
    async def test() -> None:
        async with scripted() as (client, script, _):
            watch = api(client).watch(labels={"app": "web"}, fields="a=b", name="x,y", resource_version="7")
            task = asyncio.create_task(read(watch))
            await eventually(lambda: bool(script.queries), within=10)
            task.cancel()
            await asyncio.wait([task])
        (query,) = script.queries
        assert query["labelSelector"] == "app=web"
        assert query["fieldSelector"] == r"metadata.name=x\,y,a=b"
        assert query["resourceVersion"] == "7"

    run(test)


def test_metadata_alone_is_watched_as_such() -> None:
    async def test() -> None:
        obj = {**A1, "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata"}
        mark = msgspec.json.decode(bookmark(11, end=True))
        mark["object"].update(apiVersion="meta.k8s.io/v1", kind="PartialObjectMetadata")
        line = Streamed([event("ADDED", obj), msgspec.json.encode(mark) + b"\n"], "hang")
        async with scripted(line) as (client, _, server):
            async with api(client).metadata().watch(bookmarks=True) as watch:
                assert await take(watch, 2) == [("ADDED", "a", "11"), ("BOOKMARK", "", "11")]
            assert "as=PartialObjectMetadata" in server.asked[0].headers["Accept"]

    run(test)


def test_a_deadline_of_nothing_is_refused() -> None:
    async def test() -> None:
        async with scripted() as (client, _, _):
            with pytest.raises(ValueError, match="idle_timeout must be more than 0 seconds, not 0"):
                api(client).watch(idle_timeout=0)
            with pytest.raises(ValueError, match="timeout must be more than 0 seconds, not -1"):
                api(client).watch(timeout=-1)

    run(test)


def test_with_a_timeout_it_tells_what_came_and_ends() -> None:
    async def test() -> None:
        begin = Streamed([event("ADDED", A1), bookmark(11, end=True), event("ADDED", B1)], "hang")
        async with scripted(begin) as (client, _, _):
            watch = api(client).watch(timeout=2)
            assert await take(watch, 2) == [("ADDED", "a", "11"), ("ADDED", "b", "12")]
            assert [found async for found in watch] == []
            assert [found async for found in watch] == [], "it stays over"

    run(test)


def test_a_timeout_ends_a_watch_whose_server_does_not_answer() -> None:
    async def test() -> None:
        async with Client(Config(server="http://127.0.0.1:1")) as client:
            assert [found async for found in api(client).watch(timeout=0.05)] == []

    run(test)


def test_a_reader_between_two_tries_ends_when_somebody_else_closes_the_watch() -> None:
    async def test() -> None:
        async with Client(Config(server="http://127.0.0.1:1")) as client:
            watch = api(client).watch()
            reading = asyncio.create_task(read(watch))
            await eventually(lambda: watch.last_error is not None, within=10)
            await watch.aclose()
            await asyncio.wait_for(reading, 20)

    run(test)
