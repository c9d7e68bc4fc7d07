"""Silent nodes, taints, and the pods that they drive away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubewright import Client, NotFound
from kubewright.cluster.nodes.lifecycle import NodeLifecycle
from kubewright.cluster.nodes.pod_gc import PodGarbage
from kubewright.cluster.nodes.pods_by_node import BY_NODE, node_of
from kubewright.cluster.nodes.taint_eviction import TaintEviction, evicted_after
from kubewright.cluster.nodes.taints import may_evict, missing_labels, taints_of
from kubewright.controllers.requests import Request, Result
from kubewright.models.core_v1 import Event, Node, Pod, Taint, Toleration
from kubewright.testing import reconcile_once
from tests.cluster.clusters import eventually, with_cluster

BEGIN, SECOND = datetime(2026, 1, 1, tzinfo=UTC), timedelta(seconds=1)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"


def node(conditions: dict[str, str], *taints: tuple[str, str], unschedulable: bool = False) -> Node:
    return Node.from_dict(
        {
            "metadata": {"name": "n"},
            "spec": {
                "taints": [{"key": key, "effect": effect} for key, effect in taints],
                "unschedulable": unschedulable,
            },
            "status": {"conditions": [{"type": kind, "status": each} for kind, each in conditions.items()]},
        }
    )


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (node({"Ready": "True"}), []),
        (node({"Ready": "True"}, (NOT_READY, "NoSchedule"), (NOT_READY, "NoExecute")), []),
        (node({"Ready": "False"}), [(NOT_READY, "NoSchedule"), (NOT_READY, "NoExecute")]),
        (
            node({"Ready": "Unknown"}, (NOT_READY, "NoSchedule"), (NOT_READY, "NoExecute")),
            [(UNREACHABLE, "NoSchedule"), (UNREACHABLE, "NoExecute")],
        ),
        (
            node({"Ready": "True", "MemoryPressure": "True"}),
            [("node.kubernetes.io/memory-pressure", "NoSchedule")],
        ),
        (node({"Ready": "True"}, unschedulable=True), [("node.kubernetes.io/unschedulable", "NoSchedule")]),
        (node({"Ready": "True"}, ("mine", "NoExecute")), [("mine", "NoExecute")]),
        (node({}, (NOT_READY, "NoSchedule")), []),
    ],
    ids=["fine", "fine again", "not ready", "unreachable", "pressure", "cordoned", "others'", "new"],
)
def test_taints(found: Node, wanted: list[tuple[str, str]]) -> None:
    given = taints_of(found, NOW, evict=True)
    assert [(each.key, each.effect) for each in given] == wanted
    assert all(each.time_added == NOW for each in given if each not in found.spec.taints)


EXECUTED = node({"Ready": "Unknown"}, (UNREACHABLE, "NoSchedule"), (UNREACHABLE, "NoExecute"))


@pytest.mark.parametrize(
    ("found", "evict", "effects"),
    [
        (node({"Ready": "Unknown"}), True, ["NoSchedule", "NoExecute"]),
        (node({"Ready": "Unknown"}), False, ["NoSchedule"]),
        (EXECUTED, False, ["NoSchedule", "NoExecute"]),
        (EXECUTED, None, ["NoSchedule"]),
    ],
)
def test_whether_pods_are_driven_away(found: Node, evict: bool | None, effects: list[str]) -> None:
    assert [each.effect for each in taints_of(found, NOW, evict=evict)] == effects


def zone(name: str, ready: int, down: int) -> list[Node]:
    nodes = [node({"Ready": "True"}) for _ in range(ready)] + [
        node({"Ready": "Unknown"}) for _ in range(down)
    ]
    for each in nodes:
        each.metadata.labels = {"topology.kubernetes.io/zone": name} if name else {}
    return nodes


@pytest.mark.parametrize(
    ("others", "evict"),
    [
        ([], None),
        (zone("", 0, 2), None),
        (zone("", 1, 0), True),
        (zone("", 1, 1), True),
        (zone("", 1, 2), False),
        (zone("", 4, 2), True),
        (zone("", 20, 40), True),
        (zone("", 0, 5) + zone("b", 1, 0), True),
        (zone("b", 0, 5), None),
    ],
    ids=["alone", "all", "one of two", "few", "most", "some", "many", "the whole zone", "all zones"],
)
def test_a_network_that_is_down_is_no_reason_to_drive_pods_away(
    others: list[Node], evict: bool | None
) -> None:
    assert may_evict(node({"Ready": "Unknown"}), others) is evict


def test_older_labels_follow() -> None:
    found = node({})
    found.metadata.labels = {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "a",
        "beta.kubernetes.io/arch": "a",
    }
    assert missing_labels(found) == {"beta.kubernetes.io/os": "linux"}


TAINT = Taint(key="k", value="v", effect="NoExecute")


@pytest.mark.parametrize(
    ("taints", "tolerations", "seconds"),
    [
        ([], [], None),
        ([TAINT], [], 0),
        ([TAINT], [Toleration(key="k", operator="Exists")], None),
        ([TAINT], [Toleration(key="k", operator="Exists", toleration_seconds=5)], 5),
        ([TAINT], [Toleration(operator="Exists", toleration_seconds=-1)], 0),
        (
            [TAINT],
            [Toleration(operator="Exists", toleration_seconds=9), Toleration(key="k", operator="Exists")],
            9,
        ),
        (
            [TAINT],
            [Toleration(key="k", operator="Exists"), Toleration(operator="Exists", toleration_seconds=9)],
            None,
        ),
        ([TAINT, Taint(key="other", effect="NoExecute")], [Toleration(key="k", operator="Exists")], 0),
    ],
)
def test_when_pods_are_driven_away(
    taints: list[Taint], tolerations: list[Toleration], seconds: float | None
) -> None:
    assert evicted_after(taints, tolerations) == seconds


def test_a_toleration_that_lasts_longer_than_there_are_dates() -> None:
    async def test(client: Client) -> None:
        await make_node(client)
        lasting = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2**62}
        await make_pod(client, "web", tolerations=[lasting])
        await client.api(Node).patch("mine", {"spec": {"taints": [TAINT.to_dict()]}})
        eviction = TaintEviction()
        result = await reconcile_once(client, eviction.reconcile, Request("default", "web"))
        assert isinstance(result, Result)
        assert result.requeue_after > 1e18

    with_cluster(test, "none")


async def make_node(client: Client, **condition: str) -> None:
    await client.api(Node).create({"metadata": {"name": "mine"}})
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ready = {"type": "Ready", "status": "True", "reason": "r", "message": "m", "lastHeartbeatTime": moment}
    body = {"status": {"conditions": [{**ready, "lastTransitionTime": moment, **condition}]}}
    await client.api(Node).patch("mine", body, subresource="status")


async def make_pod(client: Client, name: str, **spec: Any) -> None:
    containers = [{"name": "c", "image": "i"}]
    await client.api(Pod, "default").create(
        {"metadata": {"name": name}, "spec": {"containers": containers, "nodeName": "mine", **spec}}
    )


def test_a_node_that_has_gone_silent() -> None:
    """With a clock that the test moves: what is written is the same as upstream's."""

    async def test(client: Client) -> None:
        await make_node(client)
        now = [datetime.now(UTC)]
        lifecycle = NodeLifecycle(clock=lambda: now[0], elapsed=lambda: (now[0] - BEGIN) / SECOND)
        index = {Pod: {BY_NODE: node_of}}
        result = await reconcile_once(client, lifecycle.reconcile, Request("", "mine"), index=index)
        assert isinstance(result, Result)
        assert 45 < result.requeue_after <= 50
        now[0] += timedelta(seconds=51)
        await reconcile_once(client, lifecycle.reconcile, Request("", "mine"), index=index)
        found = await client.api(Node).get("mine")
        told = {each.type: (each.status, each.reason, each.message) for each in found.status.conditions}
        never = ("Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status.")
        assert told == {
            "Ready": ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."),
            "MemoryPressure": never,
            "DiskPressure": never,
            "PIDPressure": never,
        }
        # It is the only node, which is no reason to drive pods away.
        assert {(each.key, each.effect) for each in found.spec.taints} == {(UNREACHABLE, "NoSchedule")}
        await make_ready_again(client)
        await reconcile_once(client, lifecycle.reconcile, Request("", "mine"), index=index)
        assert (await client.api(Node).get("mine")).spec.taints == []

    with_cluster(test, "root-ca-cert-publisher")


