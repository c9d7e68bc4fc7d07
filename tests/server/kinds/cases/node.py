"""RuntimeClasses."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json


def made(handler: str = "runc", /, **fields: Any) -> Json:
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "case-runtime"},
        "handler": handler,
        **fields,
    }


def tolerating(*tolerations: Json) -> Json:
    return {"scheduling": {"tolerations": list(tolerations)}}


PARTS: dict[str, Json] = {
    "overhead": {"overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}}},
    "empty overhead": {"overhead": {}},
    "fine overhead": {"overhead": {"podFixed": {"cpu": "100u"}}},
    "negative overhead": {"overhead": {"podFixed": {"cpu": "-1"}}},
    "unknown overhead": {"overhead": {"podFixed": {"pods": "1"}}},
    "bad overhead": {"overhead": {"podFixed": {"a b": "1"}}},
    "huge pages": {"overhead": {"podFixed": {"hugepages-2Mi": "3Mi"}}},
    "devices": {"overhead": {"podFixed": {"example.com/gpu": "1500m"}}},
    "selector": {"scheduling": {"nodeSelector": {"a": "b"}}},
    "bad selector": {"scheduling": {"nodeSelector": {"a b": "?"}}},
    "old label": {"scheduling": {"nodeSelector": {"beta.kubernetes.io/os": "linux"}}},
    "empty scheduling": {"scheduling": {}},
    "toleration": tolerating({"key": "a", "operator": "Exists", "effect": "NoSchedule"}),
    "tolerations twice": tolerating(
        {"key": "a", "operator": "Exists"},
        {"key": "a", "operator": "Exists"},
        {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
        {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 6},
    ),
    "bad toleration": tolerating({"key": "a b", "operator": "Near", "effect": "Never"}),
    "toleration of nothing": tolerating({}),
    "toleration with seconds": tolerating({"key": "a", "tolerationSeconds": 5}),
    "toleration by number": tolerating({"key": "a", "operator": "Gt", "value": "5"}),
}
CASES = [
    Case("minimal", made()),
    Case("no handler", made("")),
    Case("bad handler", made("Run.c")),
    *[Case(name, made(**part)) for name, part in PARTS.items()],
    *[Case(f"update: {name}", made(**part), made()) for name, part in PARTS.items()],
    Case("update: handler", made("kata"), made()),
    Case("update: no handler", made(""), made()),
]
