"""Whether rules cover others, and how those are described that are not covered.

The same as upstream's: rules are taken apart until each has one of everything, and such a part is covered
when a single rule covers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import go_quote
from kubewright.server.authorization.policy_rules import PolicyRule, url_covers

__all__ = ["described", "go_list", "parts_of", "uncovered"]


def uncovered(owned: Sequence[PolicyRule], wanted: Iterable[PolicyRule]) -> list[PolicyRule]:
    """The parts of what is wanted that none of the rules covers.

    The time grows with the texts of the rules plus the parts, and not with one times the other.
    """
    holders = _Holders(owned)
    return [part for rule in wanted for part in holders.uncovered(rule)]


def parts_of(rule: PolicyRule) -> int:
    """Into how many parts a rule is taken."""
    resources = len(rule.api_groups) * len(rule.resources) * max(1, len(rule.resource_names))
    return (resources + len(rule.non_resource_urls)) * len(rule.verbs)


class _Holders:
    """Which of some rules allow a verb, a group, a resource, a name or a URL: sets of rules, as bits."""

    def __init__(self, rules: Sequence[PolicyRule]) -> None:
        self._verbs: Final = _bits(rule.verbs for rule in rules)
        self._groups: Final = _bits(rule.api_groups for rule in rules)
        self._resources: Final = _bits(rule.resources for rule in rules)
        self._names: Final = _bits(rule.resource_names for rule in rules)
        self._urls: Final = _bits(rule.non_resource_urls for rule in rules)
        self._any_name: Final = sum(1 << at for at, rule in enumerate(rules) if not rule.resource_names)

    def uncovered(self, rule: PolicyRule) -> Iterator[PolicyRule]:
        """The parts of a rule that no single rule covers."""
        verbs = [(verb, _with_all(self._verbs, verb)) for verb in rule.verbs]
        names: list[tuple[tuple[str, ...], int]] = [
            ((name,), self._any_name | self._names.get(name, 0)) for name in rule.resource_names
        ]
        resources = [(resource, self._of_resource(resource)) for resource in rule.resources]
        for group in rule.api_groups:
            of_group = _with_all(self._groups, group)
            for resource, of_resource in resources:
                for verb, of_verb in verbs:
                    holders = of_group & of_resource & of_verb
                    for name, of_name in names or (((), self._any_name),):
                        if not holders & of_name:
                            yield PolicyRule((verb,), (group,), (resource,), name)
        for url in rule.non_resource_urls:
            of_url = self._of_url(url) & self._any_name
            for verb, of_verb in verbs:
                if not of_url & of_verb:
                    yield PolicyRule(verbs=(verb,), non_resource_urls=(url,))

    def _of_resource(self, resource: str) -> int:
        found = _with_all(self._resources, resource)
        _, slash, subresource = resource.partition("/")
        return found | self._resources.get(f"*/{subresource}", 0) if slash else found

    def _of_url(self, path: str) -> int:
        found = 0
        for url, bits in self._urls.items():
            if url_covers(url, path):
                found |= bits
        return found


def _bits(lists: Iterable[Sequence[str]]) -> dict[str, int]:
    """For each text the lists that have it: one bit for each list."""
    found: dict[str, int] = {}
    for at, texts in enumerate(lists):
        for text in texts:
            found[text] = found.get(text, 0) | 1 << at
    return found


def _with_all(bits: Mapping[str, int], text: str) -> int:
    """The rules that have a text, or `*`."""
    return bits.get(text, 0) | bits.get("*", 0)


def described(parts: Iterable[PolicyRule]) -> list[str]:
    """Parts of rules as lines of text, sorted; those that differ in their verbs alone are one."""
    verbs: dict[tuple[str, str, str | None], list[str]] = {}
    lines = set()
    for part in parts:
        if part.non_resource_urls:
            lines.add(f"{{NonResourceURLs:{go_list(part.non_resource_urls)}, Verbs:{go_list(part.verbs)}}}")
            continue
        name = part.resource_names[0] if part.resource_names else None
        verbs.setdefault((part.api_groups[0], part.resources[0], name), []).extend(part.verbs)
    for (group, resource, name), each in verbs.items():
        names = "" if name is None else f", ResourceNames:{go_list([name])}"
        lines.add(
            f"{{APIGroups:{go_list([group])}, Resources:{go_list([resource])}{names}, Verbs:{go_list(each)}}}"
        )
    return sorted(lines, key=str.encode)


def go_list(texts: Iterable[str]) -> str:
    """Texts as Go's %q writes a list of them."""
    return f"[{' '.join(map(go_quote, texts))}]"
