"""Events of events.k8s.io."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case

TIME = "2024-01-01T00:00:00.000000Z"
NEW: dict[str, Any] = {
    "eventTime": TIME,
    "reportingController": "example.com/c",
    "reportingInstance": "i",
    "action": "a",
    "reason": "r",
    "regarding": {"namespace": "default"},
    "type": "Normal",
    "deprecatedSource": {},
}


def event(namespace: str = "default", **fields: Any) -> dict[str, Any]:
    metadata = {"name": "core-case", "namespace": namespace}
    base = {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": metadata, **NEW, **fields}
    return {name: value for name, value in base.items() if value is not None}


def series(count: int, time: str | None = TIME) -> dict[str, Any]:
    return {"count": count, **({"lastObservedTime": time} if time else {})}


CHANGES: list[dict[str, Any]] = [
    {"series": series(2)},
    {"series": series(1)},
    {"series": {"count": 0}},
    {"series": series(3, None)},
    {"regarding": {"namespace": "default", "kind": "Pod", "apiVersion": "v1"}},
    {"reason": "x"},
    {"note": "x"},
    {"type": "Warning"},
    {"type": "x"},
    {"eventTime": "2024-01-01T00:00:00.000001Z"},
    {"eventTime": "2024-01-01T01:00:00.000000+01:00"},
    {"eventTime": None},
    {"action": "x"},
    {"related": {"name": "x"}},
    {"reportingController": "x"},
    {"reportingInstance": "x"},
    {"deprecatedSource": {"component": "x"}},
    {"deprecatedCount": 2},
    {"deprecatedFirstTimestamp": "2024-01-01T00:00:00Z"},
    {"deprecatedLastTimestamp": "2024-01-01T00:00:00Z"},
]

CASES = [
    Case("minimal", event()),
    Case("empty", event(**dict.fromkeys(NEW, None)) | {"regarding": {}, "deprecatedSource": {}}),
    Case("full", event(note="n", related={"name": "x"}, series=series(2))),
    *[
        Case(f"create {index}", event(**change))
        for index, change in enumerate(CHANGES)
        if "+01" not in str(change)
    ],
    *[
        Case(
            f"namespaces {namespace} {regarding}",
            event(namespace, regarding={"namespace": regarding} if regarding else {}),
        )
        for namespace in ("default", "kube-system", "kube-public")
        for regarding in ("", "default", "kube-public")
    ],
    *[
        Case(f"without {name}", event(**{name: None}))
        for name in ("reportingController", "reportingInstance", "action", "reason", "type")
    ],
    Case("bad controller", event(reportingController="a b")),
    Case("long action", event(action="a" * 129)),
    Case("long note", event(note="a" * 1025)),
    Case("same update", event(), event()),
    *[
        Case(f"update {index}", event(**change), event())
        for index, change in enumerate(CHANGES)
        if "+01" not in str(change)
    ],
    Case("update of series", event(series=series(3)), event(series=series(2))),
    Case("remove series", event(), event(series=series(2))),
    Case("remove related", event(), event(related={"name": "x"})),
]
