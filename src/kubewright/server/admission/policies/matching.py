"""Which writes a policy or a binding is for: rules by resource and name, and selectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from kubewright.machinery.errors import ParseError
from kubewright.machinery.label_selectors import Selector
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.webhooks.matching import is_selected, request_of
from kubewright.server.admission.webhooks.rules import Request, Rule, make_rule
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import ResourceType

__all__ = ["MatchResources"]


class _NamedRule(NamedTuple):
    rule: Rule
    names: frozenset[str]
    """The names of the objects that it is for; none for all."""

    def matches(self, request: Request, name: str) -> bool:
        return self.rule.matches(request) and (not self.names or name in self.names)


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
        own = request_of(attributes, attributes.type)
        found = attributes.type if not self._rules else self._matched(self._rules, own, attributes, registry)
        if found is None:
            return None
        if self._excluded and self._matched(self._excluded, own, attributes, registry) is not None:
            return None
        if not is_selected(self._namespaces, self._objects, attributes, attributes.obj, registry):
            return None
        return found

    def _matched(
        self, rules: Sequence[_NamedRule], own: Request, attributes: Attributes, registry: Registry
    ) -> ResourceType | None:
        name = attributes.name
        for rule in rules:
            if rule.matches(own, name):
                return attributes.type
        if not self._takes_equivalent:
            return None
        others = registry.versions_of(attributes.type)
        if len(others) < 2:
            return None
        subresource = attributes.write.subresource
        requests = [
            (other, request_of(attributes, other))
            for other in others
            if other is not attributes.type and (not subresource or subresource in other.served.subresources)
        ]
        # Earlier rules count first, whatever version they name.
        for rule in rules:
            for other, request in requests:
                if rule.matches(request, name):
                    return other
        return None


def _rules(rules: Sequence[Any] | None) -> Sequence[_NamedRule]:
    return tuple(
        _NamedRule(make_rule(rule), frozenset(rule.get("resourceNames") or ())) for rule in rules or ()
    )


def _selector(selector: Object | None) -> Selector | str:
    try:
        return Selector.from_label_selector(selector if selector is not None else {})
    except ParseError as error:
        return str(error)
