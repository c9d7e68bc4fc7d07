"""Which nodes a pod fits, and what is said when it fits none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.cluster.scheduler.fit import Misfit, misfit, preference, unavailable
from kubewright.cluster.scheduler.requests import host_ports, requests_of
from kubewright.cluster.scheduler.usage import Usage
from kubewright.models.core_v1 import Node, PodSpec

UNTOLERATED = ["node(s) had untolerated taint(s)"]
UNSELECTED = ["node(s) didn't match Pod's node affinity/selector"]


def node(name: str = "n", labels: dict[str, str] | None = None, **spec: Any) -> Node:
    allocatable = spec.pop("allocatable", {"cpu": "2", "memory": "1Gi", "pods": "3"})
    metadata = {"name": name, "labels": labels or {}}
    return Node.from_dict({"metadata": metadata, "spec": spec, "status": {"allocatable": allocatable}})


def pod(requests: dict[str, str] | None = None, ports: list[int] | None = None, **spec: Any) -> PodSpec:
    container = {
        "name": "c",
        "image": "i",
        "resources": {"requests": requests or {}},
        "ports": [{"containerPort": each, "hostPort": each, "protocol": "TCP"} for each in ports or []],
    }
    return PodSpec.from_dict({"containers": [container], **spec})


def asked(spec: PodSpec, target: Node, usage: Usage[str] | None = None) -> list[str]:
    usage = usage or Usage()
    why = misfit(spec, target, requests_of(spec), usage.room(target, host_ports(spec)))
    return why.reasons if why is not None else []


def test_requests() -> None:
    assert asked(pod({"cpu": "2", "memory": "1Gi"}), node()) == []
    assert asked(pod({"cpu": "2001m"}), node()) == ["Insufficient cpu"]
    assert asked(pod({"cpu": "3", "memory": "2Gi"}), node()) == ["Insufficient cpu", "Insufficient memory"]
    assert asked(pod({"example.com/gpu": "1"}), node()) == ["Insufficient example.com/gpu"]


def test_what_others_have_is_not_there() -> None:
    usage: Usage[str] = Usage()
    usage.place("a", "n", pod({"cpu": "1500m"}, [80]))
    assert asked(pod({"cpu": "600m"}), node(), usage) == ["Insufficient cpu"]
    assert asked(pod({"cpu": "500m"}), node(), usage) == []
    ports = ["node(s) didn't have free ports for the requested pod ports"]
    assert asked(pod(ports=[80]), node(), usage) == ports
    assert asked(pod(ports=[81]), node(), usage) == []
    usage.place("b", "n", pod())
    usage.place("c", "n", pod())
    assert asked(pod(), node(), usage) == ["Too many pods"]
    assert asked(pod({"cpu": "1"}), node(), usage) == ["Insufficient cpu", "Too many pods"]
    assert usage.remove("a")
    assert not usage.remove("a")
    assert asked(pod({"cpu": "2"}, [80]), node(), usage) == []


def test_initialization_and_sidecars_count_at_their_worst() -> None:
    def container(cpu: str, **more: Any) -> dict[str, Any]:
        return {"name": "x", "image": "i", "resources": {"requests": {"cpu": cpu}}, **more}

    spec = pod({"cpu": "1"}, initContainers=[container("3")])
    assert requests_of(spec)["cpu"] == 3000
    spec = pod({"cpu": "1"}, initContainers=[container("1", restartPolicy="Always"), container("1500m")])
    assert requests_of(spec)["cpu"] == 2500
    spec = pod({"cpu": "1"}, overhead={"cpu": "250m"})
    assert requests_of(spec)["cpu"] == 1250


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        (None, False),
        ({"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}, True),
        ({"key": "k", "operator": "Equal", "value": "w", "effect": "NoSchedule"}, False),
        ({"key": "k", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "k", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_taints(toleration: dict[str, str] | None, fits: bool) -> None:
    tainted = node(taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])
    spec = pod(tolerations=[] if toleration is None else [toleration])
    assert asked(spec, tainted) == ([] if fits else UNTOLERATED)


def test_a_taint_that_is_only_a_preference() -> None:
    assert asked(pod(), node(taints=[{"key": "k", "effect": "PreferNoSchedule"}])) == []


def test_a_cordoned_node() -> None:
    assert asked(pod(), node(unschedulable=True)) == ["node(s) were unschedulable"]
    tolerated = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}
    assert asked(pod(tolerations=[tolerated]), node(unschedulable=True)) == []


def test_node_selectors() -> None:
    labelled = node(labels={"disk": "ssd"})
    assert asked(pod(nodeSelector={"disk": "ssd"}), labelled) == []
    assert asked(pod(nodeSelector={"disk": "hdd"}), labelled) == UNSELECTED
    assert asked(pod(nodeSelector={"disk": "ssd"}), node()) == UNSELECTED


@pytest.mark.parametrize(
    ("operator", "values", "fits"),
    [
        ("In", ["ssd", "x"], True),
        ("In", ["x"], False),
        ("NotIn", ["x"], True),
        ("NotIn", ["ssd"], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
        ("Gt", ["3"], False),
    ],
)
def test_node_affinity(operator: str, values: list[str], fits: bool) -> None:
    expression = {"key": "disk", "operator": operator, "values": values}
    assert asked(
        pod(affinity=affinity({"matchExpressions": [expression]})), node(labels={"disk": "ssd"})
    ) == ([] if fits else UNSELECTED)


def test_numbers_and_names_and_empty_terms() -> None:
    size = {"key": "size", "operator": "Gt", "values": ["3"]}
    assert asked(pod(affinity=affinity({"matchExpressions": [size]})), node(labels={"size": "4"})) == []
    assert (
        asked(pod(affinity=affinity({"matchExpressions": [size]})), node(labels={"size": "3"})) == UNSELECTED
    )
    named = {"key": "metadata.name", "operator": "In", "values": ["n"]}
    assert asked(pod(affinity=affinity({"matchFields": [named]})), node("n")) == []
    assert asked(pod(affinity=affinity({"matchFields": [named]})), node("m")) == [
        "node(s) didn't satisfy plugin(s) [NodeAffinity]"
    ]
    assert asked(pod(affinity=affinity({})), node()) == UNSELECTED
    assert asked(pod(affinity=affinity({}, {"matchFields": [named]})), node("n")) == []


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"nodeSelectorTerms": list(terms)}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def test_what_is_said() -> None:
    assert unavailable(pod(), []) == "no nodes available to schedule pods"
    full, lacking = Misfit(["Insufficient cpu"], True), Misfit(["Insufficient cpu", "Insufficient memory"])
    head = (
        "0/3 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), "
        "2 Insufficient cpu. no new claims to deallocate, preemption: "
    )
    assert unavailable(pod(), [full, lacking, Misfit(UNTOLERATED)]) == head + (
        "0/3 nodes are available: 1 No preemption victims found for incoming pod, "
        "2 Preemption is not helpful for scheduling."
    )
    told = unavailable(pod(preemptionPolicy="Never"), [full, lacking, Misfit(UNTOLERATED)])
    assert told == head + "not eligible due to preemptionPolicy=Never."


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["n", "m", ""]), st.integers(0, 900))))
def test_usage_is_what_is_placed(steps: list[tuple[str, str, int]]) -> None:
    usage: Usage[str] = Usage()
    there: dict[str, tuple[str, int]] = {}
    for key, where, cpu in steps:
        if where:
            # Also for one that is there already: requests may change.
            there[key] = (where, cpu)
            usage.place(key, where, pod({"cpu": f"{cpu}m"}))
        else:
            assert usage.remove(key) == (there.pop(key, None) is not None)
    for name in ("n", "m"):
        free = usage.room(node(name), frozenset()).free
        assert free["cpu"] == 2000 - sum(cpu for where, cpu in there.values() if where == name)
        assert free["pods"] == 3000 - 1000 * sum(where == name for where, _ in there.values())


def port(number: int, address: str = "", protocol: str = "TCP") -> PodSpec:
    one = {"containerPort": 80, "hostPort": number, "hostIP": address, "protocol": protocol}
    return PodSpec.from_dict({"containers": [{"name": "c", "image": "i", "ports": [one]}]})


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (port(80), False),
        (port(80, "10.0.0.1"), False),
        (port(80, "10.0.0.2"), True),
        (port(80, "10.0.0.1", "UDP"), True),
        (port(81, "10.0.0.1"), True),
    ],
)
def test_ports_of_addresses(wanted: PodSpec, fits: bool) -> None:
    usage: Usage[str] = Usage()
    usage.place("a", "n", port(80, "10.0.0.1"))
    assert usage.room(node(), host_ports(wanted)).ports_free == fits
    # One that shares it, as pods with a node name may, does not free it when it goes.
    usage.place("b", "n", port(80, "10.0.0.1"))
    usage.remove("b")
    assert usage.room(node(), host_ports(wanted)).ports_free == fits


def test_ports_of_containers_that_initialize_are_free_again() -> None:
    ports = [{"containerPort": 80, "hostPort": 80}]
    container = {"name": "x", "image": "i", "ports": ports}
    assert not host_ports(pod(initContainers=[container]))
    assert host_ports(pod(initContainers=[{**container, "restartPolicy": "Always"}]))


def test_nothing_asked_is_nothing_missed() -> None:
    usage: Usage[str] = Usage()
    usage.place("a", "n", pod({"cpu": "3"}))
    assert asked(pod({"cpu": "0"}), node(), usage) == []


def test_taints_come_before_selectors() -> None:
    tainted = node(taints=[{"key": "k", "effect": "NoSchedule"}])
    assert asked(pod(nodeSelector={"a": "b"}), tainted) == UNTOLERATED


def test_preferences() -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    liked = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "preference": term}]}
    spec = pod(affinity={"nodeAffinity": liked})
    assert preference(spec, node(labels={"disk": "ssd"})) == 5
    assert preference(spec, node()) == 0
    assert preference(pod(), node(taints=[{"key": "k", "effect": "PreferNoSchedule"}])) == -1


def test_whether_others_are_in_the_way() -> None:
    usage: Usage[str] = Usage()
    usage.place("a", "n", pod({"cpu": "1"}))

    def in_the_way(spec: PodSpec) -> bool | None:
        why = misfit(spec, node(), requests_of(spec), usage.room(node(), host_ports(spec)))
        return None if why is None else why.others_are_in_the_way

    assert in_the_way(pod({"cpu": "1"})) is None
    assert in_the_way(pod({"cpu": "2"})) is True
    assert in_the_way(pod({"cpu": "3"})) is False
