"""Cluster roles that gather the rules of others by label, which kube-controller-manager does upstream."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.errors import ApiError, ParseError
from kubewright.machinery.label_selectors import Selector
from kubewright.server.errors import not_found
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import decode_stored
from kubewright.server.registry.update import update
from kubewright.server.registry.write import User, Write
from kubewright.server.storage import Event, SlowWatcher, StorageError

__all__ = ["CONTROLLER", "Aggregation", "Role", "gathered"]

_GROUP: Final = "rbac.authorization.k8s.io"
_API_VERSION: Final = f"{_GROUP}/v1"
CONTROLLER: Final = "clusterrole-aggregation-controller"
"""What the controller is called in managedFields."""
_USER: Final = User(
    name=f"system:serviceaccount:kube-system:{CONTROLLER}",
    groups=("system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"),
)
"""As whom kube-controller-manager writes; a role of the bootstrap policy lets it `escalate`."""

_log: Final = logging.getLogger("kubewright.server")


class Role(NamedTuple):
    """What matters of a cluster role here."""

    name: str
    labels: Mapping[str, str]
    rules: Sequence[Object]
    selectors: Sequence[Selector] | None
    """Of the roles whose rules it gathers; None for one that has its own."""


def gathered(role: Role, roles: Iterable[Role]) -> list[Object]:
    """The rules that a role with selectors should have: each once, by selector, then by name."""
    found: dict[bytes, Object] = {}
    by_name = sorted(roles, key=lambda each: each.name.encode())
    for selector in role.selectors or ():
        for other in by_name:
            if other.name != role.name and selector.matches(other.labels):
                for rule in other.rules:
                    found.setdefault(msgspec.json.encode(rule, order="sorted"), rule)
    return list(found.values())


class Aggregation:
    """Follows the cluster roles and keeps the rules of those that gather."""

    def __init__(self, registry: Registry) -> None:
        store = registry.find(_GROUP, "v1", "clusterroles")
        assert store is not None  # noqa: S101 - built in
        self._store: Final[Store] = store
        self._roles: dict[str, Role] | None = None

    async def run(self, *, after_revision: int, behind: bool) -> None:
        """Follow until cancelled; `behind`: what is stored may not be in order yet."""
        storage, prefix = self._store.storage, self._store.type.prefix
        while True:
            if behind:
                await self._catch_up(())
            try:
                with storage.watch(prefix, after_revision=after_revision) as events:
                    async for batch in events:
                        await self._catch_up(batch)
            except SlowWatcher:
                self._roles, after_revision, behind = None, storage.revision, True
            else:
                return

    async def _catch_up(self, events: Iterable[Event]) -> None:
        changed = self._follow(events)
        roles = self._roles or {}
        for role in list(roles.values()):
            if role.selectors is None or not _concerns(role, changed):
                continue
            rules = gathered(role, roles.values())
            if rules != role.rules:
                try:
                    await self._apply(role.name, rules)
                except (ApiError, StorageError) as error:
                    # The next change of one of its roles tries again.
                    _log.warning("the rules of cluster role %s cannot be gathered: %s", role.name, error)

    def _follow(self, events: Iterable[Event]) -> list[Role]:
        """Take in what was written; returns what changed, as it was and as it is."""
        if self._roles is None:
            # Nothing is kept before a role changes for the first time.
            page = self._store.storage.list(self._store.type.prefix)
            self._roles = {role.name: role for role in (_read(entry.value) for entry in page.entries)}
            return list(self._roles.values())
        changed = []
        for event in events:
            role = _read(event.value)
            before = self._roles.pop(role.name, None)
            changed += [role] if before is None else [before, role]
            if event.type != "DELETED":
                self._roles[role.name] = role
        return changed

    async def _apply(self, name: str, rules: list[Object]) -> None:
        resource = self._store.type
        manager = resource.manager("")
        now = datetime.now(UTC)
        wanted = {
            "apiVersion": _API_VERSION,
            "kind": "ClusterRole",
            "metadata": {"name": name},
            "rules": rules,
        }

        async def change(live: Object | None) -> Object:
            if live is None:
                raise not_found(resource.group_resource, name)
            merged = await resource.managed(
                partial(manager.apply, live, wanted, manager=CONTROLLER, now=now, force=True), live
            )
            obj = resource.read_applied(merged, strict=False).obj
            return {**obj, "apiVersion": _API_VERSION, "kind": "ClusterRole"}

        write = Write(user=_USER, now=now, namespace="", manager=CONTROLLER, path_name=name)
        await update(self._store, name, change, write)


def _concerns(role: Role, changed: Iterable[Role]) -> bool:
    """Whether a role that gathers is among the changed ones, or gathers from one of them."""
    return any(
        other.name == role.name or any(selector.matches(other.labels) for selector in role.selectors or ())
        for other in changed
    )


def _read(value: bytes) -> Role:
    role = decode_stored(value)
    metadata, aggregation = role["metadata"], role.get("aggregationRule")
    selectors: list[Selector] | None = None
    if aggregation is not None:
        try:
            given = aggregation.get("clusterRoleSelectors") or ()
            selectors = [Selector.from_label_selector(each) for each in given]
        except ParseError as error:
            # The rules of the kind let none in; one of an older version may be there.
            _log.warning("cluster role %s has a selector that is none: %s", metadata["name"], error)
    return Role(metadata["name"], metadata.get("labels") or {}, role.get("rules") or [], selectors)
