"""Namespaces: finalizers, status, the finalize subresource.

A deleted namespace stays until somebody finalizes it, so every update has a name of its own.
"""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case


def namespace(name: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"core-case-{name}"}, **fields}


def finalizers(*names: str) -> dict[str, Any]:
    return {"finalizers": list(names)}


BAD = ["", "a", "a b", "a/b/c", "/a", "a/", "example.com/a", "kubernetes", "orphan", "foregroundDeletion"]
CONDITION = {"type": "x", "status": "True", "lastTransitionTime": None, "reason": "r", "message": "m"}

CASES = [
    Case("minimal", namespace("a")),
    Case("status is reset", namespace("a", status={"phase": "Terminating"})),
    Case("finalizers", namespace("a", spec=finalizers("example.com/a", "kubernetes", "example.com/a"))),
    *[Case(f"finalizer {index}", namespace("a", spec=finalizers(name))) for index, name in enumerate(BAD)],
    Case("update", namespace("b"), namespace("b", spec=finalizers("example.com/a"))),
    Case("update spec", namespace("c", spec=finalizers("a"), status={"phase": "x"}), namespace("c")),
    Case(
        "status",
        namespace("d", status={"phase": "Active", "conditions": [CONDITION]}),
        namespace("d"),
        "status",
    ),
    Case("status takes no spec", namespace("e", spec=finalizers("a")), namespace("e"), "status"),
    Case("status phase", namespace("f", status={"phase": "Terminating"}), namespace("f"), "status"),
    Case("status bad phase", namespace("g", status={"phase": "x"}), namespace("g"), "status"),
    Case("finalize", namespace("h", spec=finalizers("example.com/a")), namespace("h"), "finalize"),
    Case("finalize to none", namespace("i", status={"phase": "x"}), namespace("i"), "finalize"),
    Case(
        "finalize badly",
        namespace("j", spec=finalizers("example.com/a", "b", "c d", "kubernetes")),
        namespace("j"),
        "finalize",
    ),
]
