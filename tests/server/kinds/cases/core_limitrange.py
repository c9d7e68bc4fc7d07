"""LimitRanges: types, resources, and how the amounts relate."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case


def limits(*items: dict[str, Any]) -> dict[str, Any]:
    spec = {"limits": list(items) or None}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "core-case"}, "spec": spec}


def item(kind: str = "Container", **amounts: Any) -> dict[str, Any]:
    return {"type": kind, **{name: value for name, value in amounts.items() if value}}


def cpu(kind: str = "Container", **amounts: str) -> dict[str, Any]:
    return item(kind, **{name: {"cpu": amount} for name, amount in amounts.items()})


NAMES = [
    "cpu",
    "memory",
    "storage",
    "ephemeral-storage",
    "pods",
    "hugepages-2Mi",
    "requests.cpu",
    "unknown",
    "a b",
    "",
    "example.com/gpu",
    "kubernetes.io/x",
    "requests.example.com/gpu",
    "example.com/" + "x" * 64,
    "x" * 240 + ".com/gpu",
    "services.nodeports",
]
CASES = [
    Case("minimal", limits(item("Pod"))),
    Case("none", limits()),
    Case("container", limits(item())),
    Case("container max", limits(cpu(max="2"))),
    Case("container min", limits(cpu(min="1"))),
    Case("container default", limits(cpu(default="1"))),
    Case("container default request", limits(cpu(defaultRequest="1"))),
    Case(
        "container all",
        limits(cpu(max="4", min="500m", default="2", defaultRequest="1", maxLimitRequestRatio="4")),
    ),
    Case("rounded", limits(cpu(max="1500001n", min="1n", default="100u"))),
    Case("fine amounts", limits(item(max={"memory": "100m", "cpu": "123456789n"}))),
    *[
        Case(f"{kind} {field} {index}", limits(item(kind, **{field: {name: "1"}})))
        for kind in ("Container", "Pod", "PersistentVolumeClaim", "example.com/x")
        for field in ("max", "maxLimitRequestRatio")
        for index, name in enumerate(NAMES)
    ],
    *[
        Case(f"type {index}", limits(item(kind)))
        for index, kind in enumerate(["", "x", "a/b/c", "example.com/a", "pod"])
    ],
    Case("duplicate", limits(item("Pod"), item("Container"), item("Pod"))),
    Case("pod default", limits(cpu("Pod", default="1"))),
    Case("pod default request", limits(cpu("Pod", defaultRequest="1"))),
    Case("pod both", limits(cpu("Pod", default="1", defaultRequest="2", max="1"))),
    Case("claim without storage", limits(item("PersistentVolumeClaim"))),
    Case("claim default", limits(item("PersistentVolumeClaim", default={"storage": "1Gi"}))),
    Case("claim min", limits(item("PersistentVolumeClaim", min={"storage": "1Gi"}))),
    Case("claim max", limits(item("PersistentVolumeClaim", max={"storage": "1Gi"}))),
    Case("min over max", limits(cpu(min="2", max="1"))),
    Case("pod min over max", limits(cpu("Pod", min="2", max="1"))),
    Case("min over request", limits(cpu(min="2", defaultRequest="1"))),
    Case("request over max", limits(cpu(max="1", defaultRequest="2"))),
    Case("request over default", limits(cpu(default="1", defaultRequest="2"))),
    Case("min over default", limits(cpu(min="2", default="1"))),
    Case("default over max", limits(cpu(max="1", default="2"))),
    Case(
        "all wrong",
        limits(cpu(min="5", max="1", default="3", defaultRequest="4", maxLimitRequestRatio="500m")),
    ),
    Case("ratio", limits(cpu("Pod", maxLimitRequestRatio="1500m"))),
    Case("ratio below one", limits(cpu("Pod", maxLimitRequestRatio="999m"))),
    Case("ratio too large", limits(cpu("Pod", min="1", max="3", maxLimitRequestRatio="4"))),
    Case("ratio equal", limits(cpu("Pod", min="1", max="3", maxLimitRequestRatio="3"))),
    Case("ratio fraction", limits(cpu("Pod", min="300m", max="1", maxLimitRequestRatio="3334m"))),
    Case("ratio of nothing", limits(cpu("Pod", min="0", max="1", maxLimitRequestRatio="4"))),
    Case("ratio of nothing at all", limits(cpu("Pod", min="0", max="0", maxLimitRequestRatio="4"))),
    Case(
        "large ratio",
        limits(
            item("Pod", min={"memory": "1Ei"}, max={"memory": "2Ei"}, maxLimitRequestRatio={"memory": "3"})
        ),
    ),
    Case(
        "overcommit", limits(item(default={"hugepages-2Mi": "4Mi"}, defaultRequest={"hugepages-2Mi": "2Mi"}))
    ),
    Case(
        "overcommit extended",
        limits(item(default={"example.com/gpu": "2"}, defaultRequest={"example.com/gpu": "1"})),
    ),
    Case(
        "overcommit same",
        limits(item(default={"example.com/gpu": "2"}, defaultRequest={"example.com/gpu": "2"})),
    ),
    Case("update", limits(cpu(max="1")), limits(cpu(max="2"))),
    Case("bad update", limits(cpu(max="1", min="2")), limits(cpu(max="2"))),
]
