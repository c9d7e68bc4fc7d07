"""What lists and watches do to a store, and what is told of it, without a connection."""

from __future__ import annotations

import logging
from random import Random
from typing import Any

import pytest

from kubewright.client.list_watch import ListWatch
from kubewright.informers.changes import Change
from kubewright.informers.handlers import Registration
from kubewright.informers.reflector import Reflector
from kubewright.informers.store import Store
from kubewright.informers.transforms import drop_managed_fields
from kubewright.machinery.errors import (
    DecodeError,
    TransportError,
)
from kubewright.machinery.shapes import slots_of
from kubewright.models.core_v1 import ConfigMap
from tests.informers.objects import FORM, Told, bookmark, data_of, frame, page, refusal, state_of
from tests.informers.reflecting import A_AND_B, Setup, by_data, following


@pytest.mark.parametrize("streams", [True, False])
def test_a_pass_takes_effect_when_it_is_complete(streams: bool) -> None:
    setup = Setup(streams=streams)
    a, b = data_of("a", 11), data_of("b", 12)
    if streams:
        setup.stream(frame("ADDED", a), frame("ADDED", b), bookmark(12))
    else:
        setup.list(12, a, more="next")
    assert setup.states == {}
    assert (setup.reflector.is_complete, setup.reflector.revision) == (False, "")
    assert setup.told.take() == []
    if streams:
        setup.reflector.frames([bookmark(12, end=True)])
    else:
        assert setup.reflector.options().continue_ == "next"
        setup.reflector.page(page(12, b))
    assert setup.states == A_AND_B
    assert (setup.reflector.is_complete, setup.reflector.revision) == (True, "12")
    assert setup.told.take() == [("ADDED", "default/a", 11), ("ADDED", "default/b", 12)]
    assert setup.reflector.options().resource_version == "12"


def test_what_is_there_first_is_initial_and_what_a_relist_brings_is_not() -> None:
    setup = Setup()
    seen: list[tuple[str, bool]] = []
    tell = setup.told.push

    def push(change: Change[ConfigMap]) -> None:
        seen.append((change.key, change.initial))
        tell(change)

    setup.told.push = push  # type: ignore[method-assign]
    setup.list(12, data_of("a", 11))
    setup.follow(frame("ADDED", data_of("b", 13)))
    setup.relist()
    setup.list(14, data_of("a", 11), data_of("b", 13), data_of("c", 14))
    assert seen == [("default/a", True), ("default/b", False), ("default/c", False)]


@pytest.mark.parametrize("streams", [True, False])
def test_a_relist_tells_what_differs_and_nobody_sees_half_of_it(streams: bool) -> None:
    setup = following(streams=streams)
    before = dict(setup.store.items())
    setup.relist()
    b = data_of("b", 14, data={"x": "3"})
    c = data_of("c", 15, data={"x": "1"})
    if streams:
        setup.stream(frame("ADDED", b), frame("ADDED", c))
    else:
        setup.list(16, b, more="next")
        assert setup.states == A_AND_B
        setup.list(16, c, more="more")
    assert setup.states == A_AND_B
    assert dict(setup.store.items()) == before
    assert setup.values == {"1": {"a"}, "2": {"b"}}
    assert setup.told.take() == []
    assert setup.reflector.revision == "12"
    if streams:
        setup.reflector.frames([bookmark(16, end=True)])
    else:
        setup.reflector.page(page(16))
    assert setup.states == {"b": ("uid of b", 14), "c": ("uid of c", 15)}
    assert setup.values == {"3": {"b"}, "1": {"c"}}
    assert setup.told.take() == [
        ("DELETED", "default/a", 11),
        ("MODIFIED", "default/b", 14),
        ("ADDED", "default/c", 15),
    ]
    assert setup.reflector.revision == "16"


