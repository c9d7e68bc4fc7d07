"""What watchers and callers see of a deletion: recorded from the real server, compared on both.

For each way of deleting there are the answers to its requests and the events of a watch, without what differs
from run to run. Kinds that behave alike share a record. `python -m tests.conformance.deletions` records the
file again; `make test-real` compares it with the real server, so that it cannot become outdated unnoticed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.client import Client, Response
from tests.conformance.custom_resources import Widgets, define, new_group, widgets_definition
from tests.conformance.kinds import KINDS, Kind
from tests.conformance.namespaces import Namespace, new_namespace, unique

__all__ = ["CUSTOM", "DELETED_KINDS", "Target", "Way", "observed", "recorded"]

FILE = Path(__file__).parent / "deletions.json"

RESTLESS = {"FlowSchema", "PriorityLevelConfiguration", "ValidatingAdmissionPolicy"}
"""kube-apiserver writes their status in its own time, between any two requests."""

DELETED_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind.kind not in RESTLESS)

CUSTOM = "a custom resource"

HOLD, OTHER = "example.com/hold", "example.com/other"

LABELS = {"a", "changed"}
"""The labels that ways of deleting write; some kinds have others from the start."""


@dataclass(frozen=True)
class Target:
    """An object to be deleted, and the requests that ways of deleting are made of."""

    client: Client
    collection: str
    body: dict[str, Any]

    @property
    def name(self) -> str:
        name: str = self.body["metadata"]["name"]
        return name

    @property
    def path(self) -> str:
        return f"{self.collection}/{self.name}"

    def delete(self, **options: Any) -> Response:
        return self.client.delete(self.path, options or None)

    def delete_collection(self, **options: Any) -> Response:
        return self.client.delete(
            self.collection, options or None, fieldSelector=f"metadata.name={self.name}"
        )

    def merge(self, subresource: str = "", **metadata: Any) -> Response:
        place = f"{self.path}/{subresource}" if subresource else self.path
        return self.client.patch(place, {"metadata": metadata})

    def json_patch(self, *operations: dict[str, Any]) -> Response:
        return self.client.patch(self.path, list(operations), kind="json-patch+json")

    def update(self, **metadata: Any) -> Response:
        obj = self.client.get(self.path).json()
        obj["metadata"].update(metadata)
        return self.client.put(self.path, obj)

    def apply(self, **metadata: Any) -> Response:
        head = {key: self.body[key] for key in ("apiVersion", "kind")}
        body = {**head, "metadata": {"name": self.name, **metadata}}
        for key in set(self.body) - {"apiVersion", "kind", "metadata"}:
            body[key] = self.body[key]
        return self.client.apply(self.path, body, force=True)

    def evict(self, **options: Any) -> Response:
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": self.name}}
        return self.client.post(f"{self.path}/eviction", {**body, "deleteOptions": options})

    def precondition(self, *names: str) -> dict[str, str]:
        """Conditions that hold."""
        metadata = self.client.get(self.path).json()["metadata"]
        return {name: metadata[name] for name in names}


Way = Callable[[Target], Iterator[Response]]
"""Deletes an object by the requests whose answers it yields."""


def _at_once(**options: Any) -> Way:
    def way(target: Target) -> Iterator[Response]:
        yield target.delete(**options)

    return way


def _then_again(**options: Any) -> Way:
    def way(target: Target) -> Iterator[Response]:
        yield target.delete(**options)
        yield target.delete(gracePeriodSeconds=0)

    return way


def _held(*removals: Callable[[Target], Response], options: Mapping[str, Any] | None = None) -> Way:
    """With finalizers of its own: it is deleted twice, then the finalizers are taken away."""

    def way(target: Target) -> Iterator[Response]:
        yield target.merge(finalizers=[HOLD, OTHER])
        yield target.delete(**(options or {}))
        yield target.delete(**(options or {}))
        for remove in removals:
            yield remove(target)

    return way


def _collected(policy: str, remove: Callable[[Target], Response]) -> Way:
    """Held by the garbage collector, which does not run here."""

    def way(target: Target) -> Iterator[Response]:
        yield target.delete(propagationPolicy=policy)
        yield remove(target)

    return way


def _applied(target: Target) -> Iterator[Response]:
    yield target.apply(finalizers=[HOLD], labels={"a": ""})
    yield target.delete()
    yield target.apply(labels={"a": ""})


def _preconditions(target: Target) -> Iterator[Response]:
    yield target.delete(preconditions={"uid": "another"})
    yield target.delete(preconditions={"resourceVersion": "1"})
    yield target.delete(preconditions=target.precondition("uid"))


def _version_precondition(target: Target) -> Iterator[Response]:
    yield target.delete(preconditions=target.precondition("resourceVersion"))


def _dry(target: Target) -> Iterator[Response]:
    yield target.delete(dryRun=["All"])
    yield target.delete(dryRun=["All"], gracePeriodSeconds=0)
    yield target.delete(dryRun=["All"], propagationPolicy="Foreground")
    yield target.delete(gracePeriodSeconds=0)


def _collection(**options: Any) -> Way:
    def way(target: Target) -> Iterator[Response]:
        yield target.delete_collection(**options)
        yield target.delete_collection(gracePeriodSeconds=0)

    return way


def _held_collection(target: Target) -> Iterator[Response]:
    yield target.merge(finalizers=[HOLD])
    yield target.delete_collection(propagationPolicy="Foreground")
    yield target.update(finalizers=[])


def _through_status(target: Target) -> Iterator[Response]:
    yield target.merge(finalizers=[HOLD])
    yield target.delete(gracePeriodSeconds=0)
    yield target.merge("status", finalizers=None)
    yield target.merge(finalizers=None)


def _both_policies(target: Target) -> Iterator[Response]:
    yield target.delete(propagationPolicy="Foreground")
    yield target.delete(propagationPolicy="Orphan")
    yield target.delete(propagationPolicy="Background")


def _own_policy(target: Target) -> Iterator[Response]:
    """The finalizer of a policy is in the object already, and the delete takes it away."""
    yield target.merge(finalizers=["orphan"])
    yield target.delete(propagationPolicy="Background")


WAYS: dict[str, Way] = {
    "no options": _at_once(),
    "no grace": _at_once(gracePeriodSeconds=0),
    "negative grace": _then_again(gracePeriodSeconds=-1),
    "grace": _then_again(gracePeriodSeconds=700),
    "background": _then_again(propagationPolicy="Background"),
    "background, no grace": _at_once(propagationPolicy="Background", gracePeriodSeconds=0),
    "dependents not orphaned": _at_once(orphanDependents=False, gracePeriodSeconds=0),
    "foreground": _collected("Foreground", lambda target: target.merge(finalizers=None)),
    "orphan": _collected("Orphan", lambda target: target.json_patch(_REMOVE)),
    "one policy after the other": _both_policies,
    "a policy of its own": _own_policy,
    "held, merge patches": _held(
        lambda target: target.merge(finalizers=[OTHER]), lambda target: target.merge(finalizers=None)
    ),
    "held, JSON patch": _held(
        lambda target: target.json_patch(
            {"op": "remove", "path": "/metadata/finalizers/0"},
            {"op": "remove", "path": "/metadata/finalizers/0"},
        )
    ),
    "held, updates": _held(
        lambda target: target.update(finalizers=[HOLD]), lambda target: target.update(finalizers=[])
    ),
    "held, released with a change": _held(
        lambda target: target.update(finalizers=[], labels={"changed": ""})
    ),
    "held, no grace": _held(lambda target: target.merge(finalizers=None), options={"gracePeriodSeconds": 0}),
    "held, foreground": _held(
        lambda target: target.merge(finalizers=["foregroundDeletion"]),
        lambda target: target.merge(finalizers=None),
        options={"propagationPolicy": "Foreground"},
    ),
    "held, orphan": _held(
        lambda target: target.merge(finalizers=None), options={"propagationPolicy": "Orphan"}
    ),
    "held, released by apply": _applied,
    "held, released through the status": _through_status,
    "preconditions": _preconditions,
    "a precondition on the version": _version_precondition,
    "dry runs first": _dry,
    "collection": _collection(),
    "collection, no grace": _collection(gracePeriodSeconds=0),
    "collection, held": _held_collection,
}
"""For every kind. Kinds that are not gone after a way are deleted without grace, and without finalizers."""

_REMOVE: dict[str, Any] = {"op": "remove", "path": "/metadata/finalizers"}


def _evicted(**options: Any) -> Way:
    def way(target: Target) -> Iterator[Response]:
        yield target.evict(**options)

    return way


def _held_eviction(target: Target) -> Iterator[Response]:
    yield target.merge(finalizers=[HOLD])
    yield target.evict()
    yield target.merge(finalizers=None)
    yield target.delete(gracePeriodSeconds=0)


def _shortened(target: Target) -> Iterator[Response]:
    for seconds in (2000, 3000, 500, 500, 0):
        yield target.delete(gracePeriodSeconds=seconds)


def _held_shortened(target: Target) -> Iterator[Response]:
    yield target.merge(finalizers=[HOLD])
    for seconds in (2000, 500, 0, 0):
        yield target.delete(gracePeriodSeconds=seconds)
    yield target.update(finalizers=[])


def _ended(phase: str) -> Way:
    def way(target: Target) -> Iterator[Response]:
        yield target.client.patch(f"{target.path}/status", {"status": {"phase": phase}})
        yield target.delete()

    return way


def _bound(target: Target) -> Iterator[Response]:
    binding = {"metadata": {"name": target.name}, "target": {"kind": "Node", "name": "n1"}}
    yield target.client.post(f"{target.path}/binding", binding)
    yield target.delete()
    yield target.delete(gracePeriodSeconds=0)


POD_WAYS: dict[str, Way] = {
    "eviction": _evicted(),
    "eviction, no grace": _evicted(gracePeriodSeconds=0),
    "eviction, grace": _evicted(gracePeriodSeconds=900),
    "eviction, foreground": _evicted(propagationPolicy="Foreground"),
    "eviction, dry run": _evicted(dryRun=["All"]),
    "eviction, held": _held_eviction,
    "shortened": _shortened,
    "held, shortened": _held_shortened,
    "succeeded": _ended("Succeeded"),
    "failed": _ended("Failed"),
    "running": _ended("Running"),
    "bound": _bound,
}
"""For pods as well: the only kind with a grace period."""


def _ways_of(kind: Kind | None) -> dict[str, Way]:
    """The ways to delete objects of a kind; None is a custom resource."""
    return {**WAYS, **POD_WAYS} if kind is not None and kind.kind == "Pod" else WAYS


def observed(client: Client, namespace: Namespace, kind: Kind | Widgets) -> dict[str, Any]:
    """Delete objects of a kind in all its ways, and return what was seen of each."""
    collection = kind.path(namespace if isinstance(kind, Kind) else namespace.name)  # type: ignore[arg-type]
    ways = _ways_of(kind if isinstance(kind, Kind) else None)
    start = client.get(collection, limit=1).json()["metadata"]["resourceVersion"]
    answers: dict[str, list[Any]] = {}
    targets: dict[str, Target] = {}
    for way in ways.values():
        target = _created(client, namespace, kind, collection)
        targets[target.name] = target
        answers[target.name] = [_answer(response) for response in way(target)]
        answers[target.name] += [_answer(response) for response in _leftover(target)]
    events = _events(client, collection, start, set(targets))
    return {
        label: {"answers": answers[name], "events": _seen(events[name])}
        for label, name in zip(ways, targets, strict=True)
    }


def _created(client: Client, namespace: Namespace, kind: Kind | Widgets, collection: str) -> Target:
    name = unique("deleted")
    body = kind.object(name, namespace) if isinstance(kind, Kind) else kind.widget(name, size=1)
    response = client.post(collection, body)
    assert response.status == 201, response.text
    return Target(client, collection, body)


def _leftover(target: Target) -> Iterator[Response]:
    """Delete what a way has left, so that each sequence of events has an end."""
    if target.client.get(target.path).status == 404:
        return
    yield target.delete(gracePeriodSeconds=0)
    response = target.client.get(target.path)
    if response.status == 200 and response.json()["metadata"].get("finalizers"):
        yield target.merge(finalizers=None)
    response = target.client.get(target.path)
    if response.status == 200 and response.json()["kind"] == "Namespace":
        obj = {**response.json(), "spec": {"finalizers": []}}
        yield target.client.put(f"{target.path}/finalize", obj)
        if target.client.get(target.path).status == 200:
            yield target.delete()
    assert target.client.get(target.path).status == 404


def _events(client: Client, collection: str, start: str, names: set[str]) -> dict[str, list[tuple[str, Any]]]:
    """The events of each object, to its end."""
    events: dict[str, list[tuple[str, Any]]] = {name: [] for name in names}
    living = set(names)
    with client.watch(collection, resourceVersion=start) as watch:
        while living:
            kind, obj = watch.next()
            name = obj["metadata"]["name"]
            if name in events:
                events[name].append((kind, obj))
                if kind == "DELETED":
                    living.remove(name)
    return events


def _answer(response: Response) -> dict[str, Any]:
    body = response.json()
    answer: dict[str, Any] = {"code": response.status}
    if body["kind"] == "Status":
        return {**answer, "status": body["status"], "reason": body.get("reason")}
    if "items" in body:
        return {**answer, "items": [_metadata(each) for each in body["items"]]}
    return {**answer, **_metadata(body)}


def _seen(events: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The events without what differs from run to run."""
    seen = []
    previous: Any = None
    for kind, obj in events:
        event: dict[str, Any] = {"type": kind, **_metadata(obj)}
        if previous is not None:
            event["newer"] = _revision(obj) > _revision(previous)
            event["changed"] = sorted(_changed(obj, previous))
        seen.append(event)
        previous = obj
    return seen


