"""RBAC: what the stored roles and bindings allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kubewright.server.authorization.attributes import Attributes
from kubewright.server.authorization.authorizer import ALLOWED, DENIED, Decision
from kubewright.server.authorization.policy import Grant, Policy
from kubewright.server.authorization.policy_rules import MissingRole, PolicyRule, RoleRef, Rules, rule_allows
from kubewright.server.certificates import ADMIN_GROUP
from kubewright.server.registry.write import User
from kubewright.server.storage import Storage

__all__ = ["RBAC", "aggregate"]

_MAX_CALLERS: Final = 4096
"""How many callers, by namespace, are remembered with their rights; then all are forgotten."""

_MAX_QUESTIONS: Final = 65_536
"""How many questions of all callers together are remembered; then all are forgotten. A program has some tens,
and there are about a thousand verbs of resources."""

_MAX_CALLER: Final = 4096
"""How many characters the names of a caller and its groups may have to be remembered."""

_MAX_QUESTION: Final = 1024
"""And those of a question: paths and reviews ask about names of any length, also those of strangers."""


class RBAC:
    """Decides by roles and bindings, as kube-apiserver with `--authorization-mode=RBAC` does.

    Everything is allowed to system:masters. What was written and acknowledged is in force. Decisions name the
    first binding that allows, in the order of `Policy.grants`; upstream has no order.
    """

    def __init__(self, storage: Storage) -> None:
        self._policy: Final = Policy(storage)
        self._rights: Final[dict[tuple[str, tuple[str, ...], str], _Rights]] = {}
        self._questions = 0

    def authorize(self, attributes: Attributes) -> Decision:
        """Whether the caller may. Refusals have a reason when roles are missing that bindings give."""
        user = attributes.user
        if ADMIN_GROUP in user.groups:
            return ALLOWED
        self._refresh()
        who = (user.name, user.groups, attributes.namespace)
        rights = self._rights.get(who)
        if rights is None:
            rights = _Rights(self._policy.grants(user, attributes.namespace))
            if sum(map(len, (user.name, attributes.namespace, *user.groups))) <= _MAX_CALLER:
                if len(self._rights) >= _MAX_CALLERS:
                    self._forget()
                self._rights[who] = rights
        decision, is_new = rights.decide(attributes)
        if is_new:
            self._questions += 1
            if self._questions >= _MAX_QUESTIONS:
                self._forget()
        return decision

    def rules_for(self, user: User, namespace: str) -> Rules:
        """All rules that a user has, in a namespace or in the cluster."""
        self._refresh()
        rules: list[PolicyRule] = []
        missing: list[MissingRole] = []
        for found in self._policy.grants(user, namespace):
            if isinstance(found, Grant):
                rules += found.rules
            else:
                missing.append(found)
        return Rules(rules, missing)

    def role_rules(self, role: RoleRef, namespace: str) -> Sequence[PolicyRule] | MissingRole:
        """The rules of the role that a binding refers to."""
        self._refresh()
        return self._policy.role_rules(role, namespace)

    def close(self) -> None:
        """Let go of the store."""
        self._policy.close()

    def _refresh(self) -> None:
        if self._policy.refresh():
            self._forget()

    def _forget(self) -> None:
        self._rights.clear()
        self._questions = 0


class _Rights:
    """What one caller may in one namespace, with the questions that were asked already.

    To a verb on a resource belong the rules that allow it, each with the names that it is for, up to the
    first that is for all: so a question that was asked before costs a look into a dict, whatever its name.
    """

    __slots__ = ("_answers", "_grants", "_no")

    def __init__(self, found: Iterable[Grant | MissingRole]) -> None:
        grants: list[tuple[Decision, Sequence[PolicyRule]]] = []
        missing = []
        for each in found:
            if isinstance(each, Grant):
                grants.append((Decision(allowed=True, reason=f"RBAC: allowed by {each.source}"), each.rules))
            else:
                missing.append(each.told())
        self._grants = grants
        self._no = Decision(allowed=False, reason=f"RBAC: {aggregate(missing)}") if missing else DENIED
        self._answers: dict[tuple[str, ...], Sequence[tuple[frozenset[str] | None, Decision]]] = {}

    def decide(self, attributes: Attributes) -> tuple[Decision, bool]:
        """The decision, and whether something more is remembered now."""
        # Of different lengths: reviews may call resources and subresources whatever they like.
        question: tuple[str, ...] = (attributes.verb, attributes.path)
        if attributes.is_resource_request:
            question = (attributes.verb, attributes.group, attributes.resource, attributes.subresource)
        answers = self._answers.get(question)
        is_new = False
        if answers is None:
            answers = self._allowing(attributes)
            is_new = sum(map(len, question)) <= _MAX_QUESTION
            if is_new:
                self._answers[question] = answers
        for names, decision in answers:
            if names is None or attributes.name in names:
                return decision, is_new
        return self._no, is_new

    def _allowing(self, attributes: Attributes) -> Sequence[tuple[frozenset[str] | None, Decision]]:
        found: list[tuple[frozenset[str] | None, Decision]] = []
        for decision, rules in self._grants:
            for rule in rules:
                if not rule_allows(rule, attributes):
                    continue
                if not rule.resource_names or not attributes.is_resource_request:
                    return (*found, (None, decision))
                found.append((frozenset(rule.resource_names), decision))
        return found


def aggregate(messages: Iterable[str]) -> str:
    """Several errors as one, as upstream writes them: each once, in brackets when there are more."""
    different = list(dict.fromkeys(messages))
    return different[0] if len(different) == 1 else f"[{', '.join(different)}]"