def test_what_a_relist_finds_unchanged_stays_the_object_it_was() -> None:
    setup = following()
    a = setup.store.get("default/a")
    setup.relist()
    setup.list(20, data_of("a", 11, data={"x": "1"}), data_of("b", 13))
    assert setup.store.get("default/a") is a
    assert setup.told.take() == [("MODIFIED", "default/b", 13)]


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(
    "end",
    [
        lambda reflector: reflector.ended(lasted=1),
        lambda reflector: reflector.failed(TransportError("cut"), lasted=1),
        lambda reflector: reflector.failed(refusal(410, "Expired"), lasted=1),
        lambda reflector: reflector.failed(refusal(403, "Forbidden"), lasted=1),
        lambda reflector: reflector.failed(refusal(404, "NotFound"), lasted=1),
        lambda reflector: reflector.failed(DecodeError("bad"), lasted=1),
    ],
    ids=["ended", "cut", "expired", "forbidden", "missing", "undecodable"],
)
def test_a_pass_that_breaks_leaves_nothing_behind(streams: bool, end: Any) -> None:
    setup = following(streams=streams)
    setup.relist()
    b, c = data_of("b", 14, data={"x": "3"}), data_of("c", 15, data={"x": "4"})
    if streams:
        setup.stream(frame("ADDED", b), frame("ADDED", c))
    else:
        setup.list(16, b, c, more="next")
    assert setup.store.indexes["data"]._staged
    end(setup.reflector)
    assert not setup.store.indexes["data"]._staged
    assert setup.states == A_AND_B
    assert setup.values == {"1": {"a"}, "2": {"b"}}
    assert setup.told.take() == []
    # The next pass begins anew, and is not taken for the rest of the broken one.
    options = setup.reflector.options()
    assert options.continue_ == ""
    b = data_of("b", 17, data={"x": "5"})
    if options.watch:
        setup.reflector.frames([frame("ADDED", b), bookmark(17, end=True)])
    else:
        setup.reflector.page(page(17, b))
    assert setup.states == {"b": ("uid of b", 17)}
    assert setup.values == {"5": {"b"}}
    assert setup.told.take() == [("DELETED", "default/a", 11), ("MODIFIED", "default/b", 17)]


def test_a_stream_of_what_is_there_may_have_changes_of_it_inside() -> None:
    setup = following(streams=True)
    setup.relist()
    setup.stream(
        frame("ADDED", data_of("a", 11, data={"x": "1"})),
        frame("ADDED", data_of("b", 14, data={"x": "3"})),
        frame("ADDED", data_of("c", 13, "first")),
        frame("ADDED", data_of("d", 15)),
        bookmark(15),
        frame("MODIFIED", data_of("a", 16, data={"x": "4"})),
        frame("DELETED", data_of("b", 17, data={"x": "3"})),
        frame("DELETED", data_of("c", 18, "first")),
        frame("ADDED", data_of("c", 19, "second")),
        frame("DELETED", data_of("c", 18, "first")),
        frame("DELETED", data_of("never seen", 20)),
    )
    assert setup.states == A_AND_B
    assert setup.told.take() == []
    setup.reflector.frames([bookmark(20, end=True)])
    assert setup.states == {"a": ("uid of a", 16), "c": ("second", 19), "d": ("uid of d", 15)}
    assert setup.values == {"4": {"a"}}
    assert setup.told.take() == [
        ("DELETED", "default/b", 12),
        ("MODIFIED", "default/a", 16),
        ("ADDED", "default/d", 15),
        ("ADDED", "default/c", 19),
    ]


def test_changes_are_applied_and_told_one_by_one() -> None:
    setup = following()
    setup.follow(
        frame("MODIFIED", data_of("a", 13, data={"x": "5"})),
        frame("ADDED", data_of("c", 14)),
        frame("DELETED", data_of("b", 15)),
    )
    assert setup.states == {"a": ("uid of a", 13), "c": ("uid of c", 14)}
    assert setup.values == {"5": {"a"}}
    assert setup.told.take() == [
        ("MODIFIED", "default/a", 13),
        ("ADDED", "default/c", 14),
        ("DELETED", "default/b", 15),
    ]
    assert setup.reflector.revision == setup.reflector.requests.revision == "15"


