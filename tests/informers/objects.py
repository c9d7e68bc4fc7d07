"""Objects as informers keep them, and a server's history of some, for tests without connections."""

from __future__ import annotations

import json
from typing import Any

from kubewright.client.forms import form_of
from kubewright.informers.changes import Change
from kubewright.informers.handlers import Registration
from kubewright.machinery.errors import ApiError, error_from_status
from kubewright.machinery.kept import keep, revision_of, uid_of
from kubewright.machinery.options import ListOptions
from kubewright.machinery.status import Status, StatusDetails
from kubewright.machinery.watch import encode_event
from kubewright.models.core_v1 import ConfigMap

__all__ = [
    "FORM",
    "Server",
    "Told",
    "bookmark",
    "data_of",
    "frame",
    "kept",
    "keys_of",
    "page",
    "refusal",
    "state_of",
]

FORM = form_of(ConfigMap)


def data_of(
    name: str, revision: int, uid: str = "", *, namespace: str = "default", **fields: Any
) -> dict[str, Any]:
    """A ConfigMap; `labels` go into its metadata."""
    meta = {"name": name, "uid": uid or f"uid of {name}", "resourceVersion": str(revision)}
    if namespace:
        meta["namespace"] = namespace
    labels = fields.pop("labels", None)
    if labels is not None:
        fields["metadata"] = {**meta, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, **fields}


def kept(name: str, revision: int, uid: str = "", *, namespace: str = "default", **fields: Any) -> ConfigMap:
    """A ConfigMap as a store has it."""
    data = data_of(name, revision, uid, namespace=namespace, **fields)
    return keep(FORM.read(json.dumps(data).encode()), managed_fields=False)


def state_of(obj: ConfigMap | None) -> tuple[str, int] | None:
    """Which object it is, and which state of it."""
    return (uid_of(obj), int(revision_of(obj))) if obj is not None else None


def keys_of(objects: list[ConfigMap]) -> list[str]:
    return sorted(obj.key for obj in objects)


def frame(kind: Any, obj: dict[str, Any]) -> bytes:
    return encode_event(kind, json.dumps(obj).encode()).rstrip()


def bookmark(revision: int, *, end: bool = False) -> bytes:
    marks = {"annotations": {"k8s.io/initial-events-end": "true"}} if end else {}
    meta = {"resourceVersion": str(revision), **marks}
    return frame("BOOKMARK", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})


def page(revision: int, *items: dict[str, Any], more: str = "") -> bytes:
    meta = {"resourceVersion": str(revision), "continue": more}
    body = {"apiVersion": "v1", "kind": "ConfigMapList", "metadata": meta, "items": items}
    return json.dumps(body).encode()


def refusal(code: int, reason: str = "", **details: Any) -> ApiError:
    made = StatusDetails(**details) if details else None
    return error_from_status(Status(status="Failure", code=code, reason=reason, details=made))


class Told(Registration[ConfigMap]):
    """A handler's queue that keeps each change, and holds them to what a handler may rely on."""

    def __init__(self) -> None:
        super().__init__(lambda change: None, "test")
        self.changes: list[tuple[str, str, int]] = []
        """The type, key and revision of each change."""
        self.now: dict[str, tuple[str, int]] = {}
        self.deleted: list[str] = []
        """The uids."""

    def push(self, change: Change[ConfigMap]) -> None:
        obj = change.object
        state = state_of(obj)
        assert state is not None
        assert obj.key == change.key
        before = self.now.get(change.key)
        self.changes.append((change.type, change.key, state[1]))
        if change.type == "ADDED":
            assert before is None, "added twice"
        else:
            assert before is not None, "of an object that was not there"
            assert before[0] == state[0], "of another object of that name"
        if change.type == "DELETED":
            assert before is not None
            assert before[1] <= state[1], "deleted in an older state"
            del self.now[change.key]
            assert state[0] not in self.deleted, "deleted twice"
            self.deleted.append(state[0])
        else:
            assert state_of(change.old) == before, "not what it was told last"
            assert before is None or before[1] < state[1], "twice, or back in time"
            self.now[change.key] = state
        super().push(change)

    def take(self) -> list[tuple[str, str, int]]:
        """The changes since this was last asked for."""
        taken = self.changes[:]
        self.changes.clear()
        return taken


class Server:
    """The history of some objects, as a server has it."""

    def __init__(self) -> None:
        self.revision = 10
        self.log: list[tuple[int, str, dict[str, Any]]] = []
        self.compacted = 0
        self._uids = 0

    def write(self, key: str, **fields: Any) -> None:
        """Creates an object, or changes it."""
        before = self.now.get(key)
        self.revision += 1
        if before is None:
            self._uids += 1
        uid = before["metadata"]["uid"] if before is not None else f"uid-{self._uids}"
        namespace, _, name = key.rpartition("/")
        obj = data_of(name, self.revision, uid, namespace=namespace, **fields)
        self.log.append((self.revision, "ADDED" if before is None else "MODIFIED", obj))

    def delete(self, key: str) -> None:
        gone = self.now.get(key)
        if gone is not None:
            self.revision += 1
            meta = {**gone["metadata"], "resourceVersion": str(self.revision)}
            self.log.append((self.revision, "DELETED", {**gone, "metadata": meta}))

    def compact(self) -> None:
        self.compacted = self.revision

    @property
    def now(self) -> dict[str, dict[str, Any]]:
        return self.at(self.revision)

    def at(self, revision: int) -> dict[str, dict[str, Any]]:
        """The objects of a revision, by key."""
        found: dict[str, dict[str, Any]] = {}
        for written, kind, obj in self.log:
            if written <= revision:
                meta = obj["metadata"]
                key = "/".join(part for part in (meta.get("namespace"), meta["name"]) if part)
                found.pop(key, None) if kind == "DELETED" else found.update({key: obj})
        return found

    def frames(self, options: ListOptions, *, behind: int = 0) -> list[bytes]:
        """All that a watch would get now; initial events are `behind` by so much. Raises Expired."""
        if options.send_initial_events:
            start = max(self.revision - behind, self.compacted, 0)
            initial = [frame("ADDED", obj) for obj in self.at(start).values()]
            return [*initial, *self._since(start), bookmark(self.revision, end=True)]
        start = int(options.resource_version)
        if start < self.compacted:
            raise refusal(410, "Expired")
        return [*self._since(start), bookmark(self.revision)]

    def page(self, options: ListOptions) -> bytes:
        """A page of a list; continue tokens hold the revision, and expire with it."""
        revision, start = self.revision, 0
        if options.continue_:
            revision, start = (int(part) for part in options.continue_.split("/"))
            if revision < self.compacted:
                raise refusal(410, "Expired")
        items = [obj for _, obj in sorted(self.at(revision).items())]
        size = 2 if options.limit is not None else len(items)
        more = f"{revision}/{start + size}" if start + size < len(items) else ""
        return page(revision, *items[start : start + size], more=more)

    def _since(self, start: int) -> list[bytes]:
        return [frame(kind, obj) for revision, kind, obj in self.log if revision > start]
