"""ResourceQuotas: resources, scopes, scope selectors, status."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case


def quota(hard: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    status = fields.pop("status", None)
    spec = {**({"hard": hard} if hard else {}), **fields}
    rest = {"status": status} if status else {}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "core-case"},
        "spec": spec,
        **rest,
    }


def selector(*requirements: tuple[str, str, list[str] | None]) -> dict[str, Any]:
    found = [
        {"scopeName": scope, "operator": operator, **({"values": values} if values else {})}
        for scope, operator, values in requirements
    ]
    return {"matchExpressions": found}


NAMES = [
    "cpu",
    "memory",
    "storage",
    "requests.storage",
    "ephemeral-storage",
    "pods",
    "count/pods",
    "count/deployments.apps",
    "hugepages-2Mi",
    "requests.hugepages-2Mi",
    "limits.hugepages-2Mi",
    "requests.cpu",
    "requests.example.com/gpu",
    "example.com/gpu",
    "unknown",
    "a b",
    "",
    "gold.storageclass.storage.k8s.io/requests.storage",
    "services.nodeports",
    "services.loadbalancers",
    "resourcequotas",
]
SCOPES = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
    "Unknown",
    "",
]
USED = {"hard": {"pods": "1"}, "used": {"pods": "0"}}

CASES = [
    Case("minimal", quota()),
    Case("status is reset", quota({"pods": "1"}, status=USED)),
    *[Case(f"name {index} {name}", quota({name: "1"})) for index, name in enumerate(NAMES)],
    *[Case(f"negative {index} {name}", quota({name: "-1"})) for index, name in enumerate(NAMES)],
    *[Case(f"fraction {index} {name}", quota({name: "1500m"})) for index, name in enumerate(NAMES)],
    Case("rounded", quota({"cpu": "1n"})),
    *[Case(f"scope {scope}", quota(scopes=[scope])) for scope in SCOPES],
    *[
        Case(f"scope {scope} with {name}", quota({name: "1"}, scopes=[scope]))
        for scope in SCOPES
        for name in ("pods", "cpu", "requests.storage", "persistentvolumeclaims", "count/pods", "configmaps")
    ],
    Case("two scopes", quota({"pods": "1"}, scopes=["Terminating", "NotBestEffort"])),
    Case(
        "conflicting scopes", quota(scopes=["BestEffort", "NotBestEffort", "NotTerminating", "Terminating"])
    ),
    Case("scope twice", quota(scopes=["BestEffort", "BestEffort"])),
    *[
        Case(
            f"selector {scope} {operator} {bool(values)}",
            quota(scopeSelector=selector((scope, operator, values))),
        )
        for scope in SCOPES
        for operator in ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "")
        for values in (None, ["a", "b"])
    ],
    Case(
        "selector misfit", quota({"configmaps": "1"}, scopeSelector=selector(("PriorityClass", "In", ["a"])))
    ),
    Case(
        "two selectors misfit",
        quota(
            {"cpu": "1"},
            scopeSelector=selector(("BestEffort", "Exists", None), ("PriorityClass", "In", ["a"])),
        ),
    ),
    Case("empty selector", quota(scopeSelector={})),
    Case(
        "conflicting selectors",
        quota(scopeSelector=selector(("Terminating", "Exists", None), ("NotTerminating", "Exists", None))),
    ),
    Case(
        "conflicting selectors with scopes",
        quota(
            scopes=["PriorityClass"],
            scopeSelector=selector(("BestEffort", "Exists", None), ("NotBestEffort", "Exists", None)),
        ),
    ),
    Case("warn cpu", quota({"requests.cpu": "2", "limits.cpu": "1"})),
    Case("warn bare cpu", quota({"cpu": "2", "limits.cpu": "1"})),
    Case("warn requests before bare", quota({"cpu": "2", "requests.cpu": "1", "limits.cpu": "1"})),
    Case("warn memory", quota({"memory": "2Gi", "limits.memory": "1G"})),
    Case("warn ephemeral", quota({"requests.ephemeral-storage": "2", "limits.ephemeral-storage": "1"})),
    Case("warn not bare ephemeral", quota({"ephemeral-storage": "2", "limits.ephemeral-storage": "1"})),
    Case("update", quota({"pods": "2"}, status=USED), quota({"pods": "1"})),
    Case("update does not warn", quota({"requests.cpu": "2", "limits.cpu": "1"}), quota({"pods": "1"})),
    Case("update badly", quota({"x": "-1"}), quota({"pods": "1"})),
    Case("update scopes", quota(scopes=["BestEffort"]), quota(scopes=["NotBestEffort"])),
    Case("add scopes", quota(scopes=["BestEffort"]), quota()),
    Case("remove scopes", quota(), quota(scopes=["BestEffort"])),
    Case(
        "reorder scopes",
        quota(scopes=["Terminating", "BestEffort"]),
        quota(scopes=["BestEffort", "Terminating"]),
    ),
    Case("status", quota({"x": "1"}, status=USED), quota({"pods": "1"}), "status"),
    Case("status rounds", quota(status={"used": {"cpu": "1n"}}), quota({"pods": "1"}), "status"),
    *[
        Case(f"status {field} {index}", quota(status={field: {name: amount}}), quota({"pods": "1"}), "status")
        for field in ("hard", "used")
        for index, (name, amount) in enumerate([("x", "1"), ("pods", "-1"), ("pods", "1500m"), ("a b", "1")])
    ],
]
