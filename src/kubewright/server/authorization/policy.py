"""The stored roles and bindings in memory: who has which rules.

Nothing is read before the first question, and from then on the watches of the store collect what changes
until the next question comes: so a question sees every write that was acknowledged before it, and a server
that only its administrator talks to pays nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.field_errors import go_quote
from kubewright.server.authorization.policy_rules import MissingRole, PolicyRule, RoleRef, Subject
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.write import User
from kubewright.server.storage import SlowWatcher, Storage, Watch

__all__ = ["Grant", "Policy"]

_SERVICE_ACCOUNT: Final = "system:serviceaccount:"
"""How the user names of service accounts begin; namespace and name follow."""

_CLUSTER_ROLES: Final = f"{REGISTRY_ROOT}clusterroles/"
_ROLES: Final = f"{REGISTRY_ROOT}roles/"
_CLUSTER_BINDINGS: Final = f"{REGISTRY_ROOT}clusterrolebindings/"
_BINDINGS: Final = f"{REGISTRY_ROOT}rolebindings/"


class _Meta(msgspec.Struct, gc=False):
    name: str
    namespace: str = ""


class _Role(msgspec.Struct, gc=False):
    # Upstream writes null for a role without rules.
    rules: tuple[PolicyRule, ...] | None = None


class _Binding(msgspec.Struct, gc=False):
    metadata: _Meta
    role: RoleRef = msgspec.field(name="roleRef")
    subjects: tuple[Subject, ...] | None = None


_decode_role: Final = msgspec.json.Decoder(_Role).decode
_decode_binding: Final = msgspec.json.Decoder(_Binding).decode


class Grant(NamedTuple):
    """What one binding gives to a user."""

    source: str
    """The binding, its role and its subject, as reasons name them."""
    rules: Sequence[PolicyRule]


class Policy:
    """All roles and bindings of a store, bindings by subject."""

    def __init__(self, storage: Storage) -> None:
        self._storage: Final = storage
        self._seen = 0
        self._watches: Sequence[Watch] = ()
        self._roles: dict[str, tuple[PolicyRule, ...]] = {}
        self._bindings: dict[str, _Binding] = {}
        # By namespace ("" for the cluster), and by what `_who` says of a subject.
        self._by_subject: dict[tuple[str, str], dict[str, _Binding]] = {}

    def refresh(self) -> bool:
        """Take in what was written since the last time; whether that was anything."""
        revision = self._storage.revision
        if revision == self._seen:
            return False
        self._seen = revision
        if not self._watches:
            self._load()
            return True
        try:
            events = [event for watch in self._watches for event in watch.take()]
        except SlowWatcher:
            # Nobody has asked for very long: reading anew is as good.
            self.close()
            self._load()
            return True
        for event in events:
            self._put(event.key, None if event.type == "DELETED" else event.value)
        return bool(events)

    def close(self) -> None:
        """Let go of the store."""
        for watch in self._watches:
            watch.close()
        self._watches = ()

    def grants(self, user: User, namespace: str) -> Iterator[Grant | MissingRole]:
        """What a user may, by binding: those of the cluster first, then the namespace's, each by name."""
        yield from self._grants(user, "")
        if namespace:
            yield from self._grants(user, namespace)

    def role_rules(self, role: RoleRef, namespace: str) -> Sequence[PolicyRule] | MissingRole:
        """The rules of the role that a binding in a namespace refers to."""
        key = f"{_ROLES}{namespace}/{role.name}" if role.kind == "Role" else f"{_CLUSTER_ROLES}{role.name}"
        found = self._roles.get(key)
        return MissingRole(role.kind, role.name) if found is None else found

    def _grants(self, user: User, namespace: str) -> Iterator[Grant | MissingRole]:
        mine = {f"User {user.name}", *(f"Group {group}" for group in user.groups)}
        found: dict[str, _Binding] = {}
        for who in mine:
            found.update(self._by_subject.get((namespace, who), {}))
        for key in sorted(found):
            binding = found[key]
            rules = self.role_rules(binding.role, namespace)
            if isinstance(rules, MissingRole):
                yield rules
                continue
            subject = next(each for each in binding.subjects or () if _who(each, namespace) in mine)
            yield Grant(_source(binding, subject), rules)

    def _load(self) -> None:
        self._roles, self._bindings, self._by_subject = {}, {}, {}
        watches = []
        for prefix in (_CLUSTER_ROLES, _ROLES, _CLUSTER_BINDINGS, _BINDINGS):
            page = self._storage.list(prefix)
            for entry in page.entries:
                self._put(entry.key, entry.value)
            watches.append(self._storage.watch(prefix, after_revision=page.revision))
        self._watches = watches

    def _put(self, key: str, value: bytes | None) -> None:
        if key.startswith((_CLUSTER_ROLES, _ROLES)):
            if value is None:
                self._roles.pop(key, None)
            else:
                self._roles[key] = _decode_role(value).rules or ()
            return
        before = self._bindings.pop(key, None)
        if before is not None:
            for place in _places(before):
                group = self._by_subject.get(place, {})
                group.pop(key, None)
                if not group:
                    self._by_subject.pop(place, None)
        if value is not None:
            binding = self._bindings[key] = _decode_binding(value)
            for place in _places(binding):
                self._by_subject.setdefault(place, {})[key] = binding


def _places(binding: _Binding) -> Iterable[tuple[str, str]]:
    namespace = binding.metadata.namespace
    return ((namespace, _who(subject, namespace)) for subject in binding.subjects or ())


def _who(subject: Subject, namespace: str) -> str:
    """The user or group that a subject of a binding means; nobody has an empty one."""
    if subject.kind in {"User", "Group"}:
        return f"{subject.kind} {subject.name}"
    account = subject.namespace or namespace
    if subject.kind != "ServiceAccount" or not account:
        return ""
    return f"User {_SERVICE_ACCOUNT}{account}:{subject.name}"


def _source(binding: _Binding, subject: Subject) -> str:
    name, namespace = binding.metadata.name, binding.metadata.namespace
    kind = "ClusterRoleBinding"
    if namespace:
        kind, name = "RoleBinding", f"{name}/{namespace}"
    to = subject.name
    if subject.kind == "ServiceAccount":
        to = f"{to}/{subject.namespace or namespace}"
    role = f"{binding.role.kind} {go_quote(binding.role.name)}"
    return f"{kind} {go_quote(name)} of {role} to {subject.kind} {go_quote(to)}"
