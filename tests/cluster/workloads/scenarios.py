"""What is done to workloads on our cluster and on a real one, in stages that are compared."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from kubewright.machinery.errors import NotFound
from tests.cluster import differential
from tests.cluster.differential import Side, Step, created, deleted, patched, scaled, state_of
from tests.cluster.workloads.consistent import is_consistent

__all__ = ["KINDS", "SCENARIOS", "Stage", "settled"]

PATIENCE = 120.0
"""Seconds that anything may take on a busy machine."""

KINDS = ("Deployment", "ReplicaSet", "ReplicationController", "Pod")

TEMPLATE = """
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
"""
SELECTED = f"  selector: {{matchLabels: {{app: web}}}}{TEMPLATE}"


class Stage(NamedTuple):
    """Steps after which both sides are compared, when nothing changes any more."""

    steps: Sequence[Step]
    way: bool = True
    """Whether also events and generations are compared, which tell of the way: not where the sizes on it are
    a matter of time, nor where events name ReplicaSets that are gone, whose hashes nobody knows any more."""


Stages = Mapping[str, Stage]


def stage(*steps: Step, way: bool = True) -> Stage:
    return Stage([*steps, settled()], way)


def settled(*, pods: int | None = None, quiet: float = 0.5) -> Step:
    """Wait until there are so many pods, the statuses tell of them, and nothing has changed for a while.

    As that of the harness does, but with few looks, since many scenarios are played at once.
    """

    async def step(side: Side) -> None:
        clock = asyncio.get_running_loop().time
        last, since = await _revisions(side), clock()
        async with asyncio.timeout(PATIENCE):
            while (
                clock() - since < quiet
                or pods not in (None, len(last["Pod"]))
                # What is told at the end of all of it, as it asks for whole objects.
                or not is_consistent(await state_of(side, KINDS))
            ):
                await asyncio.sleep(0.2)
                now = await _revisions(side)
                if now != last:
                    last, since = now, clock()

    return step


async def _revisions(side: Side) -> dict[str, dict[str, str]]:
    """By kind and uid; of events only that they are there, as some are repeated for ever."""
    found: dict[str, dict[str, str]] = {}
    for kind in (*KINDS, "Event"):
        of_kind = found[kind] = {}
        async for each in side.api(kind).metadata().list(page_size=None):
            revision = "" if kind == "Event" else each.metadata.resource_version
            of_kind[each.metadata.uid] = revision
    return found


def manifest(kind: str, spec: str, *, api_version: str = "apps/v1", rest: str = SELECTED) -> str:
    annotations = "{kubernetes.io/change-cause: first}"
    metadata = f"metadata: {{name: web, annotations: {annotations}}}"
    return f"apiVersion: {api_version}\nkind: {kind}\n{metadata}\nspec:\n{spec}{rest}"


def image(name: str) -> Step:
    containers = [{"name": "c", "image": name}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    return patched("Deployment", "web", patch, type="strategic")


def spec(kind: str = "Deployment", **changes: Any) -> Step:
    return patched(kind, "web", {"spec": changes})


def ready(*, at_most: int | None = None, phase: str = "Running") -> Step:
    """Pods that become ready, or end; those that go meanwhile are gone."""
    report = differential.pods_reported(ready=phase == "Running", phase=phase, at_most=at_most)

    async def step(side: Side) -> None:
        with suppress(NotFound):
            await report(side)

    return step


def rolled_out(times: int) -> list[Step]:
    """Pods that become ready, and those that come then, and so on."""
    return [ready(), settled()] * times


def gone(kind: str) -> Step:
    """Wait until there are no objects of a kind."""

    async def step(side: Side) -> None:
        async with asyncio.timeout(PATIENCE):
            while (await state_of(side, [kind]))[kind]:  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0.2)

    return step


def relabelled(**labels: str) -> Step:
    """Other labels for all pods."""

    async def step(side: Side) -> None:
        for each in (await state_of(side, ["Pod"]))["Pod"]:
            await side.api("Pod").patch(each["metadata"]["name"], {"metadata": {"labels": labels}})

    return step


def a_deployment() -> Stages:
    cause = {"metadata": {"annotations": {"kubernetes.io/change-cause": "second"}}}
    return {
        "created": stage(created(manifest("Deployment", "  replicas: 3\n")), settled(pods=3)),
        "one is ready": stage(ready(at_most=1)),
        "all are ready": stage(ready()),
        "scaled up": stage(scaled("Deployment", "web", 5), settled(pods=5)),
        "scaled up, ready": stage(ready()),
        "scaled down": stage(scaled("Deployment", "web", 2), settled(pods=2)),
        "annotated": stage(patched("Deployment", "web", cause)),
        "another image": stage(image("nginx:2"), settled(pods=3)),
        "rolled out": stage(*rolled_out(3)),
        "undone": stage(image("nginx:1"), settled(), *rolled_out(3)),
    }


def sizes_of_a_deployment() -> Stages:
    return {
        "no pods": stage(created(manifest("Deployment", "  replicas: 0\n"))),
        "a pod": stage(spec(replicas=1), settled(pods=1), ready()),
        "min ready seconds": stage(spec(minReadySeconds=2)),
        "no pods again": stage(spec(replicas=0), settled(pods=0)),
        "another template without pods": stage(image("nginx:2")),
        "pods again": stage(spec(replicas=2), settled(pods=2), ready(), settled(quiet=2.5)),
    }


def an_interrupted_rollout() -> Stages:
    rolling = "  strategy: {rollingUpdate: {maxSurge: 2, maxUnavailable: 2}}\n"
    return {
        "created": stage(
            created(manifest("Deployment", f"  replicas: 10\n{rolling}")), settled(pods=10), ready()
        ),
        "in the middle": stage(image("nginx:2"), settled(pods=12)),
        "scaled up in the middle": stage(scaled("Deployment", "web", 20), settled(pods=22)),
        "scaled down in the middle": stage(scaled("Deployment", "web", 7), settled(pods=9)),
        "a third template": stage(image("nginx:3")),
        "paused": stage(spec(paused=True)),
        "scaled while paused": stage(scaled("Deployment", "web", 9)),
        "resumed": stage(spec(paused=False)),
        "rolled out": stage(*rolled_out(5), way=False),
    }


def recreation() -> Stages:
    strategy = "  strategy: {type: Recreate}\n"
    return {
        "created": stage(created(manifest("Deployment", f"  replicas: 2\n{strategy}")), settled(pods=2)),
        "ready": stage(*rolled_out(1)),
        "another image": stage(image("nginx:2"), settled(pods=2)),
        "rolled out": stage(*rolled_out(1)),
        "rolling from now on": stage(spec(strategy={"type": "RollingUpdate"}), image("nginx:3")),
        "rolled out again": stage(*rolled_out(3)),
    }


def deadlines() -> Stages:
    return {
        "created paused": stage(created(manifest("Deployment", "  replicas: 2\n  paused: true\n"))),
        "resumed": stage(spec(paused=None, progressDeadlineSeconds=1), settled(pods=2, quiet=2.5)),
        "late": stage(*rolled_out(1)),
        "a longer deadline": stage(spec(progressDeadlineSeconds=600)),
        "no deadline": stage(spec(progressDeadlineSeconds=2**31 - 1)),
        "a deadline again": stage(spec(progressDeadlineSeconds=600)),
    }


def history() -> Stages:
    return {
        "created": stage(
            created(manifest("Deployment", "  replicas: 1\n  revisionHistoryLimit: 1\n")),
            settled(pods=1),
            ready(),
        ),
        "the second": stage(image("nginx:2"), settled(), *rolled_out(2)),
        "the third": stage(image("nginx:3"), settled(), *rolled_out(2), way=False),
        "none": stage(spec(revisionHistoryLimit=0), way=False),
    }


def adoption_of_replica_sets() -> Stages:
    labels = "{app: web, own: a}"
    own = f"""
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: own, labels: {labels}}}
spec:
  replicas: 1
  selector: {{matchLabels: {labels}}}
  template:
    metadata: {{labels: {labels}}}
    spec: {{containers: [{{name: c, image: x}}]}}
