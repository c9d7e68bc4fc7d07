"""Which writes a policy or a binding is for: rules by resource and name, and selectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from kubewright.machinery.errors import ParseError
from kubewright.machinery.label_selectors import Selector
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.webhooks.matching import is_selected, matched_type
from kubewright.server.admission.webhooks.rules import Rule, make_rule
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import ResourceType

__all__ = ["MatchResources"]


class _NamedRule(NamedTuple):
    rule: Rule
    names: frozenset[str]
    """The names of the objects that it is for; none for all."""


class MatchResources:
    """The resources that a policy or binding is for, prepared for many writes."""

    def __init__(self, match: Object) -> None:
        self._rules: Final = _rules(match.get("resourceRules"))
        self._excluded: Final = _rules(match.get("excludeResourceRules"))
        self._namespaces: Final = _selector(match.get("namespaceSelector"))
        self._objects: Final = _selector(match.get("objectSelector"))
        self._takes_equivalent: Final = match.get("matchPolicy") != "Exact"

    def find(self, attributes: Attributes, registry: Registry) -> ResourceType | None:
        """The version of the resource in which a write is looked at; None when this is not for it.

        Raises ApiError when that cannot be told: NotFound when the namespace is gone.
        """
        found = attributes.type if not self._rules else self._matched(self._rules, attributes, registry)
        if found is None:
            return None
        if self._excluded and self._matched(self._excluded, attributes, registry) is not None:
            return None
        if not is_selected(self._namespaces, self._objects, attributes, attributes.obj, registry):
            return None
        return found

    def _matched(
        self, rules: Sequence[_NamedRule], attributes: Attributes, registry: Registry
    ) -> ResourceType | None:
        named = [rule.rule.matches for rule in rules if not rule.names or attributes.name in rule.names]
        return matched_type(named, attributes, registry, takes_equivalent=self._takes_equivalent)


def _rules(rules: Sequence[Any] | None) -> Sequence[_NamedRule]:
    return tuple(
        _NamedRule(make_rule(rule), frozenset(rule.get("resourceNames") or ())) for rule in rules or ()
    )


def _selector(selector: Object | None) -> Selector | str:
    try:
        return Selector.from_label_selector(selector if selector is not None else {})
    except ParseError as error:
        return str(error)
