"""Which requests are told of, and how much: the rules of an audit policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kubewright.machinery.paths import RequestInfo
from kubewright.server.registry.write import User

__all__ = [
    "DEFAULT_POLICY",
    "LEVELS",
    "METADATA",
    "NONE",
    "NOTHING",
    "REQUEST",
    "REQUEST_RESPONSE",
    "STAGES",
    "Decided",
    "Policy",
    "ResourceRule",
    "Rule",
]

LEVELS: Final = ("None", "Metadata", "Request", "RequestResponse")
"""How much may be told, by number, the least first."""

NONE: Final = 0
METADATA: Final = 1
REQUEST: Final = 2
REQUEST_RESPONSE: Final = 3

STAGES: Final = ("RequestReceived", "ResponseStarted", "ResponseComplete", "Panic")
"""When in the course of a request there is an event."""


class Decided(NamedTuple):
    """What is told of one request."""

    level: int
    omit_stages: frozenset[str] = frozenset()
    omit_managed_fields: bool = False


NOTHING: Final = Decided(NONE)


class ResourceRule(NamedTuple):
    """Resources of one group. None stands for any group, and for any name; without resources it is all."""

    group: str | None
    resources: frozenset[str] = frozenset()
    """`pods`, `pods/log`, `pods/*`, `*/scale` or `*`."""
    names: frozenset[str] | None = None

    def matches(self, info: RequestInfo) -> bool:
        """Whether a request is for one of them."""
        if self.group is not None and self.group != info.api_group:
            return False
        known = self.resources
        if not known:
            return True
        if self.names is not None and info.name not in self.names:
            return False
        resource, subresource = info.resource, info.subresource
        if not subresource:
            return resource in known or "*" in known or f"{resource}/*" in known
        return (
            f"{resource}/{subresource}" in known
            or "*" in known
            or f"{resource}/*" in known
            or f"*/{subresource}" in known
        )


class Rule(NamedTuple):
    """Requests that have all these marks; None stands for any."""

    decided: Decided
    users: frozenset[str] | None = None
    groups: frozenset[str] | None = None
    verbs: frozenset[str] | None = None
    namespaces: frozenset[str] | None = None
    """The empty one is that of the cluster's resources."""
    resources: Sequence[ResourceRule] = ()
    paths: Sequence[str] = ()
    """Of requests that are not for resources; with a `*` at the end, what begins so."""

    def matches(self, user: User | None, info: RequestInfo) -> bool:
        """Whether it is for a request; `user` is None for those whom nobody knows."""
        if self.verbs is not None and info.verb not in self.verbs:
            return False
        if self.users is not None and (user is None or user.name not in self.users):
            return False
        if self.groups is not None and (user is None or self.groups.isdisjoint(user.groups)):
            return False
        if self.namespaces is not None or self.resources:
            return info.is_resource_request and self._matches_resource(info)
        if self.paths:
            return not info.is_resource_request and any(_path_matches(info.path, each) for each in self.paths)
        return True

    def _matches_resource(self, info: RequestInfo) -> bool:
        if self.namespaces is not None and info.namespace not in self.namespaces:
            return False
        return not self.resources or any(each.matches(info) for each in self.resources)


class Policy:
    """Rules in their order: the first that matches decides, and what none matches is not told of."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules: Final = tuple(rules)

    def decide(self, user: User | None, info: RequestInfo) -> Decided:
        """What is told of a request."""
        for rule in self._rules:
            if rule.matches(user, info):
                return rule.decided
        return NOTHING


DEFAULT_POLICY: Final = Policy([Rule(Decided(METADATA, frozenset({"RequestReceived"})))])
"""For those who give none: one event for each request, and two for each that goes on, without bodies."""


def _path_matches(path: str, wanted: str) -> bool:
    return wanted in {"*", path} or (wanted.endswith("*") and path.startswith(wanted.rstrip("*")))