def test_the_type_of_an_event_is_what_it_is_for_the_store() -> None:
    setup = following()
    setup.follow(frame("MODIFIED", data_of("c", 13)), frame("ADDED", data_of("a", 14)))
    assert setup.told.take() == [("ADDED", "default/c", 13), ("MODIFIED", "default/a", 14)]


def test_an_object_of_another_uid_is_a_deletion_and_an_addition() -> None:
    setup = following()
    setup.follow(frame("MODIFIED", data_of("a", 13, "another", data={"x": "7"})))
    assert setup.states == {"a": ("another", 13), "b": ("uid of b", 12)}
    assert setup.values == {"7": {"a"}, "2": {"b"}}
    assert setup.told.take() == [("DELETED", "default/a", 11), ("ADDED", "default/a", 13)]
    setup.relist()
    setup.list(20, data_of("a", 11, "third"), data_of("b", 15, "fourth"))
    assert setup.told.take() == [
        ("DELETED", "default/a", 13),
        ("ADDED", "default/a", 11),
        ("DELETED", "default/b", 12),
        ("ADDED", "default/b", 15),
    ]


def test_the_same_revision_of_another_uid_is_another_object() -> None:
    setup = following()
    setup.relist()
    setup.list(12, data_of("a", 11, "another"), data_of("b", 12))
    assert setup.states["a"] == ("another", 11)
    assert setup.told.take() == [("DELETED", "default/a", 11), ("ADDED", "default/a", 11)]


def test_what_comes_twice_is_told_once() -> None:
    setup = following()
    event = frame("MODIFIED", data_of("a", 13))
    setup.follow(event, event)
    kept = setup.store.get("default/a")
    setup.follow(event)
    assert setup.store.get("default/a") is kept
    assert setup.told.take() == [("MODIFIED", "default/a", 13)]
    gone = frame("DELETED", data_of("a", 14))
    setup.follow(gone, gone)
    assert setup.told.take() == [("DELETED", "default/a", 14)]


def test_what_comes_late_is_left_out_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    setup = following()
    setup.follow(frame("MODIFIED", data_of("a", 20)))
    setup.told.take()
    with caplog.at_level(logging.WARNING, "kubewright.informers"):
        setup.follow(
            frame("MODIFIED", data_of("a", 15)),
            frame("ADDED", data_of("c", 9)),
            frame("DELETED", data_of("b", 19)),
        )
    assert setup.states == {"a": ("uid of a", 20), "b": ("uid of b", 12)}
    assert setup.told.take() == []
    assert setup.reflector.revision == setup.reflector.requests.revision == "20"
    assert [record.getMessage() for record in caplog.records] == [
        "an event of default/a came late and is left out: 15",
        "an event of default/c came late and is left out: 9",
        "an event of default/b came late and is left out: 19",
    ]


def test_a_deletion_of_an_object_that_is_not_known_is_none() -> None:
    setup = following()
    setup.follow(frame("DELETED", data_of("a", 13, "another")), frame("DELETED", data_of("c", 14)))
    assert setup.states == A_AND_B
    assert setup.told.take() == []
    assert setup.reflector.revision == "14"


def test_a_bookmark_moves_the_revision_forward_only() -> None:
    setup = following()
    setup.follow(bookmark(30))
    assert setup.reflector.revision == setup.reflector.options().resource_version == "30"
    setup.follow(bookmark(20))
    assert setup.reflector.revision == setup.reflector.options().resource_version == "30"
    setup.follow(frame("MODIFIED", data_of("a", 25)))
    assert setup.states == A_AND_B
    assert setup.told.take() == []


def test_revisions_that_are_no_numbers_are_taken_as_they_come() -> None:
    setup = following()
    setup.handlers.clear()
    for revision in ("v9", "v10", "8"):
        event = data_of("a", 0)
        event["metadata"]["resourceVersion"] = revision
        setup.follow(frame("MODIFIED", event))
        assert setup.reflector.revision == revision
    marked = data_of("", 0)
    marked["metadata"] = {"resourceVersion": "v11"}
    setup.follow(frame("BOOKMARK", marked))
    assert setup.reflector.revision == "v11"


