"""Nodes, the scheduler and the kubelets: the embedded cluster beside the real one.

Nodes are plain objects on both sides, whose heartbeats come from the test.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from kubewright import Client
from kubewright.cluster.kubelet.kubelet import Kubelet
from kubewright.cluster.nodes.lifecycle import NodeLifecycle
from kubewright.cluster.nodes.pods_by_node import BY_NODE, node_of
from kubewright.cluster.nodes.pretended import keep_alive
from kubewright.controllers.manager import Manager
from kubewright.models.core_v1 import Event, Node, Pod
from kubewright.testing import Cluster
from tests.cluster.differential import Side, new_side
from tests.cluster.nodes.heartbeats import Hearts, hearts, node
from tests.realcluster.binaries import find_kubectl

if TYPE_CHECKING:
    from tests.realcluster.cluster import RealCluster

pytestmark = pytest.mark.real

GRACE = 8
"""Seconds of silent nodes, on the real cluster too: no heart of a busy machine stands still for so long."""

PATIENCE = 90.0
"""Seconds that anything may take on a busy machine."""

LATE = 20.0
"""Seconds for which clusters that differ are looked at again: events are sent in the background."""

UNREACHABLE = "node.kubernetes.io/unreachable"


@pytest.fixture(scope="module")
def real() -> Iterator[RealCluster]:
    """One of its own: nodes are everybody's."""
    from tests.realcluster.cluster import RealCluster

    grace = (f"--node-monitor-grace-period={GRACE}s", f"--node-startup-grace-period={GRACE}s")
    with RealCluster(controller_flags=grace) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def embedded() -> Iterator[Cluster]:
    """Nodes are looked after by the test's own manager, which gives them up as soon as the real one does."""
    with Cluster.in_thread(controllers="*,-kubelet,-nodelifecycle", nodes=0) as cluster:
        yield cluster


class Place(NamedTuple):
    """A cluster with nodes."""

    side: Side
    hearts: Hearts


Steps = Callable[[Place, Place], Awaitable[Any]]
"""What is done on our cluster and on the real one."""


@asynccontextmanager
async def place(client: Client, nodes: Sequence[dict[str, Any]]) -> AsyncIterator[Place]:
    async with new_side(client) as side, hearts(client, nodes) as beating:
        yield Place(side, beating)


@asynccontextmanager
async def managed(client: Client, *parts: Callable[[Manager], None]) -> AsyncIterator[None]:
    """A manager of ours with some controllers."""
    async with Manager(client, signals=False) as manager:
        manager.index(Pod, {BY_NODE: node_of})
        for each in parts:
            each(manager)
        running = asyncio.create_task(manager.run())
        try:
            yield
        finally:
            manager.stop()
            await running


def on_both(
    embedded: Cluster, real: RealCluster, nodes: Callable[[], list[dict[str, Any]]], steps: Steps
) -> Any:
    """What steps give that are done on our cluster and on the real one."""

    async def run() -> Any:
        async with (
            asyncio.timeout(400),
            Client(embedded.config) as ours,
            Client(real.config) as theirs,
            managed(ours, NodeLifecycle(grace=GRACE, startup_grace=GRACE, look_every=1.5).watch),
            place(ours, nodes()) as our_place,
            place(theirs, nodes()) as their_place,
        ):
            return await steps(our_place, their_place)

    return asyncio.run(run())


async def until(is_so: Callable[[], Awaitable[Any]], what: str) -> Any:
    try:
        async with asyncio.timeout(PATIENCE):
            while not (found := await is_so()):  # noqa: ASYNC110 - whatever it is, it has no event
                await asyncio.sleep(0.1)
            return found
    except TimeoutError:
        raise AssertionError(what) from None


# The scheduler.


def pod(name: str, *, requests: dict[str, str] | None = None, port: int = 0, **spec: Any) -> dict[str, Any]:
    ports = [{"containerPort": 80, "hostPort": port}] if port else []
    asked = requests or {}
    limits = {name: amount for name, amount in asked.items() if "/" in name}
    resources = {"requests": asked, "limits": limits}
    container = {"name": "c", "image": "i", "resources": resources, "ports": ports}
    labels = spec.pop("labels", {})
    return {"metadata": {"name": name, "labels": labels}, "spec": {"containers": [container], **spec}}


