"""Nodes: taints, pod CIDRs, capacity, status."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case

INFO = dict.fromkeys(
    [
        "machineID",
        "systemUUID",
        "bootID",
        "kernelVersion",
        "osImage",
        "containerRuntimeVersion",
        "kubeletVersion",
        "kubeProxyVersion",
        "operatingSystem",
        "architecture",
    ],
    "",
)


def node(
    spec: dict[str, Any] | None = None,
    status: dict[str, Any] | None = None,
    annotations: dict[str, str] | None = None,
) -> dict[str, Any]:
    always = {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": INFO}
    metadata = {"name": "core-case", **({"annotations": annotations} if annotations else {})}
    rest = {"spec": spec} if spec else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        **rest,
        "status": {**always, **(status or {})},
    }


def taint(key: str = "a", effect: str = "NoSchedule", **rest: Any) -> dict[str, Any]:
    return {"key": key, **({"value": rest.pop("value")} if "value" in rest else {}), "effect": effect, **rest}


CIDRS = [
    [""],
    ["x"],
    ["10.0.0.0"],
    ["10.0.0.0/"],
    ["10.0.0.0/33"],
    ["10.0.0.0/-1"],
    ["10.0.0.0/08"],
    ["10.0.0.0/0x8"],
    ["010.0.0.0/8"],
    ["10.0.0.1/8"],
    ["10.0.0.0/8"],
    ["0.0.0.0/0"],
    ["10.0.0.1/32"],
    ["2001:db8::/64"],
    ["2001:DB8::/64"],
    ["2001:db8:0::/64"],
    ["2001:db8::1/64"],
    ["2001:db8::/129"],
    ["::ffff:10.0.0.0/104"],
    ["::ffff:10.0.0.1/120"],
    ["::ffff:10.0.0.1/40"],
    ["10.0.0.0/8", "2001:db8::/64"],
    ["2001:db8::/64", "10.0.0.0/8"],
    ["10.0.0.0/8", "11.0.0.0/8"],
    ["10.0.0.0/8", "x"],
    ["x", "y"],
    ["10.0.0.0/8", "2001:db8::/64", "11.0.0.0/8"],
    ["2001:db8::/64", "2001:db8:1::/64"],
]
TAINTS = [
    [taint()],
    [taint(value="b", timeAdded="2024-01-01T00:00:00Z")],
    [taint("")],
    [taint("a b")],
    [taint("example.com/a", value="x y")],
    [taint(value="x" * 64)],
    [taint(value="/" * 64)],
    [taint(effect="")],
    [taint(effect="PreferNoSchedule")],
    [taint(effect="NoExecute")],
    [taint(effect="noexecute")],
    [taint(), taint(effect="NoExecute")],
    [taint(), taint()],
    [taint(), taint(value="c", timeAdded="2024-01-01T00:00:00Z"), taint()],
    [taint("", ""), taint("", "")],
]
CONFIG = {"namespace": "a", "name": "b", "kubeletConfigKey": "c"}
AVOID = "scheduler.alpha.kubernetes.io/preferAvoidPods"
TAINTS_KEY = "scheduler.alpha.kubernetes.io/taints"
ANNOTATIONS = [
    {AVOID: ""},
    {AVOID: "x"},
    {AVOID: "{}"},
    {AVOID: '{"preferAvoidPods":[{}]}'},
    {AVOID: '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":true}}}]}'},
    {AVOID: '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":false}}},{}]}'},
    {TAINTS_KEY: ""},
    {TAINTS_KEY: "["},
    {TAINTS_KEY: "[]"},
    {TAINTS_KEY: '[{"key":"a b","effect":"x"}]'},
    {TAINTS_KEY: '[{"key":"a","effect":"NoExecute"}]'},
]
FEATURES = [
    ["A"],
    ["a"],
    ["A/b"],
    ["A/b/C"],
    ["A/"],
    ["A b"],
    [""],
    ["A" * 254],
    ["A", "B"],
    ["B", "A"],
    ["A", "A"],
    ["b", "a"],
]
ADDRESS = {"type": "InternalIP", "address": "1.2.3.4"}

CASES = [
    Case("minimal", node()),
    Case(
        "full",
        node(
            {
                "podCIDR": "10.0.0.0/24",
                "podCIDRs": ["10.0.0.0/24"],
                "providerID": "x://y",
                "unschedulable": True,
            },
            {
                "capacity": {"cpu": "4", "memory": "8Gi", "example.com/gpu": "1"},
                "conditions": [
                    {
                        "type": "Ready",
                        "status": "True",
                        "lastHeartbeatTime": "2024-01-01T00:00:00Z",
                        "lastTransitionTime": "2024-01-01T00:00:00Z",
                    }
                ],
                "addresses": [ADDRESS, ADDRESS],
                "images": [{"names": ["a"], "sizeBytes": 1}],
                "features": {"supplementalGroupsPolicy": True},
                "runtimeHandlers": [{"name": "a", "features": {"recursiveReadOnlyMounts": True}}],
            },
        ),
    ),
    Case(
        "config source is dropped", node({"configSource": {"configMap": CONFIG}}, {"config": {"error": "x"}})
    ),
    Case("external id", node({"externalID": "x"})),
    Case("pod cidr", node({"podCIDR": "10.0.0.0/24"})),
    Case("pod cidr differs", node({"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.1.0/24", "2001:db8::/64"]})),
    Case("pod cidr and more", node({"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24", "2001:db8::/64"]})),
    *[Case(f"cidrs {index}", node({"podCIDRs": cidrs})) for index, cidrs in enumerate(CIDRS)],
    *[Case(f"taints {index}", node({"taints": taints})) for index, taints in enumerate(TAINTS)],
    *[Case(f"annotations {index}", node(annotations=value)) for index, value in enumerate(ANNOTATIONS)],
    *[
        Case(f"features {index}", node(status={"declaredFeatures": value}))
        for index, value in enumerate(FEATURES)
    ],
    *[
        Case(f"{field} {name} {amount}", node(status={field: {name: amount}}))
        for field in ("capacity", "allocatable")
        for name, amount in [
            ("cpu", "1n"),
            ("cpu", "-1"),
            ("pods", "1500m"),
            ("pods", "110"),
            ("example.com/gpu", "1500m"),
            ("example.com/gpu", "-1500m"),
            ("unknown", "1500m"),
            ("kubernetes.io/x", "1500m"),
        ]
    ],
    Case("both amounts", node(status={"capacity": {"cpu": "2"}, "allocatable": {"cpu": "1"}})),
    Case("swap", node(status={"nodeInfo": {**INFO, "swap": {"capacity": 0}}})),
    Case("negative swap", node(status={"nodeInfo": {**INFO, "swap": {"capacity": -1}}})),
    Case("good swap", node(status={"nodeInfo": {**INFO, "swap": {"capacity": 1}}})),
    Case("update", node({"unschedulable": True, "providerID": "x"}, {"phase": "Running"}), node()),
    Case("update taints", node({"taints": [taint("a b")]}), node()),
    Case("update annotations", node(annotations={AVOID: "x"}), node()),
    Case("set cidr", node({"podCIDR": "10.0.0.0/24"}), node()),
    Case("set bad cidr", node({"podCIDR": "10.0.0.1/24"}), node()),
    Case("change cidr", node({"podCIDR": "10.0.1.0/24"}), node({"podCIDR": "10.0.0.0/24"})),
    Case("remove cidr", node(), node({"podCIDR": "10.0.0.0/24"})),
    Case(
        "change both cidrs",
        node({"podCIDRs": ["10.0.1.0/24", "2001:db8:1::/64"]}),
        node({"podCIDRs": ["10.0.0.0/24", "2001:db8::/64"]}),
    ),
    Case("change provider", node({"providerID": "y"}), node({"providerID": "x"})),
    Case("remove provider", node(), node({"providerID": "x"})),
    Case("change external id", node({"externalID": "y"}), node({"externalID": "x"})),
    Case("config source on update", node({"configSource": {}}), node()),
    Case("update with amounts", node(), node(status={"capacity": {"cpu": "1"}})),
    Case("status", node({"unschedulable": True}, {"capacity": {"cpu": "1"}}), node(), "status"),
    Case(
        "status amounts",
        node(None, {"capacity": {"cpu": "-1"}, "allocatable": {"cpu": "1"}}),
        node(),
        "status",
    ),
    Case("status addresses", node(None, {"addresses": [ADDRESS, ADDRESS]}), node(), "status"),
    Case(
        "status addresses of two types",
        node(None, {"addresses": [ADDRESS, {**ADDRESS, "type": "Hostname"}]}),
        node(),
        "status",
    ),
    Case("status config", node(None, {"config": {"error": "x", "active": {}}}), node(), "status"),
    Case("status features", node(None, {"declaredFeatures": ["B", "A"]}), node(), "status"),
    Case("status swap", node(None, {"nodeInfo": {**INFO, "swap": {"capacity": -1}}}), node(), "status"),
    Case("status with taints", node(), node({"taints": [taint()], "podCIDR": "10.0.0.0/24"}), "status"),
]
