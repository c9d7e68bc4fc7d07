"""The rules of roles as they are stored, and what a rule allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.field_errors import go_quote
from kubewright.server.authorization.attributes import Attributes
from kubewright.server.kinds.kind import Object

__all__ = [
    "EVERYTHING",
    "MissingRole",
    "PolicyRule",
    "RoleRef",
    "Rules",
    "Subject",
    "read_rules",
    "rule_allows",
    "url_covers",
]


# gc=False: these are trees of texts, and a server may keep thousands.
class PolicyRule(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One rule of a Role or ClusterRole; lists that are not there are empty."""

    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = msgspec.field(name="apiGroups", default=())
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = msgspec.field(name="resourceNames", default=())
    non_resource_urls: tuple[str, ...] = msgspec.field(name="nonResourceURLs", default=())


class Subject(msgspec.Struct, frozen=True, gc=False):
    """Whom a binding gives a role to."""

    kind: str = ""
    name: str = ""
    namespace: str = ""


class RoleRef(msgspec.Struct, frozen=True, gc=False):
    """Which role a binding gives."""

    kind: str = ""
    name: str = ""


class MissingRole(NamedTuple):
    """A role that a binding gives and that is not there."""

    kind: str
    name: str

    def told(self) -> str:
        """What upstream says of it."""
        return f"{self.kind.lower()}.rbac.authorization.k8s.io {go_quote(self.name)} not found"


class Rules(NamedTuple):
    """All that a user may, and the roles that could not be found."""

    rules: Sequence[PolicyRule]
    missing: Sequence[MissingRole] = ()


EVERYTHING: Final = (
    PolicyRule(verbs=("*",), api_groups=("*",), resources=("*",)),
    PolicyRule(verbs=("*",), non_resource_urls=("*",)),
)
"""The rules of cluster-admin."""


def read_rules(rules: Sequence[Object] | None) -> list[PolicyRule]:
    """The rules of an object that nobody has checked yet: lists may be null."""
    fields = PolicyRule.__struct_encode_fields__
    return [PolicyRule(*(tuple(rule.get(field) or ()) for field in fields)) for rule in rules or ()]


def rule_allows(rule: PolicyRule, attributes: Attributes) -> bool:
    """Whether a rule allows what is asked for, whatever the name: those that it names are for the caller to
    compare."""
    if attributes.verb not in rule.verbs and "*" not in rule.verbs:
        return False
    if not attributes.is_resource_request:
        return any(url_covers(url, attributes.path) for url in rule.non_resource_urls)
    if attributes.group not in rule.api_groups and "*" not in rule.api_groups:
        return False
    return _matches_resource(rule.resources, attributes.resource, attributes.subresource)


def _matches_resource(resources: Sequence[str], resource: str, subresource: str) -> bool:
    if "*" in resources:
        return True
    if not subresource:
        return resource in resources
    return f"{resource}/{subresource}" in resources or f"*/{subresource}" in resources


def url_covers(url: str, path: str) -> bool:
    """Whether a path is meant by the URL of a rule, which may end in `*`."""
    return url == path or (url.endswith("*") and path.startswith(url.rstrip("*")))
