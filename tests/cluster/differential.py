"""The same steps on two clusters, and what they made of them, in a form that can be compared.

    steps = [applied(DEPLOYMENT), settled(until=three_pods), scaled("Deployment", "web", 1), settled()]
    async with new_side(client) as embedded, new_side(real_client) as real:
        await compared(embedded, real, steps, kinds=["Deployment", "ReplicaSet", "Pod"])

A side is any client and a namespace: of the embedded cluster, of a real one, or two namespaces of one. The
fixture `both` does all of that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from kubewright.client.api import Api, PatchType, Propagation
from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.machinery.errors import NotFound
from kubewright.machinery.unstructured import Unstructured
from kubewright.machinery.yaml import load_all
from tests.cluster.differential_report import assert_same, differences
from tests.cluster.normalise import Normaliser, Outcome, Plain, normalise

__all__ = [
    "KINDS",
    "Side",
    "State",
    "Step",
    "agreed",
    "applied",
    "assert_same",
    "compared",
    "created",
    "deleted",
    "differences",
    "done_on",
    "new_side",
    "observed",
    "outcome_of",
    "patched",
    "play",
    "pods_reported",
    "scaled",
    "settled",
    "state_of",
]

T = TypeVar("T")

KINDS: Final[Mapping[str, str]] = {
    "ConfigMap": "v1",
    "Deployment": "apps/v1",
    "Event": "v1",
    "Namespace": "v1",
    "Node": "v1",
    "PersistentVolume": "v1",
    "PersistentVolumeClaim": "v1",
    "Pod": "v1",
    "ReplicaSet": "apps/v1",
    "ReplicationController": "v1",
    "Secret": "v1",
    "Service": "v1",
    "ServiceAccount": "v1",
    "StorageClass": "storage.k8s.io/v1",
}
"""The API version of each kind that a test may name."""

_CLUSTER_SCOPED: Final = frozenset({"Namespace", "Node", "PersistentVolume", "StorageClass"})

_SIDE_LABEL: Final = "differential-namespace"
"""On objects without a namespace: the namespace of the side that they belong to."""

_QUIET: Final = 0.5
"""Seconds without a change after which controllers are taken to be done: they answer within a tenth of that
where the machine lets them; see `agreed` for when it does not."""
_PATIENCE: Final = 60.0
"""Seconds after which a cluster that goes on changing, or does not come to what is waited for, has failed."""
_LATE: Final = 20.0
"""Seconds for which sides that differ are looked at again: what one is late with comes, and what it does
otherwise stays."""
_PAUSE: Final = 0.05
"""Seconds between two looks."""


class Side(NamedTuple):
    """A cluster, by one of its namespaces."""

    client: Client
    namespace: str

    def api(self, kind: str) -> Api[Unstructured]:
        """The objects of a kind: those of the namespace, or all where there are no namespaces."""
        namespace = None if kind in _CLUSTER_SCOPED else self.namespace
        return self.client.dynamic(KINDS[kind], kind, namespace)


State: TypeAlias = dict[str, list[Plain]]
"""Objects as they are, by kind."""

Step: TypeAlias = Callable[[Side], Awaitable[None]]
"""Something that is done on a side."""


@asynccontextmanager
async def new_side(client: Client) -> AsyncIterator[Side]:
    """A new namespace in which pods can be created; it is deleted afterwards, without waiting for that."""
    namespaces = client.core_v1.namespaces()
    made = await namespaces.create({"metadata": {"generateName": "differential-"}})
    side = Side(client, made.metadata.name)
    try:
        # Before these are there, admission refuses pods, and controllers tell of it in events.
        for kind, name in (("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")):
            await side.api(kind).wait_for(name, lambda _: True, timeout=_PATIENCE)
        yield side
    finally:
        with suppress(NotFound):
            await namespaces.delete(side.namespace)


async def outcome_of(side: Side, steps: Iterable[Step], kinds: Sequence[str], **how: Any) -> Outcome:
    """Do the steps one after another, and return what is there afterwards, events included, normalised.

    `how` are the options of Normaliser. The last step is mostly `settled`: what is looked at while
    controllers work is a matter of chance.
    """
    for step in steps:
        await step(side)
    return await observed(side, kinds, **how)


async def compared(
    embedded: Side, real: Side, steps: Sequence[Step], kinds: Sequence[str], **how: Any
) -> Outcome:
    """Do the same steps on both sides at once and fail where the outcomes differ; they are equal otherwise.

    The outcome is returned so that a test can say what it is about: two clusters that do nothing are equal,
    too.
    """
    await done_on((embedded, real), steps)
    ours, theirs = await agreed((embedded, real), kinds, **how)
    assert_same(ours, theirs)
    return theirs


async def done_on(sides: Iterable[Side], steps: Iterable[Step]) -> None:
    """Do the steps one after another, on all sides at once."""
    steps = list(steps)

    async def on(side: Side) -> None:
        for step in steps:
            await step(side)

    await asyncio.gather(*map(on, sides))


async def play(
    scenario: Callable[[Client, Client, str], Awaitable[T]],
    names: Iterable[str],
    ours: Config,
    theirs: Config,
    *,
    within: float,
) -> dict[str, T | BaseException]:
    """What scenarios give that are all played at once on both clusters, or why one could not be played."""
    names = list(names)
    async with asyncio.timeout(within), Client(ours) as mine, Client(theirs) as real:
        found = await asyncio.gather(*(scenario(mine, real, name) for name in names), return_exceptions=True)
    return dict(zip(names, found, strict=True))


async def agreed(
    sides: Sequence[Side],
    kinds: Sequence[str],
    *,
    seen_as: Callable[[Outcome], Outcome] = lambda outcome: outcome,
    **how: Any,
) -> list[Outcome]:
    """What is there on each side, as soon as that is the same; what is there in the end, if it never is.

    A side on which nothing changes may be one that nobody has come to yet: on a busy machine a controller
    stands still for longer than anybody waits, and events are sent in the background.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + _LATE
    while True:
        looked = await asyncio.gather(*(observed(side, kinds, **how) for side in sides))
        outcomes = [seen_as(each) for each in looked]
        if clock() > end or all(each == outcomes[0] for each in outcomes):
            return outcomes
        await asyncio.sleep(_PAUSE)