def _metadata(obj: Any) -> dict[str, Any]:
    metadata = obj["metadata"]
    summary: dict[str, Any] = {}
    for name in ("generation", "deletionGracePeriodSeconds"):
        if name in metadata:
            summary[name] = metadata[name]
    if labels := sorted(set(metadata.get("labels") or ()) & LABELS):
        summary["labels"] = labels
    if "deletionTimestamp" in metadata:
        summary["deleted"] = True
    if "finalizers" in metadata:
        # The real server puts those of namespaces in the order of a Go map.
        summary["finalizers"] = sorted(metadata["finalizers"])
    if (obj.get("status") or {}).get("phase"):
        summary["phase"] = obj["status"]["phase"]
    return summary


def _changed(obj: Any, previous: Any) -> Iterator[str]:
    """The fields that differ; those of the metadata by their own names."""
    for name in {*obj, *previous} - {"metadata"}:
        if obj.get(name) != previous.get(name):
            yield name
    metadata, before = obj["metadata"], previous["metadata"]
    # Times of deletion may be the same or not, if a second passes between two requests.
    for name in {*metadata, *before} - {"resourceVersion", "managedFields", "deletionTimestamp"}:
        if metadata.get(name) != before.get(name):
            yield f"metadata.{name}"


def _revision(obj: Any) -> int:
    return int(obj["metadata"]["resourceVersion"])