def test_without_handlers_the_store_is_the_same() -> None:
    setup = Setup()
    setup.handlers.clear()
    setup.list(12, data_of("a", 11), data_of("b", 12))
    setup.follow(frame("MODIFIED", data_of("a", 13, "another")), frame("DELETED", data_of("b", 14)))
    setup.relist()
    setup.list(15, data_of("c", 15))
    assert setup.states == {"c": ("uid of c", 15)}
    assert setup.told.take() == []


def test_index_functions_are_asked_ahead_of_the_moment_in_which_a_list_takes_effect() -> None:
    asked: list[str] = []

    def index(obj: ConfigMap) -> list[str]:
        asked.append(obj.metadata.name)
        return by_data(obj)

    setup = following(index=index)
    assert asked == ["a", "b"]
    setup.relist()
    setup.list(13, data_of("a", 11), data_of("b", 13), more="next")
    assert asked == ["a", "b", "b"], "asked about what has not changed, or not yet"
    setup.list(13, data_of("c", 12))
    assert asked == ["a", "b", "b", "c"]


def test_an_index_that_comes_within_a_pass_is_complete() -> None:
    setup = following()
    setup.relist()
    setup.list(14, data_of("a", 13, data={"x": "8"}), more="next")
    setup.store.add_index("late", by_data)
    assert setup.store.indexes["late"].values() == ["1", "2"]
    setup.list(14, data_of("c", 14, data={"x": "9"}))
    assert sorted(setup.store.indexes["late"].values()) == ["8", "9"]


def test_what_is_kept_went_through_the_transform() -> None:
    def transform(obj: ConfigMap) -> None:
        obj.data = {}

    store = Store[ConfigMap]([""])
    requests = ListWatch(streams=False, random=Random(1))  # noqa: S311 - the same in every run
    told = Told()
    reflector = Reflector(FORM, store.parts[""], [told], requests, transform=transform)
    reflector.options()
    reflector.page(page(12, data_of("a", 11, data={"x": "1"})))
    reflector.frames([frame("ADDED", data_of("b", 13, data={"x": "1"}))])
    assert [obj.to_dict().get("data") for _, obj in store.items()] == [{}, {}]
    assert told.take() == [("ADDED", "default/a", 11), ("ADDED", "default/b", 13)]


def test_the_default_transform_keeps_no_managed_fields_of_a_deleted_object() -> None:
    gone: list[Change[ConfigMap]] = []

    class Keeps(Registration[ConfigMap]):
        def push(self, change: Change[ConfigMap]) -> None:
            gone.append(change)

    store = Store[ConfigMap]([""])
    requests = ListWatch(streams=False, random=Random(1))  # noqa: S311 - the same in every run
    handler = Keeps(lambda change: None, "test")
    reflector = Reflector(FORM, store.parts[""], [handler], requests, transform=drop_managed_fields)
    reflector.options()
    reflector.page(page(12, data_of("a", 11)))
    last = data_of("a", 13)
    last["metadata"]["managedFields"] = [{"manager": "m"}]
    reflector.frames([frame("DELETED", last)])
    assert [change.type for change in gone] == ["ADDED", "DELETED"]
    assert gone[1].object.metadata.managed_fields == []
    assert state_of(gone[1].old) == ("uid of a", 13)


def test_what_objects_of_pages_and_events_have_in_common_is_there_once() -> None:
    setup = Setup()
    setup.list(12, data_of("a", 11, data={"x": "1"}))
    setup.follow(frame("ADDED", data_of("b", 13, data={"x": "1"})))
    setup.follow(frame("MODIFIED", data_of("b", 14, data={"x": "1"})), frame("ADDED", data_of("c", 15)))
    kept = dict(setup.store.items())
    a, b, c = (kept[f"default/{name}"] for name in "abc")
    data = slots_of(ConfigMap)["data"]
    assert data.__get__(a) is data.__get__(b)
    assert b.metadata.namespace is c.metadata.namespace
