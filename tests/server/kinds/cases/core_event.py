"""Events of the core group."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case

ALWAYS = {"source": {}, "reportingComponent": "", "reportingInstance": ""}
TIME = "2024-01-01T00:00:00.000000Z"


def event(namespace: str = "default", involved: str = "default", **fields: Any) -> dict[str, Any]:
    metadata = {"name": "core-case", "namespace": namespace}
    base = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": metadata,
        "involvedObject": {"namespace": involved} if involved else {},
        **ALWAYS,
        **fields,
    }
    return {name: value for name, value in base.items() if value is not None}


NEW = {
    "eventTime": TIME,
    "reportingComponent": "example.com/c",
    "reportingInstance": "i",
    "action": "a",
    "reason": "r",
}

CASES = [
    Case("minimal", event()),
    Case(
        "full",
        event(
            reason="r",
            message="m",
            type="x",
            count=2,
            source={"component": "c", "host": "h"},
            firstTimestamp="2024-01-01T00:00:00Z",
            lastTimestamp="2024-01-01T00:00:01Z",
            series={"count": 1, "lastObservedTime": TIME},
            related={"name": "x"},
        ),
    ),
    *[
        Case(f"namespaces {namespace} {involved} {new}", event(namespace, involved, **(NEW if new else {})))
        for namespace in ("default", "kube-system", "kube-public")
        for involved in ("", "default", "kube-system", "kube-public")
        for new in (False, True)
    ],
    Case("new", event(**NEW)),
    Case("only time", event(eventTime=TIME)),
    *[
        Case(f"without {name}", event(**{**NEW, name: ""}))
        for name in ("reportingComponent", "reportingInstance", "action", "reason")
    ],
    Case("bad component", event(**{**NEW, "reportingComponent": "a b"})),
    *[
        Case(f"{name} of {size}", event(**{**NEW, name: "ä" * (size // 2)}))
        for name in ("reportingInstance", "action", "reason")
        for size in (128, 130)
    ],
    *[Case(f"message of {size}", event(**NEW, message="m" * size)) for size in (1024, 1025)],
    Case("long old message", event(message="m" * 1025, reason="r" * 129)),
    Case("update", event(reason="x"), event()),
    Case("update badly", event(involved="kube-system"), event()),
    Case("update new badly", event(eventTime=TIME), event(**NEW)),
]