def by_name(*names: str) -> dict[str, Any]:
    terms = [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]} for name in names
    ]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def scheduling_nodes() -> list[dict[str, Any]]:
    taint = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}
    return [
        node("small", cpu="2", pods="4", labels={"disk": "ssd"}),
        node("tainted", cpu="8", taints=[taint]),
        node("cordoned", cpu="8", unschedulable=True),
    ]


TOLERATION = {"key": "dedicated", "operator": "Equal", "value": "x", "effect": "NoSchedule"}

PODS = [
    pod("plain", port=80),
    pod("same-port", port=80),
    pod("ssd", requests={"cpu": "1"}, nodeSelector={"disk": "ssd"}),
    pod("hdd", nodeSelector={"disk": "hdd"}),
    pod("tolerant", requests={"cpu": "4"}, tolerations=[TOLERATION]),
    pod("no-room", requests={"cpu": "1500m"}),
    pod("huge", requests={"cpu": "100", "memory": "1Ti"}, tolerations=[TOLERATION]),
    pod("gpu", requests={"example.com/gpu": "1"}),
    pod("named", affinity=by_name("small")),
    pod("misnamed", affinity=by_name("absent")),
    pod("misnamed-and-tainted", affinity=by_name("tainted", "absent")),
    pod("gated", schedulingGates=[{"name": "example.com/wait"}]),
    pod("others", schedulerName="mine"),
    pod("claims", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "absent"}}]),
    pod("last"),
    pod("too-many"),
    pod(
        "ephemeral",
        volumes=[
            {
                "name": "v",
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1Gi"}},
                        }
                    }
                },
            }
        ],
        schedulerName="mine",
    ),
]
"""One after another, since each changes what there is for those after it."""


async def schedule(there: Place) -> dict[str, Any]:
    """What became of the pods."""
    pods = there.side.client.api(Pod, there.side.namespace)
    nodes = there.side.client.api(Node)

    async def untainted() -> bool:
        found = [each async for each in nodes.list()]
        return not any(t.key.endswith("not-ready") for each in found for t in each.spec.taints) and all(
            t.key.endswith("unschedulable")
            for each in found
            if each.spec.unschedulable
            for t in each.spec.taints
        )

    await until(untainted, "nodes are not ready")
    told: dict[str, Any] = {}
    for each in PODS:
        name = each["metadata"]["name"]
        await pods.create(each)

        async def decided(name: str = name) -> bool:
            found = await pods.get(name)
            ignored = found.spec.scheduler_name == "mine"
            return ignored or any(c.type == "PodScheduled" for c in found.status.conditions)

        await until(decided, f"nothing is told of {name}")
    for each in PODS:
        told[each["metadata"]["name"]] = await fate(there.side, each["metadata"]["name"])
    return told


async def fate(side: Side, name: str) -> dict[str, Any]:
    found = await side.client.api(Pod, side.namespace).get(name)

    async def events() -> list[Any]:
        about = side.client.api(Event, side.namespace).list()
        return [each async for each in about if each.involved_object.name == name]

    if found.spec.scheduler_name != "mine" and not found.spec.scheduling_gates:
        await until(events, f"there are no events of {name}")
    return {
        "node": found.spec.node_name,
        "conditions": [
            (each.type, each.status, each.reason, each.message, each.observed_generation is not None)
            for each in found.status.conditions
        ],
        "events": sorted({plain(each, side) for each in await events()}),
    }


def plain(event: Event, side: Side) -> tuple[Any, ...]:
    """An event without what differs between two runs."""
    return (
        event.type,
        event.reason,
        event.action,
        event.message.replace(side.namespace, "<namespace>"),
        event.source.component,
        event.reporting_component,
        event.reporting_instance.split("-")[0],
        event.count or 0,
        event.event_time is not None,
        event.first_timestamp is not None,
    )


async def schedule_on_both(ours: Place, theirs: Place) -> Any:
    return await asyncio.gather(schedule(ours), schedule(theirs))


def test_the_scheduler(embedded: Cluster, real: RealCluster) -> None:
    ours, theirs = on_both(embedded, real, scheduling_nodes, schedule_on_both)
    for name, expected in theirs.items():
        assert ours[name] == expected, name
    # And that is what the test is about.
    placed = {name for name, each in theirs.items() if each["node"]}
    assert placed == {"plain", "ssd", "tolerant", "named", "last"}
    assert "1 Insufficient cpu" in theirs["no-room"]["conditions"][0][3]
    assert "Too many pods" in theirs["too-many"]["conditions"][0][3]