def recorded() -> dict[str, dict[str, Any]]:
    """What was recorded, by the text of the kind and the way."""
    ways: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text())
    kinds: dict[str, dict[str, Any]] = {}
    for label, classes in ways.items():
        for each in classes:
            for kind in each["kinds"]:
                kinds.setdefault(kind, {})[label] = {key: each[key] for key in ("answers", "events")}
    return kinds


def _shared(kinds: dict[str, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The records, by way, with the kinds that share them."""
    ways: dict[str, dict[str, dict[str, Any]]] = {}
    for kind, records in kinds.items():
        for label, record in records.items():
            classes = ways.setdefault(label, {})
            classes.setdefault(json.dumps(record), {"kinds": [], **record})["kinds"].append(kind)
    return {label: list(classes.values()) for label, classes in ways.items()}


def _written(ways: dict[str, list[dict[str, Any]]]) -> str:
    """One line for each record, so that a change can be read."""
    texts = [
        f"{json.dumps(label)}: [\n" + ",\n".join(f" {json.dumps(each)}" for each in classes) + "\n]"
        for label, classes in ways.items()
    ]
    return "{\n" + ",\n".join(texts) + "\n}\n"


def _record() -> None:
    from tests.realcluster.server import RealServer

    with RealServer(fsync=False) as server:
        client = Client(server)
        namespace = new_namespace(client)
        kinds = {str(kind): observed(client, namespace, kind) for kind in DELETED_KINDS}
        kinds[CUSTOM] = observed(client, namespace, define(client, widgets_definition(new_group())))
        client.close()
    FILE.write_text(_written(_shared(kinds)))


if __name__ == "__main__":
    _record()
