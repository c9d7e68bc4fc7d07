"""Which requests the rules of webhooks and policies name: by operation, resource and scope. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

__all__ = ["Request", "Rule", "make_rule"]

_ANY: Final = "*"


class Request(msgspec.Struct, frozen=True):
    """What a rule looks at of a request."""

    operation: str
    group: str
    version: str
    resource: str
    subresource: str
    namespaced: bool
    """Whether the request is in a namespace; those for namespaces themselves are not."""


class Rule(msgspec.Struct, frozen=True):
    """A RuleWithOperations, prepared; None stands for all."""

    operations: frozenset[str] | None
    groups: frozenset[str] | None
    versions: frozenset[str] | None
    resources: Sequence[tuple[str, str]]
    """Resource and subresource, either of which may be `*`; the latter is empty for the object itself."""
    scope: str

    def matches(self, request: Request) -> bool:
        """Whether the rule is for a request."""
        if self.operations is not None and request.operation not in self.operations:
            return False
        if self.groups is not None and request.group not in self.groups:
            return False
        if self.versions is not None and request.version not in self.versions:
            return False
        return self._names(request.resource, request.subresource) and self._is_in_scope(request)

    def _names(self, resource: str, subresource: str) -> bool:
        for named, below in self.resources:
            if named in {_ANY, resource} and below in {_ANY, subresource}:
                return True
        return False

    def _is_in_scope(self, request: Request) -> bool:
        if self.scope in {"", _ANY}:
            return True
        return (self.scope == "Namespaced") == request.namespaced if self.scope in _SCOPES else False


_SCOPES: Final = frozenset({"Namespaced", "Cluster"})


def make_rule(rule: Mapping[str, Any]) -> Rule:
    """A rule out of a configuration or a policy."""
    return Rule(
        operations=_set(rule.get("operations")),
        groups=_set(rule.get("apiGroups")),
        versions=_set(rule.get("apiVersions")),
        resources=tuple(_split(each) for each in rule.get("resources") or ()),
        scope=rule.get("scope") or _ANY,
    )


def _set(values: Sequence[str] | None) -> frozenset[str] | None:
    found = frozenset(values or ())
    return None if _ANY in found else found


def _split(resource: str) -> tuple[str, str]:
    name, _, subresource = resource.partition("/")
    return name, subresource
