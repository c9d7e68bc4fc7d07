"""Permissions as the rules of Roles: merged, sorted, and the same whatever the order they came in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from kubewright.controllers.rbac import Permission

if TYPE_CHECKING:
    from kubewright.models.rbac_v1 import ClusterRole, PolicyRule, Role

__all__ = ["LEADER_ELECTION_ROLE", "MANAGER_ROLE", "own_namespace_role", "policy_rules", "roles"]

MANAGER_ROLE: Final = "manager-role"
"""The name that kubebuilder gives to the role of an operator, so that its bindings fit."""

LEADER_ELECTION_ROLE: Final = "leader-election-role"
"""The name that kubebuilder gives to the role with which an operator is elected."""

_Words = tuple[str, ...]


def policy_rules(permissions: Iterable[Permission]) -> list[PolicyRule]:
    """The fewest rules that grant what is asked for and nothing else.

    Verbs on the same resources are one rule, as are resources and then groups with the same verbs; what is
    granted on all objects is not said again of some by name. Namespaces are not looked at; see `roles`.
    """
    from kubewright.models.rbac_v1 import PolicyRule  # noqa: PLC0415 - marks need no models

    resources: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    urls: defaultdict[str, set[str]] = defaultdict(set)
    for each in permissions:
        for url in each.urls:
            urls[url].update(each.verbs)
        for group in each.groups:
            for resource in each.resources:
                for name in each.names or ("",):
                    resources[group, resource, name].update(each.verbs)
    rules = []
    for groups, named, names, verbs in sorted(_resource_rules(resources)):
        rule = PolicyRule(api_groups=list(groups), resources=list(named), verbs=list(verbs))
        if names:
            rule.resource_names = list(names)
        rules.append(rule)
    by_verbs: defaultdict[_Words, set[str]] = defaultdict(set)
    for url, asked in urls.items():
        by_verbs[_verbs(asked)].add(url)
    rules += [
        PolicyRule(non_resource_urls=list(places), verbs=list(verbs))
        for places, verbs in sorted((_sorted(places), verbs) for verbs, places in by_verbs.items())
    ]
    return rules


def roles(permissions: Iterable[Permission], *, name: str = MANAGER_ROLE) -> list[ClusterRole | Role]:
    """A ClusterRole with what holds everywhere, and a Role for each namespace that has rights of its own."""
    from kubewright.machinery.meta import ObjectMeta  # noqa: PLC0415 - as above
    from kubewright.models.rbac_v1 import ClusterRole, Role  # noqa: PLC0415 - as above

    by_namespace: defaultdict[str, list[Permission]] = defaultdict(list)
    for each in permissions:
        by_namespace[each.namespace].append(each)
    made: list[ClusterRole | Role] = []
    for namespace, found in sorted(by_namespace.items()):
        rules = policy_rules(found)
        if namespace:
            made.append(Role(metadata=ObjectMeta(name=name, namespace=namespace), rules=rules))
        else:
            made.append(ClusterRole(metadata=ObjectMeta(name=name), rules=rules))
    return made


def own_namespace_role(permissions: Iterable[Permission], *, name: str) -> Role:
    """A Role without a namespace: whoever deploys it says which one is the operator's own."""
    from kubewright.machinery.meta import ObjectMeta  # noqa: PLC0415 - as above
    from kubewright.models.rbac_v1 import Role  # noqa: PLC0415 - as above

    return Role(metadata=ObjectMeta(name=name), rules=policy_rules(permissions))


def _resource_rules(
    verbs_of: dict[tuple[str, str, str], set[str]],
) -> Iterable[tuple[_Words, _Words, _Words, _Words]]:
    """(groups, resources, names, verbs) of each rule."""
    names: defaultdict[tuple[str, str, bool, _Words], set[str]] = defaultdict(set)
    for (group, resource, name), verbs in verbs_of.items():
        asked = verbs
        if name:
            of_all = verbs_of.get((group, resource, ""), set())
            asked = set() if "*" in of_all else verbs - of_all
        if asked:
            names[group, resource, bool(name), _verbs(asked)].add(name)
    resources: defaultdict[tuple[str, _Words, _Words], set[str]] = defaultdict(set)
    for (group, resource, named, verb_words), found in names.items():
        resources[group, _sorted(found) if named else (), verb_words].add(resource)
    groups: defaultdict[tuple[_Words, _Words, _Words], set[str]] = defaultdict(set)
    for (group, name_words, verb_words), found in resources.items():
        groups[_sorted(found), name_words, verb_words].add(group)
    return [(_sorted(found), *rest) for rest, found in groups.items()]


def _verbs(verbs: set[str]) -> _Words:
    return ("*",) if "*" in verbs else _sorted(verbs)


def _sorted(words: Iterable[str]) -> _Words:
    return tuple(sorted(words))
