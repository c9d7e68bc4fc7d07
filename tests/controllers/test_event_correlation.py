"""Which events are sent: the rules of client-go, and client-go itself where Go is there."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.controllers.event_correlation import (
    COMBINED,
    EventCorrelator,
    RecordedEvent,
    Reference,
    event_name,
)
from tests.conftest import Oracle

SECOND = 1_000_000_000
START = 1_767_268_800 * SECOND
"""Noon of January 1, 2026."""


class Clock:
    """Nanoseconds that a test sets."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def recorded(message: str = "m", *, at: int = START, reason: str = "R", **about: str) -> RecordedEvent:
    regarding = Reference(
        api_version="v1", kind="Pod", **{"namespace": "ns", "name": "web", "uid": "u"} | about
    )
    return RecordedEvent(
        name=event_name(regarding.name, at),
        namespace=regarding.namespace,
        regarding=regarding,
        type="Normal",
        reason=reason,
        message=message,
        component="operator",
        first=at,
        last=at,
    )


def sent(correlator: EventCorrelator, clock: Clock, *events: RecordedEvent) -> list[RecordedEvent | None]:
    made = []
    for event in events:
        clock.now = max(clock.now, event.last)
        made.append(correlator.correlate(event))
    return made


def shown(events: list[RecordedEvent | None]) -> list[tuple[str, int] | None]:
    return [(each.message, each.count) if each is not None else None for each in events]


def test_an_event_is_what_client_go_creates() -> None:
    event = recorded("hello", field_path="spec.containers{main}", resource_version="7")
    assert event.to_wire() == {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"web.{START:x}", "namespace": "ns"},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "web",
            "namespace": "ns",
            "uid": "u",
            "resourceVersion": "7",
            "fieldPath": "spec.containers{main}",
        },
        "reason": "R",
        "message": "hello",
        "source": {"component": "operator"},
        "firstTimestamp": "2026-01-01T12:00:00Z",
        "lastTimestamp": "2026-01-01T12:00:00Z",
        "count": 1,
        "type": "Normal",
        "eventTime": None,
        "reportingComponent": "operator",
        "reportingInstance": "",
    }


def test_the_same_event_raises_the_count_of_the_first() -> None:
    clock = Clock()
    later = START + 3 * SECOND
    first, second = sent(EventCorrelator(clock), clock, recorded(), recorded(at=later))
    assert first is not None
    assert second is not None
    assert (first.count, second.count) == (1, 2)
    assert (second.name, second.first) == (first.name, first.first)
    assert second.to_patch() == {"count": 2, "lastTimestamp": "2026-01-01T12:00:03Z", "message": "m"}


@pytest.mark.parametrize("about", [{"name": "db"}, {"uid": "v"}, {"namespace": "x"}, {"field_path": "spec"}])
def test_events_about_others_are_others(about: dict[str, str]) -> None:
    clock = Clock()
    assert shown(sent(EventCorrelator(clock), clock, recorded(), recorded(**about))) == [("m", 1), ("m", 1)]


def test_from_the_tenth_message_on_they_are_combined() -> None:
    clock = Clock()
    events = [recorded(f"m{number}", at=START + number) for number in range(12)]
    made = sent(EventCorrelator(clock), clock, *events, recorded("m3", at=START + 20))
    combined = [(f"{COMBINED}m{number}", number - 8) for number in range(9, 12)]
    assert shown(made) == [*((f"m{number}", 1) for number in range(9)), *combined, ("m3", 2)]
    assert made[9] is not None
    assert made[9].name == f"web.{START + 9:x}"
    assert made[11] is not None
    assert made[11].name == made[9].name, "they are one event"


def test_other_reasons_are_not_similar() -> None:
    clock = Clock()
    events = [recorded(f"m{number}", reason=f"R{number % 2}") for number in range(18)]
    assert {count for _, count in filter(None, shown(sent(EventCorrelator(clock), clock, *events)))} == {1}


@pytest.mark.parametrize(("pause", "is_combined"), [(600 * SECOND, True), (600 * SECOND + 1, False)])
def test_after_ten_quiet_minutes_messages_count_anew(pause: int, is_combined: bool) -> None:
    clock = Clock()
    events = [recorded(f"m{number}") for number in range(9)]
    *_, last = sent(EventCorrelator(clock), clock, *events, recorded("m9", at=START + pause))
    assert last is not None
    assert last.message.startswith(COMBINED) is is_combined


def test_the_ten_minutes_begin_anew_with_each_message() -> None:
    clock = Clock()
    events = [recorded(f"m{number}", at=START + number * 500 * SECOND) for number in range(10)]
    *_, last = sent(EventCorrelator(clock), clock, *events)
    assert last is not None
    assert last.message == f"{COMBINED}m9"


def test_one_object_gets_25_events_and_then_one_in_five_minutes() -> None:
    clock = Clock()
    correlator = EventCorrelator(clock)
    made = sent(correlator, clock, *(recorded() for _ in range(30)))
    assert [each is not None for each in made] == [True] * 25 + [False] * 5
    assert sent(correlator, clock, recorded(name="db")) != [None], "others are not affected"
    (early,) = sent(correlator, clock, recorded(at=START + 299 * SECOND))
    assert early is None
    (in_time,) = sent(correlator, clock, recorded(at=START + 300 * SECOND))
    assert in_time is not None
    assert in_time.count == 32, "those that were not sent are counted"
    assert sent(correlator, clock, recorded(at=START + 301 * SECOND)) == [None]


