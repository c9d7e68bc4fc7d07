"""The policies and bindings of a server, followed from its storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.storage import SlowWatcher, Watch

if TYPE_CHECKING:
    from kubewright.server.admission.policies.policy import Binding, Hook, Policy

__all__ = ["PolicySource"]

_GROUP: Final = "admissionregistration.k8s.io"


class _Followed:
    """The objects of one resource by name, as of the last time that `take` was called."""

    def __init__(self, registry: Registry, resource: str) -> None:
        store = registry.find(_GROUP, "v1", resource)
        assert store is not None  # noqa: S101 - built in
        self._store: Final = store
        self.objects: dict[str, Object] = {}
        self._watch = self._load()

    def take(self) -> bool:
        """Take in what was written meanwhile; whether there was anything."""
        try:
            events = self._watch.take()
        except SlowWatcher:
            self._watch = self._load()
            return True
        for event in events:
            if event.type == "DELETED":
                self.objects.pop(event.key.rpartition("/")[2], None)
            else:
                self._add(event.value)
        return bool(events)

    def close(self) -> None:
        self._watch.close()

    def _load(self) -> Watch:
        storage, prefix = self._store.storage, self._store.type.prefix
        page = storage.list(prefix)
        self.objects = {}
        for entry in page.entries:
            self._add(entry.value)
        return storage.watch(prefix, after_revision=page.revision)

    def _add(self, value: bytes) -> None:
        obj = self._store.type.decode(value)
        self.objects[obj["metadata"]["name"]] = obj


class PolicySource:
    """The policies of one kind that have bindings.

    A policy or binding counts for every write after its own: what was written meanwhile is looked at when
    `hooks` is asked for. A policy is compiled anew only when its spec has changed.
    """

    def __init__(self, registry: Registry, policies: str, bindings: str) -> None:
        self._policies: Final = _Followed(registry, policies)
        self._bindings: Final = _Followed(registry, bindings)
        self._prepared: dict[str, Policy] = {}
        self._hooks: Sequence[Hook] = self._made()

    def hooks(self) -> Sequence[Hook]:
        """The policies in the order of their names, each with its bindings in the order of theirs."""
        changed = self._policies.take()
        if self._bindings.take() or changed:
            self._hooks = self._made()
        return self._hooks

    def close(self) -> None:
        """Follow them no more."""
        self._policies.close()
        self._bindings.close()

    def _made(self) -> Sequence[Hook]:
        if not self._bindings.objects or not self._policies.objects:
            self._prepared = {}
            return ()
        from kubewright.server.admission.policies.policy import (  # noqa: PLC0415 - with the first policy
            Binding,
            Hook,
        )

        bound: dict[str, list[Binding]] = {}
        for _, obj in sorted(self._bindings.objects.items()):
            binding = Binding(obj)
            bound.setdefault(binding.policy, []).append(binding)
        self._prepared = {
            name: self._policy(obj) for name, obj in self._policies.objects.items() if name in bound
        }
        return tuple(Hook(policy, bound[name]) for name, policy in sorted(self._prepared.items()))

    def _policy(self, obj: Object) -> Policy:
        from kubewright.server.admission.policies.policy import Policy  # noqa: PLC0415 - with the first policy

        before = self._prepared.get(obj["metadata"]["name"])
        if before is not None and before.spec == (obj.get("spec") or {}):
            return before
        return Policy(obj)
