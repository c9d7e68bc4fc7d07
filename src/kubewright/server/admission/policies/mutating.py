"""MutatingAdmissionPolicies: changing a write by all that match it, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.errors import ApiError, error_from_status
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.status import StatusCause
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.expressions import EXPRESSIONS_BUDGET, Activation, OutOfBudget
from kubewright.server.admission.policies.compiled import MutatingRules, Mutation
from kubewright.server.admission.policies.conditions import ConditionError, hold
from kubewright.server.admission.policies.params import ConfigurationError
from kubewright.server.admission.policies.patches import MutationError, patched
from kubewright.server.admission.policies.policy import Binding, Hook, Policy
from kubewright.server.admission.policies.surroundings import Surroundings
from kubewright.server.admission.policies.variables import authorizer_value, bindings_of, namespace_object
from kubewright.server.admission.refusals import forbidden_by_plugin
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.expression_costs import evaluate
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import ResourceType

__all__ = ["dispatch"]

_PLUGIN: Final = "MutatingAdmissionPolicy"


class _Again(msgspec.Struct):
    """What decides which policies act a second time."""

    output: Object | None = None
    """What the policies have made of the object the first time."""
    acted: set[tuple[str, ...]] = set()
    """Those that want to act again if something changes after them."""
    due: set[tuple[str, ...]] = set()
    """Those that something has changed after."""

    def changed(self) -> None:
        self.due |= self.acted
        self.acted.clear()


class _Invocation(NamedTuple):
    """A policy that is for a write, with the binding and one parameter."""

    policy: Policy
    binding: Binding
    type: ResourceType
    param: Object | None

    @property
    def key(self) -> tuple[str, ...]:
        metadata = (self.param or {}).get("metadata") or {}
        named = (metadata.get("namespace") or "", metadata.get("name") or "")
        return (self.policy.name, self.binding.name, *named)


class _Problem(NamedTuple):
    """What is wrong with a policy or what it does, which its failure policy decides about."""

    policy: Policy
    binding: Binding | None
    why: str
    reason: str = ""

    def message(self) -> str:
        if self.binding is None:
            return f"policy {go_quote(self.policy.name)} denied request: {self.why}"
        where = f"policy '{self.policy.name}' with binding '{self.binding.name}'"
        return f"{where} denied request: {self.why}"


async def dispatch(surroundings: Surroundings, hooks: Sequence[Hook], attributes: Attributes) -> None:
    """Give a write the object that the policies make of it which are for it.

    Raises ApiError: what a policy fails with that may not fail.
    """
    problems: list[_Problem] = []
    invocations = [
        invocation
        for hook in hooks
        for invocation in await _invocations(surroundings, hook, attributes, problems)
    ]
    if invocations:
        await _invoke_all(surroundings, invocations, attributes, problems)
    counted = [problem for problem in problems if not problem.policy.ignores_failures]
    if counted:
        raise _refusal(attributes, counted)


def _refusal(attributes: Attributes, problems: Sequence[_Problem]) -> ApiError:
    status = forbidden_by_plugin(attributes, "admission request denied by policy").status
    first = problems[0]
    status.message = first.message()
    status.reason = first.reason or status.reason
    if status.details is not None:
        status.details.causes = [StatusCause(message=each.message()) for each in problems]
    return error_from_status(status)


async def _invocations(
    surroundings: Surroundings, hook: Hook, attributes: Attributes, problems: list[_Problem]
) -> list[_Invocation]:
    """With which bindings and parameters a policy is for a write."""
    policy = hook.policy
    try:
        target = policy.match.find(attributes, surroundings.registry)
        if target is None:
            return []
        store = surroundings.params.store(policy)
    except (ApiError, ConfigurationError) as error:
        problems.append(_Problem(policy, None, f"failed to configure policy: {_text(error)}"))
        return []
    found: list[_Invocation] = []
    for binding in hook.bindings:
        try:
            if binding.match is not None and binding.match.find(attributes, surroundings.registry) is None:
                continue
            params = await surroundings.params.collect(store, binding, attributes.namespace)
        except (ApiError, ConfigurationError) as error:
            problems.append(_Problem(policy, binding, f"failed to configure binding: {_text(error)}"))
            continue
        found += [_Invocation(policy, binding, target, param) for param in params]
    return found


def _text(error: Exception) -> str:
    return (error.status.message or "") if isinstance(error, ApiError) else str(error)


async def _invoke_all(
    surroundings: Surroundings,
    invocations: Sequence[_Invocation],
    attributes: Attributes,
    problems: list[_Problem],
) -> None:
    reinvocation = attributes.reinvoked()
    again: _Again = reinvocation.values.setdefault(_PLUGIN, _Again())
    if reinvocation.running and again.output != attributes.obj:
        again.changed()
    versioned = Versioned(attributes)
    try:
        for invocation in invocations:
            policy = invocation.policy
            await versioned.to(invocation.type)
            bindings = _bindings(surroundings, invocation, versioned)
            try:
                if not await evaluate(partial(_is_wanted, invocation, bindings)):
                    continue
            except ConditionError as error:
                problems.append(_Problem(policy, invocation.binding, str(error), "Invalid"))
                continue
            if reinvocation.running and invocation.key not in again.due:
                continue
            before = versioned.obj
            await _invoke(surroundings, invocation, versioned, bindings, problems)
            if versioned.obj != before:
                again.changed()
                reinvocation.wanted = True
            if policy.is_reinvoked:
                again.acted.add(invocation.key)
        await versioned.finish()
    finally:
        again.output = attributes.obj


def _bindings(surroundings: Surroundings, invocation: _Invocation, versioned: Versioned) -> dict[str, object]:
    uses = invocation.policy.mutating.uses
    bindings = bindings_of(versioned, invocation.type, invocation.param, uses)
    if "authorizer" in uses:
        bindings["authorizer"] = authorizer_value(versioned.attributes, surroundings.authorizer)
    return bindings


def _is_wanted(invocation: _Invocation, bindings: dict[str, object]) -> bool:
    rules, policy = invocation.policy.mutating, invocation.policy
    return not rules.conditions or hold(
        rules.conditions, rules.variables, bindings, ignores_failures=policy.ignores_failures
    )


async def _invoke(
    surroundings: Surroundings,
    invocation: _Invocation,
    versioned: Versioned,
    bindings: dict[str, object],
    problems: list[_Problem],
) -> None:
    """Let one policy change the object. Raises ApiError for what no failure policy decides about."""
    rules = invocation.policy.mutating
    if "namespaceObject" in rules.uses:
        bindings["namespaceObject"] = namespace_object(versioned.attributes, surroundings.registry)
    for mutation in rules.mutations:
        if versioned.obj is None:
            return
        bindings["object"] = versioned.obj
        try:
            versioned.change(await evaluate(partial(_changed, rules, mutation, versioned, bindings)))
        except (MutationError, OutOfBudget) as error:
            problems.append(_Problem(invocation.policy, invocation.binding, str(error), "Invalid"))


def _changed(
    rules: MutatingRules, mutation: Mutation, versioned: Versioned, bindings: dict[str, object]
) -> Object:
    """What a mutation makes of the object. Raises MutationError, OutOfBudget and ApiError."""
    if mutation.expression.program is None:
        raise MutationError(mutation.expression.error)
    result = Activation(bindings, rules.variables, EXPRESSIONS_BUDGET).run(mutation.expression)
    if result.error:
        raise MutationError(result.error)
    return patched(versioned, result.value, is_json_patch=mutation.is_json_patch)