"""
    away = {"metadata": {"labels": {"app": "other"}}}
    back = {"metadata": {"labels": {"app": "web"}}}
    return {
        "a replica set": stage(created(own), settled(pods=1)),
        "adopted": stage(created(manifest("Deployment", "  replicas: 2\n")), settled(pods=3)),
        "rolled out": stage(*rolled_out(2)),
        "released": stage(patched("ReplicaSet", "own", away)),
        "adopted again": stage(patched("ReplicaSet", "own", back)),
    }


def a_deployment_that_is_made_anew() -> Stages:
    made = created(manifest("Deployment", "  replicas: 2\n"))
    return {
        "created": stage(made, settled(pods=2), ready()),
        "deleted, its replica set orphaned": stage(
            deleted("Deployment", "web", "Orphan"), gone("Deployment")
        ),
        "made anew": stage(made, settled(pods=2)),
        "another image": stage(image("nginx:2"), settled(), *rolled_out(3)),
        "deleted with all": stage(
            deleted("Deployment", "web", "Foreground"), gone("Deployment"), settled(pods=0), way=False
        ),
    }


def a_controller_of_pods(kind: str) -> Stages:
    if kind == "ReplicaSet":
        made = manifest(kind, "  replicas: 3\n")
    else:
        made = manifest(kind, "  replicas: 3\n", api_version="v1", rest=TEMPLATE)
    bare = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, labels: {app: %s}}\n"
    bare += "spec: {containers: [{name: c, image: x}]}\n"
    labels = {"spec": {"template": {"metadata": {"labels": {"b": "c"}}}}}
    return {
        "created": stage(created(made), settled(pods=3)),
        "one is ready": stage(ready(at_most=1)),
        "scaled down": stage(scaled(kind, "web", 1), settled(pods=1)),
        "all is well": stage(ready()),
        "one fails": stage(ready(at_most=1, phase="Failed"), settled(pods=2)),
        # Of those that are one too many, the one goes that is not ready: among equals, the real controller
        # goes by ages that are about the same, or by chance.
        "one that matches": stage(ready(), created(bare % ("bare", "web"))),
        "one that comes to match": stage(
            created(bare % ("other", "other")),
            differential.pods_reported(labels="app=other"),
            scaled(kind, "web", 4),
            settled(),
            patched("Pod", "other", {"metadata": {"labels": {"app": "web"}}}),
        ),
        "released": stage(relabelled(app="gone")),
        "another template": stage(patched(kind, "web", labels)),
        "min ready seconds": stage(ready(), spec(kind, minReadySeconds=1), settled(quiet=1.5)),
    }


def pods_that_cannot_be_created() -> Stages:
    absent = SELECTED.replace("spec: {containers", "spec: {priorityClassName: absent, containers")
    mended = [{"op": "remove", "path": "/spec/template/spec/priorityClassName"}]
    return {
        "created": stage(created(manifest("Deployment", "  replicas: 3\n", rest=absent))),
        "mended": stage(patched("Deployment", "web", mended), settled(), *rolled_out(3)),
    }


SCENARIOS: Mapping[str, Stages] = {
    "a deployment": a_deployment(),
    "sizes of a deployment": sizes_of_a_deployment(),
    "an interrupted rollout": an_interrupted_rollout(),
    "recreation": recreation(),
    "deadlines": deadlines(),
    "history": history(),
    "adoption of replica sets": adoption_of_replica_sets(),
    "a deployment that is made anew": a_deployment_that_is_made_anew(),
    "a replica set": a_controller_of_pods("ReplicaSet"),
    "a replication controller": a_controller_of_pods("ReplicationController"),
    "pods that cannot be created": pods_that_cannot_be_created(),
}