def test_pods_are_driven_away_only_when_it_is_known_that_others_are_ready() -> None:
    async def test(client: Client) -> None:
        await make_node(client)
        await client.api(Node).create({"metadata": {"name": "other"}})
        now = [datetime.now(UTC)]
        lifecycle = NodeLifecycle(clock=lambda: now[0], elapsed=lambda: (now[0] - BEGIN) / SECOND)
        index = {Pod: {BY_NODE: node_of}}

        async def look() -> tuple[Result | None, list[str]]:
            result = await reconcile_once(client, lifecycle.reconcile, Request("", "mine"), index=index)
            taints = (await client.api(Node).get("mine")).spec.taints
            return result, sorted(each.effect for each in taints)

        await look()
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": None, "lastTransitionTime": None}
        await client.api(Node).patch("other", {"status": {"conditions": [ready]}}, subresource="status")
        now[0] += timedelta(seconds=51)
        # It may be that the other one is found to be silent in a moment.
        assert await look() == (Result(requeue_after=5), ["NoSchedule"])
        now[0] += timedelta(seconds=5)
        assert await look() == (None, ["NoExecute", "NoSchedule"])

    with_cluster(test, "root-ca-cert-publisher")


async def make_ready_again(client: Client) -> None:
    found = await client.api(Node).get("mine")
    for each in found.status.conditions:
        if each.type == "Ready":
            each.status = "True"
            each.last_heartbeat_time = datetime.now(UTC) + timedelta(minutes=2)
    await client.api(Node).update_status(found)