# Silent nodes.


def quiet_nodes() -> list[dict[str, Any]]:
    return [node(f"n{number}", labels={"kubernetes.io/os": "linux"}) for number in (1, 2, 3)]


async def one_goes_silent(there: Place) -> None:
    client, side = there.side.client, there.side
    unreachable = {"key": UNREACHABLE, "operator": "Exists", "effect": "NoExecute"}
    await running_pod(side, "patient", "n3")
    await running_pod(side, "hasty", "n3", tolerations=[{**unreachable, "tolerationSeconds": 2}])
    await running_pod(side, "elsewhere", "n1")
    await until(lambda: has_taints(client, "n3", []), "the node is tainted")
    there.hearts.stop("n3")
    both = ["NoExecute", "NoSchedule"]
    await until(lambda: has_taints(client, "n3", both), "the node is not tainted")
    await until(lambda: is_ending(side, "hasty"), "the pod is not driven away")


async def it_comes_back(there: Place) -> None:
    client, side = there.side.client, there.side
    await there.hearts.start(*(each for each in quiet_nodes() if each["metadata"]["name"] == "n3"))
    await until(lambda: has_taints(client, "n3", []), "the node stays tainted")
    await until(lambda: has_event(side, "Cancelling deletion"), "nothing is cancelled")


async def all_go_silent(there: Place) -> None:
    client = there.side.client
    there.hearts.stop("n1", "n2", "n3")
    for name in ("n1", "n2", "n3"):
        await until(partial(has_taints, client, name, ["NoSchedule"]), f"{name} is not tainted")


async def another_never_speaks(there: Place) -> None:
    client = there.side.client
    await client.api(Node).create({"metadata": {"name": "n4"}})
    await until(lambda: has_taints(client, "n4", ["NoSchedule"], UNREACHABLE), "the new node is not tainted")


async def it_is_deleted(there: Place) -> None:
    side = there.side
    await side.client.api(Node).delete("n4")
    await until(lambda: has_event(side, "Removing Node n4"), "nothing is told of the deletion")


async def go_silent(ours: Place, theirs: Place) -> list[tuple[Any, Any]]:
    """What is seen on both after each stage, when it is the same, or does not become so."""
    found = []
    for stage in (one_goes_silent, it_comes_back, all_go_silent, another_never_speaks):
        await asyncio.gather(stage(ours), stage(theirs))
        found.append(await seen_on_both(ours.side, theirs.side))
    await asyncio.gather(it_is_deleted(ours), it_is_deleted(theirs))
    return found


async def seen_on_both(ours: Side, theirs: Side) -> tuple[Any, Any]:
    clock = asyncio.get_running_loop().time
    end = clock() + LATE
    while True:
        mine, expected = await asyncio.gather(seen(ours), seen(theirs))
        expected["nodes"] = without_late_taints(expected["nodes"])
        if mine == expected or clock() > end:
            return mine, expected
        await asyncio.sleep(0.1)


async def running_pod(side: Side, name: str, where: str, **spec: Any) -> None:
    pods = side.client.api(Pod, side.namespace)
    await pods.create(pod(name, nodeName=where, **spec))
    conditions = [{"type": kind, "status": "True"} for kind in ("Ready", "ContainersReady")]
    body = {"status": {"phase": "Running", "conditions": conditions}}
    await pods.patch(name, body, type="strategic", subresource="status")


async def has_taints(client: Client, name: str, effects: list[str], key: str = "") -> bool:
    found = await client.api(Node).get(name)
    return sorted(each.effect for each in found.spec.taints if key in each.key) == effects


async def is_ending(side: Side, name: str) -> bool:
    found = await side.client.api(Pod, side.namespace).get(name)
    return found.metadata.deletion_timestamp is not None


async def all_events(side: Side) -> list[Event]:
    found = [each async for each in side.client.api(Event, side.namespace).list()]
    nodes = [each async for each in side.client.api(Event, "default").list()]
    # Those of other tests are there for an hour.
    names = {"n1", "n2", "n3", "n4"}
    return found + [each for each in nodes if each.involved_object.name in names]


async def has_event(side: Side, text: str) -> bool:
    return any(text in each.message for each in await all_events(side))


