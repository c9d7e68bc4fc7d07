"""What a watch decides, without a connection: the laws of its history, and what it does about failures."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.forms import form_of
from kubewright.client.watch_state import WatchState
from kubewright.machinery.errors import (
    ApiError,
    DecodeError,
    KubewrightError,
    TransportError,
    error_from_status,
)
from kubewright.machinery.options import ListOptions
from kubewright.machinery.status import Status, StatusCause, StatusDetails
from kubewright.machinery.watch import WatchDecoder, WatchEvent, encode_event
from kubewright.models.core_v1 import ConfigMap

FORM = form_of(ConfigMap)
DECODER = WatchDecoder(ConfigMap)


def new_state(**arguments: Any) -> WatchState[ConfigMap]:
    random = Random(1)  # noqa: S311 - the same in every run
    return WatchState(DECODER, ConfigMap.gvk, random=random, **arguments)


def refusal(code: int, reason: str = "", **details: Any) -> ApiError:
    made = StatusDetails(**details) if details else None
    return error_from_status(Status(status="Failure", code=code, reason=reason, details=made))


class Server:
    """The history of some objects, as a server has it."""

    def __init__(self) -> None:
        self.revision = 10
        self.now: dict[str, dict[str, Any]] = {}
        self.log: list[tuple[int, str, dict[str, Any]]] = []
        self.compacted = 0
        self._uids = 0

    def write(self, name: str) -> None:
        """Creates an object, or changes it."""
        self.revision += 1
        before = self.now.get(name)
        if before is None:
            self._uids += 1
        uid = before["metadata"]["uid"] if before is not None else f"uid-{self._uids}"
        meta = {"name": name, "namespace": "default", "uid": uid, "resourceVersion": str(self.revision)}
        self.now[name] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}
        self.log.append((self.revision, "ADDED" if before is None else "MODIFIED", self.now[name]))

    def delete(self, name: str) -> None:
        if name in self.now:
            self.revision += 1
            gone = self.now.pop(name)
            meta = {**gone["metadata"], "resourceVersion": str(self.revision)}
            self.log.append((self.revision, "DELETED", {**gone, "metadata": meta}))

    def compact(self) -> None:
        self.compacted = self.revision

    def frames(self, options: ListOptions) -> list[bytes]:
        """All that a watch would get now. Raises Expired."""
        if options.send_initial_events:
            initial = [frame("ADDED", obj) for obj in self.now.values()]
            return [*initial, bookmark(self.revision, end=True)]
        start = int(options.resource_version)
        if start < self.compacted:
            raise refusal(410, "Expired")
        return [frame(kind, obj) for revision, kind, obj in self.log if revision > start]

    def page(self, options: ListOptions) -> bytes:
        """A page of a list; continue tokens hold the revision, and expire with it."""
        revision, start = self.revision, 0
        if options.continue_:
            revision, start = (int(part) for part in options.continue_.split("/"))
            if revision < self.compacted:
                raise refusal(410, "Expired")
        items = sorted(self.at(revision).values(), key=lambda obj: str(obj["metadata"]["name"]))
        size = 2 if options.limit is not None else len(items)
        more = f"{revision}/{start + size}" if start + size < len(items) else ""
        meta = {"resourceVersion": str(revision), "continue": more}
        return json.dumps({"metadata": meta, "items": items[start : start + size]}).encode()

    def at(self, revision: int) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for written, kind, obj in self.log:
            if written <= revision:
                name = obj["metadata"]["name"]
                found.pop(name, None) if kind == "DELETED" else found.update({name: obj})
        return found


def frame(kind: Any, obj: dict[str, Any]) -> bytes:
    return encode_event(kind, json.dumps(obj).encode()).rstrip()


def bookmark(revision: int, *, end: bool = False) -> bytes:
    marks = {"annotations": {"k8s.io/initial-events-end": "true"}} if end else {}
    meta = {"resourceVersion": str(revision), **marks}
    return frame("BOOKMARK", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})


class Reader:
    """Keeps what events say, and holds them to what a reader may rely on."""

    def __init__(self, known: dict[str, dict[str, Any]] | None = None) -> None:
        self.now = {
            name: (obj["metadata"]["uid"], obj["metadata"]["resourceVersion"])
            for name, obj in (known or {}).items()
        }
        self.told: list[tuple[str, str, str]] = []

    def read(self, events: Any) -> None:
        for event in events:
            meta = event.object.metadata
            before = self.now.get(meta.name)
            self.told.append((event.type, meta.name, meta.resource_version))
            if event.type == "ADDED":
                assert before is None, "added twice"
            else:
                assert before is not None, "of an object that was not there"
                assert before[0] == meta.uid, "of another object of that name"
            if event.type == "DELETED":
                del self.now[meta.name]
            else:
                assert before is None or int(before[1]) < int(meta.resource_version), "twice, or back in time"
                self.now[meta.name] = (meta.uid, meta.resource_version)


def connect(state: WatchState[ConfigMap], server: Server, reader: Reader, frames: int | None = None) -> None:
    """One request, of whose answer so many frames come through; None for all, with an orderly end."""
    options = state.options()
    try:
        if not options.watch:
            reader.read(state.page(FORM.read_list(server.page(options))))
            return
        coming = server.frames(options)
        for sent in coming[:frames]:
            reader.read(state.event(DECODER.decode(sent), sent))
    except ApiError as error:
        state.failed(error, lasted=0)
    else:
        if frames is None:
            state.ended(lasted=0)
        else:
            state.failed(TransportError("cut"), lasted=0)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from("abcde")),
        st.tuples(st.just("delete"), st.sampled_from("abcde")),
        st.tuples(st.just("connect"), st.integers(0, 6)),
        st.just(("compact", None)),
    ),
    max_size=60,
)


@given(STEPS, st.booleans(), st.booleans())
def test_whatever_happens_a_reader_sees_one_history(steps: Any, streams: Any, compacts: Any) -> None:
    server, reader, state = Server(), Reader(), new_state()
    if not streams:
        state.options()
        state.failed(refusal(422, "Invalid"), lasted=0)
    server.write("a")
    first_end = None
    for step, argument in steps:
        if step == "write":
            server.write(argument)
        elif step == "delete":
            server.delete(argument)
        elif step == "connect":
            connect(state, server, reader, argument)
        elif compacts:
            server.compact()
        if first_end is None and not compacts and state.options().resource_version:
            first_end = (state.options().resource_version, len(reader.told))
    for _ in range(20):
        connect(state, server, reader)
    assert reader.now == Reader(server.now).now
    if first_end is not None:
        # With its history kept by the server, no change after the beginning is left out or summed up.
        revision, told = first_end
        later = [
            (kind, obj["metadata"]["name"], obj["metadata"]["resourceVersion"])
            for written, kind, obj in server.log
            if written > int(revision)
        ]
        assert reader.told[told:] == later


@given(STEPS)
def test_from_a_revision_only_what_nobody_can_know_is_missing(steps: Any) -> None:
    server = Server()
    for name in "abc":
        server.write(name)
    known, state = Reader(server.now), new_state(start=str(server.revision))
    told: list[WatchEvent[ConfigMap]] = []

    class Lenient(Reader):
        def read(self, events: Any) -> None:
            told.extend(events)

    for step, argument in [*steps, *[("connect", None)] * 8]:
        if step == "write":
            server.write(argument)
        elif step == "delete":
            server.delete(argument)
        elif step == "compact":
            server.compact()
        else:
            connect(state, server, Lenient(), argument)
    for event in told:
        meta = event.object.metadata
        if event.type == "DELETED":
            known.now.pop(meta.name, None)
        else:
            known.now[meta.name] = (meta.uid, meta.resource_version)
    wanted = Reader(server.now).now
    assert {name: known.now.get(name) for name in wanted} == wanted


def test_it_begins_with_a_stream_and_follows_from_its_end() -> None:
    state, server = new_state(labels="app=web", fields="metadata.name=a"), Server()
    first = state.options()
    seconds = first.timeout_seconds
    assert seconds is not None
    assert 300 <= seconds <= 600
    assert dict(first.to_query()) == {
        "labelSelector": "app=web",
        "fieldSelector": "metadata.name=a",
        "watch": "true",
        "allowWatchBookmarks": "true",
        "timeoutSeconds": str(seconds),
        "resourceVersionMatch": "NotOlderThan",
        "sendInitialEvents": "true",
    }
    server.write("a")
    connect(state, server, Reader())
    second = dict(state.options().to_query())
    assert second.pop("timeoutSeconds") is not None
    assert second == {
        "labelSelector": "app=web",
        "fieldSelector": "metadata.name=a",
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "11",
    }


@pytest.mark.parametrize("code", [400, 405, 406, 415, 422])
def test_a_server_that_does_not_stream_is_asked_for_lists(code: int) -> None:
    state = new_state()
    assert state.options().send_initial_events
    assert state.failed(refusal(code), lasted=0) == 0
    assert state.options().to_query() == [("limit", "500")]


def test_a_server_that_never_ends_its_initial_events_is_asked_for_lists() -> None:
    state = new_state()
    for _ in range(3):
        assert state.options().send_initial_events
        state.failed(TransportError("silent"), lasted=90)
    assert state.options().to_query() == [("limit", "500")]


def test_a_page_that_came_too_late_is_followed_by_a_whole_list() -> None:
    state, server, reader = new_state(), Server(), Reader()
    for name in "abcde":
        server.write(name)
    state.options()
    state.failed(refusal(422), lasted=0)
    connect(state, server, reader)
    assert [name for _, name, _ in reader.told] == ["a", "b"]
    server.write("a")
    server.delete("b")
    server.compact()
    connect(state, server, reader)
    assert state.options().limit is None
    connect(state, server, reader)
    assert [told[:2] for told in reader.told[2:]] == [
        ("MODIFIED", "a"),
        ("ADDED", "c"),
        ("ADDED", "d"),
        ("ADDED", "e"),
        ("DELETED", "b"),
    ]


def test_an_object_of_the_same_name_is_another_object() -> None:
    state, server, reader = new_state(), Server(), Reader()
    server.write("a")
    connect(state, server, reader)
    server.delete("a")
    server.write("a")
    server.compact()
    connect(state, server, reader)
    connect(state, server, reader)
    assert [told[:2] for told in reader.told] == [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")]
    assert [told[2] for told in reader.told] == ["11", "11", "13"]


def test_a_deletion_nobody_saw_carries_the_last_state_untouched_by_its_reader() -> None:
    state, server = new_state(), Server()
    server.write("a")
    options = state.options()
    events: list[WatchEvent[ConfigMap]] = []
    for sent in server.frames(options):
        events += state.event(DECODER.decode(sent), sent)
    events[0].object.metadata.labels = {"mine": "yes"}
    server.delete("a")
    state.failed(refusal(410, "Gone"), lasted=0)
    for sent in server.frames(state.options()):
        events += state.event(DECODER.decode(sent), sent)
    assert [event.type for event in events] == ["ADDED", "DELETED"]
    assert events[1].object.metadata.labels == {}


def test_without_initial_nothing_comes_of_what_is_there() -> None:
    state, server, reader = new_state(initial=False), Server(), Reader()
    server.write("a")
    server.write("b")
    connect(state, server, reader, 1)
    server.write("a")
    server.delete("b")
    connect(state, server, reader)
    assert reader.told == []
    reader = Reader(server.now)
    server.write("a")
    server.write("c")
    connect(state, server, reader)
    assert [told[:2] for told in reader.told] == [("MODIFIED", "a"), ("ADDED", "c")]


@pytest.mark.parametrize("streams", [True, False])
def test_each_pass_ends_with_a_bookmark_if_they_are_wanted(streams: bool) -> None:
    state, server = new_state(bookmarks=True), Server()
    server.write("a")
    if not streams:
        state.options()
        state.failed(refusal(422), lasted=0)
    events: list[WatchEvent[ConfigMap]] = []
    options = state.options()
    if streams:
        for sent in server.frames(options):
            events += state.event(DECODER.decode(sent), sent)
    else:
        events += state.page(FORM.read_list(server.page(options)))
    assert [event.type for event in events] == ["ADDED", "BOOKMARK"]
    assert events[1].ends_initial_events
    assert events[1].resource_version == "11"
    sent = bookmark(20)
    assert [event.type for event in state.event(DECODER.decode(sent), sent)] == ["BOOKMARK"]
    assert state.options().resource_version == "20"


def test_a_bookmark_moves_the_revision_although_nobody_wants_it() -> None:
    state = new_state(start="5")
    sent = bookmark(20)
    assert state.event(DECODER.decode(sent), sent) == []
    assert state.options().resource_version == "20"


def test_the_cache_is_asked_until_something_was_told() -> None:
    state, server = new_state(start="0"), Server()
    server.write("a")
    assert state.options().resource_version == "0"
    state.failed(TransportError("refused"), lasted=0)
    assert state.options().resource_version == "0"
    connect(state, server, Reader(), 1)
    assert state.options().resource_version == ""


@pytest.mark.parametrize(
    "error",
    [
        refusal(410, "Expired"),
        refusal(410, "Gone"),
        refusal(410),
        refusal(504, "Timeout", causes=[StatusCause(reason="ResourceVersionTooLarge")]),
    ],
    ids=["expired", "gone", "code", "too large"],
)
def test_a_revision_that_is_not_to_be_had_means_another_pass(error: ApiError) -> None:
    state = new_state(start="5")
    assert state.options().resource_version == "5"
    assert state.failed(error, lasted=0) == 0
    assert state.options().send_initial_events


@pytest.mark.parametrize("code", [400, 401, 403, 404, 405, 409, 422])
def test_what_no_retry_mends_is_raised(code: int) -> None:
    state = new_state(start="5")
    state.options()
    error = refusal(code)
    with pytest.raises(ApiError) as raised:
        state.failed(error, lasted=100)
    assert raised.value is error


@pytest.mark.parametrize("error", [DecodeError("bad"), TransportError("closed", lasting=True)])
def test_other_lasting_errors_are_raised(error: KubewrightError) -> None:
    with pytest.raises(type(error)):
        new_state().failed(error, lasted=100)


@pytest.mark.parametrize("error", [refusal(429), refusal(500), refusal(503), refusal(0), TransportError("x")])
def test_transient_errors_are_retried_for_ever_with_growing_pauses(error: KubewrightError) -> None:
    state = new_state(start="5")
    pauses = []
    for _ in range(200):
        assert state.options().resource_version == "5"
        pauses.append(state.failed(error, lasted=0))
    assert all(pause <= 0.05 * 2**attempt for attempt, pause in enumerate(pauses))
    assert 10 < max(pauses) <= 30
    assert len(set(pauses)) == 200, "no jitter"


def test_the_server_says_how_long_to_wait_within_reason() -> None:
    state = new_state(start="5")
    assert state.failed(refusal(429, retry_after_seconds=7), lasted=0) == 7
    assert state.failed(refusal(429, retry_after_seconds=10**9), lasted=0) == 30


def test_connections_that_worked_are_replaced_at_once_and_others_are_not() -> None:
    state = new_state(start="5")
    for _ in range(10):
        assert state.ended(lasted=300) == 0
        assert state.failed(TransportError("silent"), lasted=90, at_once=True) == 0
    assert state.ended(lasted=300) == 0
    assert state.ended(lasted=0.1) > 0
    sent = bookmark(20)
    state.event(DECODER.decode(sent), sent)
    assert state.ended(lasted=0.1) == 0


def test_a_server_that_expires_whatever_it_gave_is_not_asked_without_pause() -> None:
    state, server, reader = new_state(), Server(), Reader()
    server.write("a")
    pauses = []
    for _ in range(12):
        for sent in server.frames(state.options()):
            reader.read(state.event(DECODER.decode(sent), sent))
        pauses.append(state.failed(refusal(410, "Expired"), lasted=0.1))
    assert pauses[0] == 0
    assert max(pauses) > 1
    assert len(reader.told) == 1


def test_what_a_refused_stream_has_told_is_looked_for_in_the_list() -> None:
    state, server, reader = new_state(), Server(), Reader()
    server.write("a")
    sent = server.frames(state.options())[0]
    reader.read(state.event(DECODER.decode(sent), sent))
    server.delete("a")
    state.failed(refusal(400), lasted=0)
    connect(state, server, reader)
    assert [told[:2] for told in reader.told] == [("ADDED", "a"), ("DELETED", "a")]
