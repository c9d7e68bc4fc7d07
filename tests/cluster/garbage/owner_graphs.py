"""Random graphs of owners, built and deleted in a cluster, and what remains of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from kubewright.client.api import Api, Propagation
from kubewright.client.client import Client
from kubewright.machinery.errors import NotFound
from kubewright.machinery.unstructured import Unstructured

__all__ = ["KINDS", "Copy", "Graph", "Outcome", "Thing", "graphs", "outcomes"]

KINDS: Final = {
    "ConfigMap": "v1",
    "Secret": "v1",
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "Sprocket": "graphs.example.com/v1",
}
"""The API version of each kind; the last is a custom resource."""

HOLD: Final = "example.com/hold"
"""The finalizer of objects that do not go when they are deleted."""

_QUIET: Final = 1.5
"""Seconds without a change after which a collector is done; the real one retries ten things a second. On a
busy machine it may stand still for as long, so that it is also seen to work since: see `_works`."""
_PATIENCE: Final = 180.0
_AT_ONCE: Final = 16
"""Requests under way."""


class Reference(NamedTuple):
    """One owner of an object."""

    owner: int
    """Which object of the graph."""
    block: bool | None
    damage: str
    """What is wrong with it: its uid, its name, its kind, its version; or nothing."""


class Thing(NamedTuple):
    """An object of a graph."""

    kind: str
    namespace: int
    held: bool
    owners: tuple[Reference, ...]


class Graph(NamedTuple):
    """Objects that own each other, and which of them are deleted, one after another."""

    things: tuple[Thing, ...]
    deletions: tuple[tuple[int, Propagation], ...]


Outcome = tuple[tuple[tuple[object, ...], ...], ...]
"""What there is of a graph after each stage."""


@st.composite
def graphs(draw: st.DrawFn, *, kinds: Sequence[str]) -> Graph:
    """Graphs with circles, with owners that are not there, and with owners of other namespaces."""
    count = draw(st.integers(2, 6))
    damages = st.sampled_from([""] * 12 + ["uid", "name", "kind", "version", "group"])
    # Most in one namespace: an owner in another one is none.
    namespaces = st.sampled_from([0] * 8 + [1])
    kind = st.sampled_from([each for each in kinds for _ in range(1 if each == "ClusterRole" else 4)])
    things = []
    for number in range(count):
        owners = draw(st.lists(st.integers(0, count - 1), max_size=3, unique=True))
        if draw(st.integers(0, 3)):
            # No circle.
            owners = [each for each in owners if each < number]
        references = tuple(
            Reference(each, draw(st.sampled_from([True, True, False, None])), draw(damages))
            for each in owners
        )
        held = draw(st.sampled_from([False, False, False, True]))
        things.append(Thing(draw(kind), draw(namespaces), held, references))
    policies: st.SearchStrategy[Propagation] = st.sampled_from(("Background", "Foreground", "Orphan"))
    # The first ones own most.
    deleted = st.one_of(st.integers(0, 1), st.integers(0, count - 1))
    deletions = draw(st.lists(st.tuples(deleted, policies), min_size=1, max_size=3))
    return Graph(tuple(things), tuple(deletions))


class Copy:
    """One graph in a cluster."""

    def __init__(self, client: Client, graph: Graph, namespaces: Sequence[str], name: str) -> None:
        self._client: Final = client
        self._graph: Final = graph
        self._namespaces: Final = namespaces
        self._name: Final = name
        self._uids: Final[list[str]] = []
        self._stages: Final[list[tuple[tuple[object, ...], ...]]] = []

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def outcome(self) -> Outcome:
        return tuple(self._stages)

    async def create(self) -> None:
        """Make the objects, without owners: what has none that is there is deleted at once."""
        for number, thing in enumerate(self._graph.things):
            metadata: dict[str, Any] = {"name": self._named(number)}
            if thing.held:
                metadata["finalizers"] = [HOLD]
            made = await self._api(number).create({"metadata": metadata})
            self._uids.append(made.metadata.uid)

    async def relate(self) -> None:
        """Give the objects their owners, each all at once."""
        for number, thing in enumerate(self._graph.things):
            if thing.owners:
                references = [self._reference(each) for each in thing.owners]
                body = {"metadata": {"ownerReferences": references}}
                await self._api(number).patch(self._named(number), body)

    async def delete(self, step: int) -> None:
        """Do one of the deletions, if there are that many."""
        if step < len(self._graph.deletions):
            number, policy = self._graph.deletions[step]
            with suppress(NotFound):
                await self._api(number).delete(self._named(number), propagation=policy)

    async def release(self) -> None:
        """Let what is held go."""
        for number, thing in enumerate(self._graph.things):
            if thing.held:
                with suppress(NotFound):
                    api, name = self._api(number), self._named(number)
                    finalizers = (await api.get(name)).metadata.finalizers
                    kept = [each for each in finalizers if each != HOLD]
                    where = "/metadata/finalizers"
                    body = [
                        {"op": "test", "path": where, "value": finalizers},
                        {"op": "replace", "path": where, "value": kept},
                    ]
                    await api.patch(name, body)

    def note(self, found: dict[str, dict[str, Any]]) -> None:
        """Remember what there is of it, of all objects by their names."""
        stage = []
        for number in range(len(self._graph.things)):
            metadata = found.get(self._named(number))
            if metadata is not None:
                stage.append(self._described(number, metadata))
        self._stages.append(tuple(stage))

    def _described(self, number: int, metadata: dict[str, Any]) -> tuple[object, ...]:
        uids = {uid: index for index, uid in enumerate(self._uids)}
        references = [
            (
                uids.get(each["uid"], "another"),
                each["name"].removeprefix(self._name),
                each["kind"],
                each.get("blockOwnerDeletion"),
            )
            for each in metadata.get("ownerReferences", [])
        ]
        finalizers = sorted(metadata.get("finalizers", []))
        return number, "deletionTimestamp" in metadata, finalizers, references

    def _reference(self, reference: Reference) -> dict[str, Any]:
        number = reference.owner
        kind = self._graph.things[number].kind
        made = {
            "apiVersion": KINDS[kind],
            "kind": kind,
            "name": self._named(number),
            "uid": self._uids[number],
        }
        if reference.block is not None:
            made["blockOwnerDeletion"] = reference.block  # type: ignore[assignment]
        damages = {
            "uid": {"uid": f"00000000-0000-0000-0000-{number:012}"},
            "name": {"name": f"{self._name}nobody"},
            "kind": {"apiVersion": "v1", "kind": "ServiceAccount"},
            # Of a group that is served, in a version that is not.
            "version": {"apiVersion": "apps/v7", "kind": "Deployment"},
            "group": {"apiVersion": "nowhere.example.com/v1", "kind": "Nothing"},
        }
        return {**made, **damages.get(reference.damage, {})}

    def _named(self, number: int) -> str:
        return f"{self._name}{number}"

    def _api(self, number: int) -> Api[Unstructured]:
        thing = self._graph.things[number]
        namespace = None if thing.kind == "ClusterRole" else self._namespaces[thing.namespace]
        return self._client.dynamic(KINDS[thing.kind], thing.kind, namespace)


async def outcomes(
    client: Client, graphs: Sequence[Graph], *, copies: int, kinds: Sequence[str]
) -> list[set[Outcome]]:
    """What becomes of graphs in a cluster, all at the same time, of each several times.

    Where a collector comes to things in no order, the same graph may have several outcomes.
    """
    async with _namespaces(client) as namespaces:
        prefix = namespaces[0][-5:]
        made = [
            Copy(client, graph, namespaces, f"g{prefix}-{number}-{copy}-")
            for number, graph in enumerate(graphs)
            for copy in range(copies)
        ]
        stages: list[Callable[[Copy], Awaitable[None]]] = [Copy.create, Copy.relate]
        stages += [_deletion(step) for step in range(3)]
        stages += [Copy.release]
        for stage in stages:
            await _all([stage(each) for each in made])
            found = await _settled(client, namespaces, kinds, f"g{prefix}-")
            for each in made:
                each.note(found)
        await _cleaned(client, f"g{prefix}-")
    by_graph: list[set[Outcome]] = [set() for _ in graphs]
    for index, each in enumerate(made):
        by_graph[index // copies].add(_hashable(each.outcome))
    return by_graph


def _hashable(outcome: Any) -> Any:
    return tuple(map(_hashable, outcome)) if isinstance(outcome, list | tuple) else outcome


def _deletion(step: int) -> Callable[[Copy], Awaitable[None]]:
    return lambda copy: copy.delete(step)


@asynccontextmanager
async def _namespaces(client: Client) -> AsyncIterator[list[str]]:
    api = client.core_v1.namespaces()
    made = [await api.create({"metadata": {"generateName": "graphs-"}}) for _ in range(2)]
    try:
        yield [each.metadata.name for each in made]
    finally:
        for each in made:
            await api.delete(each.metadata.name)


async def _all(work: Iterable[Awaitable[None]]) -> None:
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(each: Awaitable[None]) -> None:
        async with slots:
            await each

    async with asyncio.TaskGroup() as tasks:
        for each in work:
            tasks.create_task(one(each))


async def _settled(
    client: Client, namespaces: Sequence[str], kinds: Sequence[str], prefix: str
) -> dict[str, dict[str, Any]]:
    """The metadata of all objects by name, when they have not changed for a while, and nobody is late."""
    clock = asyncio.get_running_loop().time
    end, since, last = clock() + _PATIENCE, clock(), None
    worked = False
    while True:
        found: dict[str, dict[str, Any]] = {}
        for kind in kinds:
            for namespace in namespaces if kind != "ClusterRole" else (None,):
                api = client.dynamic(KINDS[kind], kind, namespace).metadata()
                async for each in api.list(page_size=None):
                    if each.metadata.name.startswith(prefix):
                        found[each.metadata.name] = each.to_dict()["metadata"]
        mark = {name: metadata["resourceVersion"] for name, metadata in found.items()}
        if mark != last:
            last, since, worked = mark, clock(), False
        elif clock() - since >= _QUIET:
            if worked:
                return found
            await _works(client, namespaces[0])
            worked = True
        assert clock() < end, "the objects go on changing"
        await asyncio.sleep(0.1)


async def _works(client: Client, namespace: str) -> None:
    """Wait until the collector has come to something that is newer than all else that it has to do."""
    api = client.dynamic("v1", "ConfigMap", namespace)
    owner = await api.create({"metadata": {"generateName": "newest-"}})
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner.metadata.name}
    owners = [{**reference, "uid": owner.metadata.uid}]
    owned = await api.create({"metadata": {"generateName": "newest-", "ownerReferences": owners}})
    await api.delete(owner.metadata.name, propagation="Background")
    await api.wait_for(owned.metadata.name, "deleted", timeout=_PATIENCE)


async def _cleaned(client: Client, prefix: str) -> None:
    """Delete what is in no namespace."""
    roles = client.dynamic(KINDS["ClusterRole"], "ClusterRole")
    async for each in roles.metadata().list():
        if each.metadata.name.startswith(prefix):
            with suppress(NotFound):
                await roles.patch(each.metadata.name, {"metadata": {"finalizers": None}})
                await roles.delete(each.metadata.name)