async def seen(side: Side) -> dict[str, Any]:
    pods = [each async for each in side.client.api(Pod, side.namespace).list()]
    nodes = [each async for each in side.client.api(Node).list()]
    return {
        "pods": {each.metadata.name: pod_outcome(each) for each in pods},
        "nodes": {each.metadata.name: node_outcome(each) for each in nodes},
        "events": {
            told
            for each in await all_events(side)
            if each.reason != "Scheduled" and BY_CHANCE not in (told := silent_plain(each, side))
        },
    }


def pod_outcome(found: Pod) -> Any:
    conditions = {(each.type, each.status, each.reason, each.message) for each in found.status.conditions}
    ending = found.metadata.deletion_timestamp is not None
    return found.status.phase, ending, found.metadata.deletion_grace_period_seconds, conditions


def node_outcome(found: Node) -> Any:
    conditions = [
        (each.type, each.status, each.reason, each.message, each.last_heartbeat_time is not None)
        for each in found.status.conditions
    ]
    taints = {(each.key, each.effect, each.time_added is not None) for each in found.spec.taints}
    return conditions, taints, found.metadata.labels


def without_late_taints(nodes: dict[str, Any]) -> dict[str, Any]:
    """Real nodes, when all are silent, without the taints that drive pods away: none should have one.

    One loop of the real controller takes those away when it finds the last node silent, another adds them,
    and one that comes a moment too late stays. Ours must have none.
    """
    if not all(
        ("Ready", "Unknown") in {each[:2] for each in conditions} for conditions, *_ in nodes.values()
    ):
        return nodes
    return {
        name: (conditions, {each for each in taints if each[1] != "NoExecute"}, labels)
        for name, (conditions, taints, labels) in nodes.items()
    }


BY_CHANCE = "Cancelling deletion of Pod <namespace>/elsewhere"
"""Told where its node is found silent before the others are: when all are, nobody is driven away."""


def silent_plain(event: Event, side: Side) -> tuple[Any, ...]:
    """An event without what differs, also by chance: how often deletions were cancelled, see above."""
    if event.message.startswith("Cancelling deletion"):
        event.count = 1
    return plain(event, side)


def test_silent_nodes(embedded: Cluster, real: RealCluster) -> None:
    found = on_both(embedded, real, quiet_nodes, go_silent)
    for stage, (mine, expected) in enumerate(found):
        for what in ("nodes", "pods", "events"):
            assert mine[what] == expected[what], f"stage {stage}: {what}"
    assert {"NodeNotReady", "RegisteredNode", "TaintManagerEviction"} <= {
        event[1] for event in found[-1][1]["events"]
    }


# Our kubelets in the real cluster.


def test_our_kubelets_serve_the_real_control_plane(real: RealCluster) -> None:
    """A Deployment of the real controllers becomes ready through pods that pretend; kubectl is satisfied."""

    def kubectl(*arguments: str) -> str:
        command = [str(find_kubectl()), f"--kubeconfig={real.kubeconfig}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE + 30, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    async def run() -> None:
        def nodes(manager: Manager) -> None:
            keep_alive(manager, nodes=2, renew_every=1.0)

        async with (
            asyncio.timeout(400),
            Client(real.config) as client,
            new_side(client) as side,
            hearts(client, []),
            managed(client, nodes, Kubelet().watch),
        ):
            await asyncio.to_thread(use, side.namespace)

    def use(namespace: str) -> None:
        where = f"--namespace={namespace}"
        kubectl(where, "create", "deployment", "web", "--image=nginx", "--replicas=5")
        told = kubectl(where, "rollout", "status", "deployment/web", "--timeout=90s")
        assert told.endswith('deployment "web" successfully rolled out\n')
        shown = kubectl(where, "get", "pods", "-o", "wide", "--no-headers")
        assert len(re.findall(r"1/1 +Running +0 +\S+ +10\.244\.[12]\.\d+ +node-[12] ", shown)) == 5
        kubectl("wait", "node/node-1", "node/node-2", "--for=condition=Ready", "--timeout=90s")
        assert kubectl("get", "nodes", "--no-headers").count(" Ready ") == 2
        kubectl(where, "set", "image", "deployment/web", "nginx=nginx:2")
        kubectl(where, "rollout", "status", "deployment/web", "--timeout=90s")
        kubectl(where, "run", "task", "--image=busybox", "--restart=Never")
        kubectl(where, "wait", "pod/task", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=90s")
        kubectl(where, "delete", "deployment/web", "pod/task", "--timeout=90s")
        kubectl(where, "wait", "pods", "--all", "--for=delete", "--timeout=90s")

    asyncio.run(run())