async def observed(side: Side, kinds: Sequence[str], **how: Any) -> Outcome:
    """What is there now, events included, normalised."""
    state = await state_of(side, [*kinds, "Event"])
    objects = [each for found in state.values() for each in found]
    return normalise(objects, Normaliser(namespace=side.namespace, **how))


async def state_of(side: Side, kinds: Sequence[str]) -> State:
    """The objects of the side, as they are; of those without a namespace, the ones that belong to it."""
    state: State = {}
    for kind in dict.fromkeys(kinds):
        found = [{"kind": kind, **each.to_dict()} async for each in side.api(kind).list(page_size=None)]
        state[kind] = [each for each in found if _belongs(each, kind, side.namespace)]
    return state


def applied(manifests: str) -> Step:
    """Server-side apply of the documents of a YAML text, by the manager `test`."""

    async def step(side: Side) -> None:
        for each in _documents(manifests, side):
            await side.api(each["kind"]).apply(each, manager="test", force=True)

    return step


def created(manifests: str | Sequence[Plain]) -> Step:
    """The documents of a YAML text, or objects, created in their order."""

    async def step(side: Side) -> None:
        for each in _documents(manifests, side):
            await side.api(each["kind"]).create(each)

    return step


def patched(
    kind: str,
    name: str,
    patch: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    type: PatchType | None = None,  # noqa: A002 - as the client has it
    subresource: str = "",
) -> Step:
    """A patch: merge for a mapping, JSON patch for a list, if nothing else is said."""

    async def step(side: Side) -> None:
        await side.api(kind).patch(_named(name, side), patch, type=type, subresource=subresource)

    return step


def scaled(kind: str, name: str, replicas: int) -> Step:
    """Through the subresource, as `kubectl scale` does it."""

    async def step(side: Side) -> None:
        await side.api(kind).set_scale(name, replicas)

    return step


def deleted(kind: str, name: str, policy: Propagation = "", *, grace_period: int | None = None) -> Step:
    """A deletion with a policy, which does not wait for the object to be gone."""

    async def step(side: Side) -> None:
        await side.api(kind).delete(_named(name, side), propagation=policy, grace_period=grace_period)

    return step


