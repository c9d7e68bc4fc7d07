"""The event recorder: never in the way of a reconcile, and what it does when the server does not answer."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.events import EventRecorder, _reference
from kubewright.controllers.requests import Request
from kubewright.machinery.errors import NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.table import PartialObjectMetadata
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.core_v1 import ConfigMap, Event, Namespace, ObjectReference
from tests.client.peers import Asked, Handle, Peer, peer, run
from tests.controllers.running import config_map, managed, on_a_cluster, until


@asynccontextmanager
async def recorder(handle: Handle, **options: Any) -> AsyncIterator[tuple[EventRecorder, Peer]]:
    """A recorder whose server answers as a test says."""
    options = {"retry_delay": 0.01} | options
    async with (
        peer(handle) as server,
        Client(server.config) as client,
        EventRecorder(client, **options) as made,
    ):
        yield made, server


def accepted(asked: Asked, request: object = None) -> web.Response:
    return web.json_response(json.loads(asked.body), status=201)


def refused(code: int, reason: str, **more: object) -> web.Response:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason}
    return web.json_response({**status, "message": "no", **more}, status=code)


def messages(server: Peer) -> list[str]:
    return [json.loads(asked.body)["message"] for asked in server.asked]


def test_events_come_from_reconcilers_and_count() -> None:
    async def test(client: Client) -> None:
        reconciled = 0

        async def reconcile(ctx: Context, request: Request) -> None:
            nonlocal reconciled
            if request.name != "a":
                return
            found = await ctx.client.api(ConfigMap, request.namespace).get(request.name)
            ctx.events.normal(found, "Seen", "it is there", action="Look", related=found)
            ctx.events.named("other").warning(found, "Small", f"{len(found.data)} entries")
            reconciled += 1

        maps = client.api(ConfigMap, "default")
        made = await maps.create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: reconciled >= 1, "reconciled")
            await maps.patch("a", {"data": {"n": "1"}})
            await until(lambda: reconciled >= 2, "again")
        # What was recorded last is sent when the manager has stopped.
        events = [each async for each in client.api(Event, "default").list()]
        by_message = {each.message: each for each in events}
        assert sorted(by_message) == ["0 entries", "1 entries", "it is there"]
        seen = by_message["it is there"]
        assert (seen.type, seen.reason, seen.count, seen.action) == ("Normal", "Seen", reconciled, "Look")
        assert (seen.source.component, seen.reporting_component) == ("configmap", "configmap")
        about = seen.involved_object
        assert (about.api_version, about.kind, about.name) == ("v1", "ConfigMap", "a")
        assert (about.namespace, about.uid) == ("default", made.metadata.uid)
        assert about.resource_version
        assert seen.related is not None
        assert seen.related.name == "a"
        assert seen.first_timestamp is not None
        assert seen.metadata.name.startswith("a.")
        assert by_message["1 entries"].type == "Warning"
        assert by_message["1 entries"].source.component == "other"

    on_a_cluster(test)


def test_what_events_may_be_about() -> None:
    async def test(client: Client) -> None:
        async with EventRecorder(client) as events:
            events.normal(Namespace(metadata=ObjectMeta(name="shop", uid="u")), "A", "of no namespace")
            untyped = Unstructured(api_version="x.io/v1", kind="Widget", metadata=ObjectMeta(name="w"))
            events.normal(untyped, "B", "untyped")
            reference = ObjectReference(api_version="v1", kind="Pod", name="web", namespace="default")
            reference.field_path = "spec.containers{main}"
            events.normal(reference, "C", "a reference")
            events.normal(config_map("a"), "D", "a part", field_path="data.a")
        found = {each.reason: each async for each in client.api(Event).list()}
        assert {each.metadata.namespace for each in found.values()} == {"default"}
        assert found["A"].involved_object.to_dict() == {
            "apiVersion": "v1",
            "kind": "Namespace",
            "name": "shop",
            "uid": "u",
        }
        assert found["B"].involved_object.kind == "Widget"
        assert found["C"].involved_object.field_path == "spec.containers{main}"
        assert found["D"].involved_object.field_path == "data.a"

    on_a_cluster(test)


def test_an_event_that_the_server_has_forgotten_is_made_anew() -> None:
    async def test(client: Client) -> None:
        api = client.api(Event, "default")
        async with EventRecorder(client) as events:
            events.normal(config_map("a"), "A", "m")

            async def made() -> Event:
                async with asyncio.timeout(20):
                    while True:
                        async for each in api.list():
                            return each
                        await asyncio.sleep(0.005)

            first = await made()
            await api.delete(first.metadata.name)
            events.normal(config_map("a"), "A", "m")
            second = await made()
            assert (second.metadata.name, second.count) == (first.metadata.name, 2)

    on_a_cluster(test)


def test_recording_never_raises(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with recorder(accepted) as (events, server):
            nothing: Any = None
            events.normal(nothing, "A", "m")
            events.normal(ConfigMap(), "B", "m")
            events.event(config_map("a"), "Bad", "C", "m")  # type: ignore[arg-type]
            events.normal(PartialObjectMetadata(metadata=ObjectMeta(name="a")), "D", "m")
            strange = config_map("a")
            strange.metadata.namespace = "a/../b"
            events.normal(strange, "E", "m")
            events.normal(config_map("a"), "F", "no text: \ud800")
            events.normal(config_map("a"), "G", "good")
        assert messages(server) == ["good"]
        events.normal(config_map("a"), "H", "late")

    run(test)
    lines = [record.message for record in caplog.records]
    assert [line.partition(":")[0] for line in lines] == [
        *(f"an event '{reason}' cannot be recorded" for reason in "ABCDE"),
        "the event F of ConfigMap default/a cannot be sent",
        "the event H of ConfigMap default/a is dropped",
    ]
    assert "its type is 'Bad'; use normal(...) or warning(...)" in lines[2]


def test_from_other_threads() -> None:
    async def test() -> None:
        asyncio.get_running_loop().set_debug(True)  # So that a call from a wrong thread is an error.
        async with recorder(accepted) as (events, server):
            events.normal(config_map("a"), "A", "from here")
            await until(lambda: server.asked, "sent")
            await asyncio.to_thread(events.normal, config_map("a"), "A", "from afar")
            await until(lambda: len(server.asked) == 2, "sent at once")

    run(test)


def test_what_is_not_answered_is_tried_12_times_and_holds_up_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def handle(asked: Asked, request: object) -> web.Response | None:
        return None if b"lost" in asked.body else accepted(asked)

    async def test() -> None:
        async with recorder(handle) as (events, server):
            events.normal(config_map("a"), "A", "lost")
            events.normal(config_map("b"), "A", "sent")
            await until(lambda: messages(server).count("lost") == 12, "all tries")
            assert messages(server).index("sent") < 8

    run(test)
    assert "the event A of ConfigMap default/a is given up after 12 tries" in caplog.text


def test_of_what_waits_only_the_last_state_is_sent() -> None:
    answering = False

    def handle(asked: Asked, request: object) -> web.Response | None:
        return accepted(asked) if answering else None

    async def test() -> None:
        nonlocal answering
        async with recorder(handle, retry_delay=0.05) as (events, server):
            for _ in range(5):
                events.normal(config_map("a"), "A", "m")
                await until(lambda: server.asked, "tried")
            await until(lambda: len(server.asked) > 2, "tried again")
            answering = True
            await until(lambda: json.loads(server.asked[-1].body)["count"] == 5, "all that has happened")
            sent = len(server.asked)
        assert len(server.asked) - sent <= 1, (
            "once more at most, for what was tried before the server answered"
        )
        assert {asked.method for asked in server.asked} == {"POST"}

    run(test)


def test_the_states_of_an_event_are_sent_in_order() -> None:
    async def test() -> None:
        first_may_end = asyncio.Event()

        async def handle(asked: Asked, request: object) -> web.Response:
            if asked.method == "POST":
                await first_may_end.wait()
            return accepted(asked)

        async with recorder(handle) as (events, server):
            events.normal(config_map("a"), "A", "m")
            await until(lambda: server.asked, "begun")
            for _ in range(3):
                events.normal(config_map("a"), "A", "m")
            events.normal(config_map("b"), "A", "another")
            await until(lambda: len(server.asked) == 2, "another one is not held up")
            first_may_end.set()
        sent = [(asked.method, json.loads(asked.body)["count"]) for asked in server.asked]
        assert sent == [("POST", 1), ("POST", 1), ("PATCH", 4)]

    run(test)


def test_a_try_that_was_heard_but_not_answered() -> None:
    heard: list[str] = []

    def handle(asked: Asked, request: object) -> web.Response | None:
        if asked.method == "PATCH":
            return accepted(asked)
        heard.append(json.loads(asked.body)["metadata"]["name"])
        return None if len(heard) == 1 else refused(409, "AlreadyExists")

    async def test() -> None:
        async with recorder(handle, retry_delay=0.05) as (events, server):
            events.normal(config_map("a"), "A", "m")
            await until(lambda: server.asked, "heard")
            events.normal(config_map("a"), "A", "m")
            await until(lambda: server.asked[-1].method == "PATCH", "changed")
        last = server.asked[-1]
        assert json.loads(last.body)["count"] == 2
        assert last.target.endswith(heard[0])

    run(test)


@pytest.mark.parametrize(
    ("answer", "level"),
    [
        ((403, "Forbidden"), "WARNING"),
        ((409, "AlreadyExists"), "DEBUG"),
        ((403, "Forbidden", {"causes": [{"reason": "NamespaceTerminating"}]}), "DEBUG"),
    ],
)
def test_what_is_refused_is_not_retried(
    answer: tuple[Any, ...], level: str, caplog: pytest.LogCaptureFixture
) -> None:
    code, reason, *details = answer

    async def test() -> None:
        def handle(asked: Asked, request: object) -> web.Response:
            return refused(code, reason, **({"details": details[0]} if details else {}))

        async with recorder(handle) as (events, server):
            events.normal(config_map("a"), "A", "m")
            await until(lambda: server.asked, "asked")
        assert len(server.asked) == 1

    with caplog.at_level(logging.DEBUG, logger="kubewright.controllers.events"):
        run(test)
    (record,) = [record for record in caplog.records if "the server refuses the event" in record.message]
    assert record.levelname == level


def test_a_storm_is_bounded_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with recorder(accepted) as (events, server):
            for number in range(1500):
                events.normal(config_map(f"c{number}"), "A", "m")
            await until(lambda: len(server.asked) == 1000, "those that fit")
        assert len(server.asked) == 1000

    run(test)
    assert caplog.text.count("1000 events wait to be sent") == 1


def test_a_server_that_hangs_does_not_hold_up_the_end(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        over = asyncio.Event()

        async def hangs(asked: Asked, request: object) -> web.Response:
            await over.wait()
            return accepted(asked)

        async with peer(hangs) as server, Client(server.config) as client:
            async with asyncio.timeout(20), EventRecorder(client, stop_timeout=0.2) as events:
                for number in range(20):
                    events.normal(config_map(f"c{number}"), "A", "m")
                await until(lambda: server.asked, "asked")
            over.set()

    run(test)
    assert "20 events were not sent before the stop and are dropped" in caplog.text


def test_at_the_end_what_waits_for_another_try_has_one_more(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with recorder(lambda asked, request: None, retry_delay=600.0) as (events, server):
            events.normal(config_map("a"), "A", "m")
            await until(lambda: server.asked, "tried")
        assert len(server.asked) == 2

    run(test)
    assert "given up after 2 tries" in caplog.text


def test_a_closed_client_is_no_reason_to_try_again(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with peer(accepted) as server:
            client = Client(server.config)
            async with EventRecorder(client) as events:
                await client.close()
                events.normal(config_map("a"), "A", "m")
            assert not server.asked

    run(test)
    assert "cannot be sent: the client is closed" in caplog.text


def test_an_event_about_what_is_gone_is_still_recorded() -> None:
    async def test(client: Client) -> None:
        async with EventRecorder(client) as events:
            with pytest.raises(NotFound):
                await client.api(ConfigMap, "default").get("gone")
            events.warning(config_map("gone"), "Gone", "m")
        assert [each.reason async for each in client.api(Event, "default").list()] == ["Gone"]

    on_a_cluster(test)


def test_what_is_no_text_in_an_event_ends_no_recorder(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody checks types at run time; the recorder's end would be that of the manager."""

    async def test() -> None:
        async with recorder(accepted) as (made, server):
            newer = made.named("me", host="here", api="events.k8s.io")
            wrong: Any = ["first", "second"]
            newer.normal(config_map("a"), "Odd", "an action that is a list", action=wrong)
            # Past the recorder, as one who makes another kind of it would.
            event = made._recorded(_reference(config_map("b"), ""), "Normal", "Odd", "m")
            made._sender.put(msgspec.structs.replace(event, api="events.k8s.io", host=wrong))
            made.normal(config_map("c"), "Fine", "all is well")
            async with asyncio.timeout(20):
                while made.unsent:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
            assert sorted(messages(server)) == ["all is well", "an action that is a list"]

    caplog.set_level(logging.WARNING, "kubewright.controllers.events")
    asyncio.run(test())
    (message,) = caplog.messages
    assert message.startswith("the event Odd of ConfigMap default/b cannot be sent: TypeError: ")
    assert "unhashable type: 'list'" in message