def test_a_clock_that_is_set_back_does_not_silence_an_object_until_it_has_caught_up() -> None:
    clock = Clock()
    correlator = EventCorrelator(clock)
    sent(correlator, clock, *(recorded() for _ in range(30)))
    earlier = clock.now = START - 86_400 * SECOND
    assert correlator.correlate(recorded(at=earlier)) is None
    clock.now = earlier + 300 * SECOND
    assert correlator.correlate(recorded(at=clock.now)) is not None


def test_what_was_not_seen_for_long_is_forgotten() -> None:
    clock = Clock()
    correlator = EventCorrelator(clock, remembered=2)
    made = sent(correlator, clock, *(recorded(name=name) for name in ("a", "b", "a", "c", "a", "b")))
    assert [each.count if each else 0 for each in made] == [1, 1, 2, 1, 3, 1]


def test_names() -> None:
    assert event_name("test-pod", 105999103295324396) == "test-pod.178959f726d80ec"
    for name in ("system:node", "UPPER", "x" * 300):
        made = event_name(name, START)
        assert len(made) == 36, "a UUID"
        assert made != event_name(name, START)


objects = st.sampled_from(["a", "b", "c"])
pauses = st.sampled_from([0, 1, SECOND, 60 * SECOND, 300 * SECOND, 600 * SECOND, 600 * SECOND + 1])
steps = st.lists(st.tuples(objects, st.integers(0, 8), pauses, st.integers(1, 12)), max_size=15)
"""An object, one of few messages (or a new one), how long after the last, and how often."""


def occurrences(drawn: list[tuple[str, int, int, int]]) -> list[RecordedEvent]:
    """Events in which it does not matter which of the similar messages upstream forgets.

    It forgets any of them when it combines: so an object whose messages differ at all has always new ones.
    """
    events = []
    now = START
    for name, number, pause, times in drawn:
        now += pause
        for _ in range(times):
            now += 1
            message = f"m{len(events)}" if number > 3 else "the same"
            events.append(recorded(message, at=now, name=f"{name}{int(number > 3)}", reason=f"R{number % 2}"))
    return events


@given(steps, st.sampled_from([1, 3, 4096]))
def test_laws(drawn: list[tuple[str, int, int, int]], remembered: int) -> None:
    clock = Clock()
    correlator = EventCorrelator(clock, remembered=remembered)
    counts: dict[str, int] = {}
    for event in occurrences(drawn):
        clock.now = event.last
        made = correlator.correlate(event)
        if made is None:
            continue
        assert made.message in {event.message, COMBINED + event.message}
        assert (made.regarding, made.type, made.reason) == (event.regarding, event.type, event.reason)
        assert made.last == event.last
        assert made.first <= made.last
        assert made.count > counts.get(made.name, 0), "a count never goes back"
        counts[made.name] = made.count


@pytest.mark.oracle
@given(drawn=steps, remembered=st.sampled_from([1, 3, 4096]))
def test_as_upstream(oracle: Oracle, drawn: list[tuple[str, int, int, int]], remembered: int) -> None:
    events = occurrences(drawn)
    clock = Clock()
    correlator = EventCorrelator(clock, remembered=remembered)
    own: list[dict[str, Any] | None] = []
    for event in events:
        clock.now = event.last
        made = correlator.correlate(event)
        patch = made.to_patch() if made is not None and made.count > 1 else None
        own.append({"event": told(made.to_wire()), "patch": patch} if made is not None else None)
    questions = [{"at": event.last, "event": event.to_wire()} for event in events]
    answers = oracle.ask("events.correlate", {"remembered": remembered, "events": questions}) or []
    assert own == [{**each, "event": told(each["event"])} if each else None for each in answers]


def told(event: dict[str, Any]) -> dict[str, Any]:
    """An event as both write it; the header and empty creation times are told by Go's structs alone."""
    event = {key: value for key, value in event.items() if key not in {"apiVersion", "kind"}}
    event["metadata"] = {key: event["metadata"][key] for key in ("name", "namespace")}
    return event


def test_the_newer_recorder_makes_series() -> None:
    """The second one alike begins a series; others are not sent, until nothing has come for six minutes."""
    clock = Clock()
    correlator = EventCorrelator(clock)

    def sent(message: str = "m", **about: str) -> tuple[str, Any] | None:
        event = recorded(message, at=clock.now, **about)
        observed = correlator.correlate(msgspec.structs.replace(event, api="events.k8s.io", action="Binding"))
        if observed is None:
            return None
        if observed.count > 1:
            return observed.name, observed.to_patch()
        wire = observed.to_wire()
        return wire["metadata"]["name"], (
            wire["source"],
            wire["eventTime"],
            wire.get("count"),
            wire["action"],
        )

    first = sent()
    name = event_name("web", START)
    assert first == (name, ({}, "2026-01-01T12:00:00.000000Z", None, "Binding"))
    clock.now += 1_500_000_000
    # What it says does not make it another one, but another state of the object does.
    series = {"count": 2, "lastObservedTime": "2026-01-01T12:00:01.500000Z"}
    assert sent("other") == (name, {"series": series})
    assert sent() is None
    assert sent(resource_version="7") is not None
    clock.now += 361 * SECOND
    again = sent()
    assert again is not None
    assert again[0] != name
