"""A policy and its bindings, prepared for many writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersion, GroupVersionKind
from kubewright.machinery.label_selectors import Selector
from kubewright.server.admission.policies.matching import MatchResources
from kubewright.server.kinds.kind import Object

if TYPE_CHECKING:
    from kubewright.server.admission.policies.compiled import MutatingRules, ValidatingRules

__all__ = ["Binding", "Hook", "Policy"]


class Policy:
    """A policy as it is stored; its expressions are compiled when they are needed."""

    def __init__(self, policy: Object) -> None:
        spec: Object = policy.get("spec") or {}
        self.name: Final[str] = policy["metadata"]["name"]
        self.spec: Final = spec
        self.match: Final = MatchResources(spec.get("matchConstraints") or {})
        self.ignores_failures: Final = spec.get("failurePolicy") == "Ignore"
        self.is_reinvoked: Final = spec.get("reinvocationPolicy") == "IfNeeded"
        self.param_kind: Final = _kind(spec.get("paramKind"))

    @cached_property
    def validating(self) -> ValidatingRules:
        """Its expressions, of a ValidatingAdmissionPolicy."""
        # CEL is large, and there may be policies that no write is for.
        from kubewright.server.admission.policies.compiled import compile_validating  # noqa: PLC0415

        return compile_validating(self.spec)

    @cached_property
    def mutating(self) -> MutatingRules:
        """Its expressions, of a MutatingAdmissionPolicy."""
        from kubewright.server.admission.policies.compiled import compile_mutating  # noqa: PLC0415 - see above

        return compile_mutating(self.spec)


class Binding:
    """A binding: to which writes its policy applies, with which parameters, and what follows."""

    def __init__(self, binding: Object) -> None:
        spec: Object = binding.get("spec") or {}
        match = spec.get("matchResources")
        self.name: Final[str] = binding["metadata"]["name"]
        self.policy: Final[str] = spec.get("policyName") or ""
        self.match: Final = None if match is None else MatchResources(match)
        self.param_ref: Final[Object | None] = spec.get("paramRef")
        self.actions: Final[Sequence[str]] = tuple(spec.get("validationActions") or ())

    @cached_property
    def param_selector(self) -> Selector | None:
        """What picks its parameters; None when they are named. Raises ParseError."""
        selector = (self.param_ref or {}).get("selector")
        return None if selector is None else Selector.from_label_selector(selector)


class Hook(NamedTuple):
    """A policy and all of its bindings."""

    policy: Policy
    bindings: Sequence[Binding]


def _kind(kind: Object | None) -> GroupVersionKind | None:
    if kind is None:
        return None
    try:
        version = GroupVersion.parse(kind.get("apiVersion") or "")
    except ParseError:
        version = GroupVersion("", kind.get("apiVersion") or "")
    return version.with_kind(kind.get("kind") or "")
