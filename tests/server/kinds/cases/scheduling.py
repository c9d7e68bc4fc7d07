"""PriorityClasses."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json


def made(value: int = 0, /, name: str = "case-priority", **fields: Any) -> Json:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


CASES = [
    Case("minimal", made()),
    Case("full", made(1000, globalDefault=True, description="most", preemptionPolicy="Never")),
    Case("negative", made(-5)),
    Case("highest", made(1_000_000_000)),
    Case("too high", made(1_000_000_001)),
    Case("unknown policy", made(1, preemptionPolicy="Always")),
    Case("empty policy", made(1, preemptionPolicy="")),
    Case("all wrong", made(2_000_000_000, preemptionPolicy="Always")),
    Case("system name", made(1, "system-case")),
    Case("system class", made(2_000_000_000, "system-cluster-critical", globalDefault=True)),
    Case("system class with another value", made(1, "system-node-critical")),
    Case("update: nothing", made(1), made(1)),
    Case("update: value", made(2), made(1)),
    Case("update: too high", made(1_000_000_001), made(1)),
    Case("update: policy", made(1, preemptionPolicy="Never"), made(1)),
    Case("update: bad policy", made(1, preemptionPolicy="Always"), made(1)),
    Case("update: the rest", made(1, description="new", globalDefault=True), made(1)),
]