def test_pods_are_driven_away_and_told_so() -> None:
    async def test(client: Client) -> None:
        await make_node(client)
        await make_pod(client, "quick", terminationGracePeriodSeconds=0)
        await make_pod(client, "tolerant", tolerations=[{"operator": "Exists"}])
        seconds = {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2}
        await make_pod(client, "patient", tolerations=[seconds], terminationGracePeriodSeconds=0)
        begun = datetime.now(UTC)
        await client.api(Node).patch("mine", {"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}})

        async def there() -> set[str]:
            return {each.metadata.name async for each in client.api(Pod, "default").list()}

        async def quick_is_gone() -> bool:
            return "quick" not in await there()

        async def only_the_tolerant() -> bool:
            return await there() == {"tolerant"}

        await eventually(quick_is_gone, "the pod is not driven away")
        await eventually(only_the_tolerant, "the patient one stays")
        # Times of the API have whole seconds.
        assert datetime.now(UTC) - begun > timedelta(seconds=1)

        async def told() -> bool:
            messages = [each.message async for each in client.api(Event, "default").list()]
            return "Marking for deletion Pod default/quick" in messages

        await eventually(told, "nothing is told")

    with_cluster(test, "taint-eviction-controller")


def test_pods_of_a_node_that_is_gone() -> None:
    async def test(client: Client) -> None:
        await make_node(client)
        await make_pod(client, "p")
        await make_pod(client, "held")
        await client.api(Pod, "default").patch("held", {"metadata": {"finalizers": ["example.com/hold"]}})
        await client.api(Node).delete("mine")

        async def gone() -> bool:
            try:
                await client.api(Pod, "default").get("p")
            except NotFound:
                return True
            return False

        await eventually(gone, "the pod is still there")
        held = await client.api(Pod, "default").get("held")
        target = next(each for each in held.status.conditions if each.type == "DisruptionTarget")
        assert (held.status.phase, target.reason, target.message) == (
            "Failed",
            "DeletionByPodGC",
            "PodGC: node no longer exists",
        )

    with_cluster(test, "podgc")


def test_a_node_that_is_out_of_service_keeps_no_pod() -> None:
    async def test(client: Client) -> None:
        await make_node(client, status="False")
        await make_pod(client, "p")
        await client.api(Pod, "default").delete("p")
        assert (await client.api(Pod, "default").get("p")).metadata.deletion_timestamp is not None
        taint = {"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}
        await client.api(Node).patch("mine", {"spec": {"taints": [taint]}})

        async def gone() -> bool:
            return not [each async for each in client.api(Pod, "default").list()]

        await eventually(gone, "the pod is still there")

    with_cluster(test, "podgc")


def test_a_node_that_was_never_there_may_still_come() -> None:
    async def test(client: Client) -> None:
        await make_pod(client, "p")
        now = [datetime.now(UTC)]
        garbage = PodGarbage(clock=lambda: now[0], elapsed=lambda: (now[0] - BEGIN) / SECOND)

        async def look() -> Result | None:
            index = {Pod: {BY_NODE: node_of}}
            return await reconcile_once(client, garbage.reconcile, Request("default", "p"), index=index)

        assert await look() == Result(requeue_after=40)
        now[0] += timedelta(seconds=30)
        assert await look() == Result(requeue_after=10)
        now[0] += timedelta(seconds=10)
        assert await look() is None
        assert not [each async for each in client.api(Pod, "default").list()]
        assert not garbage._missing

    with_cluster(test, "root-ca-cert-publisher")


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_is_not_the_silence_of_nodes(hours: int) -> None:
    async def test(client: Client) -> None:
        await make_node(client)
        now, elapsed = [datetime.now(UTC)], [1000.0]
        lifecycle = NodeLifecycle(clock=lambda: now[0], elapsed=lambda: elapsed[0])

        async def look() -> tuple[Result | None, str]:
            index = {Pod: {BY_NODE: node_of}}
            result = await reconcile_once(client, lifecycle.reconcile, Request("", "mine"), index=index)
            (ready,) = [
                each.status
                for each in (await client.api(Node).get("mine")).status.conditions
                if each.type == "Ready"
            ]
            return result, ready

        assert await look() == (Result(requeue_after=50), "True")
        now[0] += timedelta(hours=hours)
        elapsed[0] += 20
        assert await look() == (Result(requeue_after=30), "True")
        elapsed[0] += 31
        assert (await look())[1] == "Unknown"

    with_cluster(test, "root-ca-cert-publisher")


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_does_not_change_how_long_a_node_may_be_missing(hours: int) -> None:
    async def test(client: Client) -> None:
        await make_pod(client, "p")
        now, elapsed = [datetime.now(UTC)], [1000.0]
        garbage = PodGarbage(clock=lambda: now[0], elapsed=lambda: elapsed[0])

        async def look() -> Result | None:
            index = {Pod: {BY_NODE: node_of}}
            return await reconcile_once(client, garbage.reconcile, Request("default", "p"), index=index)

        assert await look() == Result(requeue_after=40)
        now[0] += timedelta(hours=hours)
        elapsed[0] += 30
        assert await look() == Result(requeue_after=10)
        elapsed[0] += 10
        assert await look() is None
        assert not [each async for each in client.api(Pod, "default").list()]

    with_cluster(test, "root-ca-cert-publisher")


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_does_not_change_how_long_a_taint_is_tolerated(hours: int) -> None:
    async def test(client: Client) -> None:
        await make_node(client)
        taint = {"key": "broken", "effect": "NoExecute"}
        await client.api(Node).patch("mine", {"spec": {"taints": [taint]}})
        toleration = {"key": "broken", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
        await make_pod(client, "p", tolerations=[toleration])
        now, elapsed = [datetime.now(UTC)], [1000.0]
        eviction = TaintEviction(clock=lambda: now[0], elapsed=lambda: elapsed[0])

        async def look() -> Result | None:
            return await reconcile_once(client, eviction.reconcile, Request("default", "p"))

        assert await look() == Result(requeue_after=60)
        now[0] += timedelta(hours=hours)
        elapsed[0] += 45
        assert await look() == Result(requeue_after=15)

    with_cluster(test, "root-ca-cert-publisher")
