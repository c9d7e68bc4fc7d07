"""Leases."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json

FULL: Json = {
    "holderIdentity": "me",
    "leaseDurationSeconds": 15,
    "acquireTime": "2026-01-01T00:00:00.000000Z",
    "renewTime": "2026-01-01T00:00:10.000000Z",
    "leaseTransitions": 3,
}


def lease(**spec: Any) -> Json:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "case-lease"},
        "spec": spec,
    }


CASES = [
    Case("minimal", lease()),
    Case("no spec", {**lease(), "spec": {}}),
    Case("full", lease(**FULL)),
    Case("no duration", lease(leaseDurationSeconds=0)),
    Case("negative duration", lease(leaseDurationSeconds=-1)),
    Case("no transitions", lease(leaseTransitions=0)),
    Case("negative transitions", lease(leaseTransitions=-1)),
    Case("all negative", lease(leaseTransitions=-1, leaseDurationSeconds=-4)),
    Case("coordination is dropped", lease(strategy="OldestEmulationVersion", preferredHolder="you")),
    Case("bad strategy is dropped", lease(strategy="Any")),
    Case("empty holder", lease(holderIdentity="")),
    Case("update: nothing", lease(**FULL), lease(**FULL)),
    Case("update: renewed", lease(**{**FULL, "leaseTransitions": 4, "holderIdentity": "you"}), lease(**FULL)),
    Case("update: fewer transitions", lease(**{**FULL, "leaseTransitions": 1}), lease(**FULL)),
    Case("update: negative", lease(leaseTransitions=-1, leaseDurationSeconds=0), lease(**FULL)),
    Case("update: coordination is dropped", lease(strategy="Any", preferredHolder="you"), lease(**FULL)),
    Case("update: all gone", lease(), lease(**FULL)),
]