def pods_reported(
    *, labels: str = "", ready: bool = True, phase: str = "Running", at_most: int | None = None
) -> Step:
    """What a kubelet would say of pods, where there is none: their phase, and whether they are ready.

    Pods that are said to be so already, that have ended or that are about to are left alone.
    """

    async def step(side: Side) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        status = "True" if ready else "False"
        conditions = [
            {"type": each, "status": status, "lastTransitionTime": now}
            for each in ("Ready", "ContainersReady")
        ]
        pods = side.api("Pod")
        waiting = [
            pod
            async for each in pods.list(labels=labels)
            if not _reported(pod := each.to_dict(), phase, status)
        ]
        for pod in waiting[:at_most]:
            body = {"status": {"phase": phase, "conditions": conditions}}
            await pods.patch(pod["metadata"]["name"], body, type="strategic", subresource="status")

    return step


def settled(
    *,
    kinds: Sequence[str] = ("Deployment", "ReplicaSet", "ReplicationController", "Pod"),
    until: Callable[[State], object] = lambda _: True,
    quiet: float = _QUIET,
    patience: float = _PATIENCE,
) -> Step:
    """Wait until a condition holds and nothing has changed for a while.

    An event that is repeated is no change: some controllers repeat them for ever. Fails with what is there
    when that does not come about in time.
    """

    async def step(side: Side) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + patience
        last: object = None
        since = clock()
        while True:
            state = await state_of(side, [*kinds, "Event"])
            mark = _mark(state)
            if mark != last:
                last, since = mark, clock()
            met = until(state)
            if met and clock() - since >= quiet:
                return
            if clock() > end:
                raise AssertionError(_unsettled(state, met=bool(met), patience=patience))
            await asyncio.sleep(_PAUSE)

    return step


def _mark(state: State) -> object:
    """What is equal as long as nothing changes."""
    return [
        (kind, each["metadata"]["uid"], None if kind == "Event" else each["metadata"]["resourceVersion"])
        for kind, found in state.items()
        for each in sorted(found, key=lambda each: each["metadata"]["uid"])
    ]


def _unsettled(state: State, *, met: bool, patience: float) -> str:
    what = "things went on changing" if met else "what was waited for did not come"
    names = [f"{kind} {each['metadata']['name']}" for kind, found in state.items() for each in found]
    statuses = [
        f"{kind} {each['metadata']['name']}: {each['status']}"
        for kind, found in state.items()
        for each in found
        if each.get("status") and kind != "Pod"
    ]
    return "\n".join([f"{what} within {patience:g} seconds; there are: {', '.join(names)}", *statuses])


def _documents(manifests: str | Sequence[Plain], side: Side) -> list[Plain]:
    """The objects, those without a namespace marked as this side's."""
    found = [dict(each) for each in (load_all(manifests) if isinstance(manifests, str) else manifests)]
    for each in found:
        if each["kind"] in _CLUSTER_SCOPED:
            metadata = each["metadata"] = dict(each["metadata"])
            metadata["labels"] = {**metadata.get("labels", {}), _SIDE_LABEL: side.namespace}
    return found


def _belongs(each: Plain, kind: str, namespace: str) -> bool:
    if kind not in _CLUSTER_SCOPED:
        return True
    metadata = each["metadata"]
    claim = each.get("spec", {}).get("claimRef", {})
    return namespace in (
        metadata["name"],
        metadata.get("labels", {}).get(_SIDE_LABEL),
        claim.get("namespace"),
    )


def _named(name: str, side: Side) -> str:
    """The name; that of the namespace itself is different on each side."""
    return side.namespace if name == "<namespace>" else name


def _reported(pod: Plain, phase: str, ready: str) -> bool:
    status = pod.get("status", {})
    found = {each["type"]: each["status"] for each in status.get("conditions", [])}
    same = status.get("phase") == phase and found.get("Ready") == ready
    ended = status.get("phase") in {"Failed", "Succeeded"}
    return same or ended or "deletionTimestamp" in pod["metadata"]
