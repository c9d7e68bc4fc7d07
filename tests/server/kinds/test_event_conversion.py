"""Events of both groups are the same events; the forms are those that a real kube-apiserver showed."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.kinds.event_conversion import event_from_core, event_to_core

CORE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "e", "namespace": "default"},
    "involvedObject": {"kind": "Pod", "name": "p"},
    "reason": "r",
    "message": "m",
    "source": {"component": "c", "host": "h"},
    "firstTimestamp": "2024-01-01T00:00:00Z",
    "lastTimestamp": "2024-01-01T00:00:01Z",
    "count": 2,
    "type": "Normal",
    "eventTime": "2024-01-01T00:00:00.000000Z",
    "series": {"count": 3, "lastObservedTime": "2024-01-01T00:00:00.000000Z"},
    "action": "a",
    "related": {"name": "x"},
    "reportingComponent": "example.com/c",
    "reportingInstance": "i",
}
EVENTS: dict[str, Any] = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "e", "namespace": "default"},
    "eventTime": "2024-01-01T00:00:00.000000Z",
    "series": {"count": 3, "lastObservedTime": "2024-01-01T00:00:00.000000Z"},
    "reportingController": "example.com/c",
    "reportingInstance": "i",
    "action": "a",
    "reason": "r",
    "regarding": {"kind": "Pod", "name": "p"},
    "related": {"name": "x"},
    "note": "m",
    "type": "Normal",
    "deprecatedSource": {"component": "c", "host": "h"},
    "deprecatedFirstTimestamp": "2024-01-01T00:00:00Z",
    "deprecatedLastTimestamp": "2024-01-01T00:00:01Z",
    "deprecatedCount": 2,
}
EMPTY_CORE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "e"},
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
EMPTY_EVENTS: dict[str, Any] = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "e"},
    "eventTime": None,
    "regarding": {},
    "deprecatedSource": {},
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
}


def test_full_events() -> None:
    assert list(event_to_core(EVENTS).items()) == list(CORE.items())
    assert list(event_from_core(CORE).items()) == list(EVENTS.items())


def test_empty_events() -> None:
    assert event_to_core(EMPTY_EVENTS) == event_to_core({"metadata": {"name": "e"}}) == EMPTY_CORE
    assert event_from_core(EMPTY_CORE) == event_from_core({"metadata": {"name": "e"}}) == EMPTY_EVENTS


def test_a_series_without_a_count() -> None:
    core = {**EMPTY_CORE, "series": {"lastObservedTime": None}}
    events = {**EMPTY_EVENTS, "series": {"count": 0, "lastObservedTime": None}}
    assert event_from_core(core) == events
    assert event_to_core(events) == core


@given(st.sets(st.sampled_from(sorted(set(CORE) - set(EMPTY_CORE)))))
def test_there_and_back(fields: set[str]) -> None:
    core = {**EMPTY_CORE, **{name: CORE[name] for name in fields}}
    kept = copy.deepcopy(core)
    assert event_to_core(event_from_core(core)) == core == kept
