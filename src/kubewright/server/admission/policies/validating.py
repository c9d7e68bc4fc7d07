"""ValidatingAdmissionPolicies: judging a write by all that match it, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.errors import ApiError, error_from_status
from kubewright.machinery.status import StatusCause
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.expressions import EXPRESSIONS_BUDGET, Activation, OutOfBudget
from kubewright.server.admission.policies.compiled import ValidatingRules
from kubewright.server.admission.policies.conditions import ConditionError, hold
from kubewright.server.admission.policies.params import ConfigurationError
from kubewright.server.admission.policies.policy import Binding, Hook, Policy
from kubewright.server.admission.policies.surroundings import Surroundings
from kubewright.server.admission.policies.variables import authorizer_value, bindings_of, namespace_object
from kubewright.server.admission.refusals import forbidden_by_plugin
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.expression_costs import evaluate
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import ResourceType

__all__ = ["dispatch"]

_FAILURE: Final = "validation.policy.admission.k8s.io/validation_failure"
"""The audit annotation for what fails under a binding that says Audit."""

_MAX_MESSAGE: Final = 5 * 1024
"""Upstream's MaxEvaluatedMessageExpressionSizeBytes."""

_MAX_ANNOTATION: Final = 10 * 1024
"""Upstream's maxAuditAnnotationValueLength."""

_MAX_CALL: Final = 1_100_000
"""More than what one expression can cost, before it is stopped."""

_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413, "Invalid": 422}


class _Decision(NamedTuple):
    """A rule that does not hold, or an expression that fails."""

    place: int
    message: str
    reason: str = ""


class _Denial(NamedTuple):
    policy: Policy
    binding: Binding | None
    message: str
    reason: str = ""


class _Result(NamedTuple):
    """What a policy comes to for one binding and parameter."""

    decisions: Sequence[_Decision] = ()
    annotations: Sequence[tuple[str, str]] = ()
    failed: Sequence[str] = ()
    """What is wrong with annotations that could not be made."""


_NOTHING: Final = _Result()


async def dispatch(surroundings: Surroundings, hooks: Sequence[Hook], attributes: Attributes) -> None:
    """Judge a write by all policies that are for it.

    Raises ApiError: the first denial, whatever else is wrong, and NotFound when the namespace is gone.
    """
    denials: list[_Denial] = []
    seen: dict[ResourceType, Versioned] = {}
    for hook in hooks:
        policy = hook.policy
        try:
            target = policy.match.find(attributes, surroundings.registry)
        except ApiError as error:
            _misconfigured(denials, policy, None, error.status.message or "")
            continue
        if target is not None:
            await _judge(surroundings, hook, target, attributes, seen, denials)
    if denials:
        raise _refusal(attributes, denials[0])


async def _judge(
    surroundings: Surroundings,
    hook: Hook,
    target: ResourceType,
    attributes: Attributes,
    seen: dict[ResourceType, Versioned],
    denials: list[_Denial],
) -> None:
    """Judge a write by one policy, for each of its bindings that is for it."""
    policy = hook.policy
    try:
        store = surroundings.params.store(policy)
    except ConfigurationError as error:
        _misconfigured(denials, policy, None, str(error))
        return
    annotations: dict[str, list[str]] = {}
    for binding in hook.bindings:
        try:
            if binding.match is not None and binding.match.find(attributes, surroundings.registry) is None:
                continue
            params = await surroundings.params.collect(store, binding, attributes.namespace)
            versioned = await _in_version(seen, target, attributes) if params else None
        except ConfigurationError as error:
            _misconfigured(denials, policy, binding, str(error))
            continue
        except ApiError as error:
            _misconfigured(denials, policy, binding, error.status.message or "")
            continue
        for param in params:
            assert versioned is not None  # noqa: S101 - there is a parameter
            result = await _validate(surroundings, policy, versioned, target, param)
            for decision in result.decisions:
                _act(attributes, policy, binding, decision, denials)
            for key, value in result.annotations:
                values = annotations.setdefault(key, [])
                if value not in values:
                    values.append(value)
            denials += [_Denial(policy, binding, message) for message in result.failed]
    for key, values in annotations.items():
        attributes.write.annotations.setdefault(f"{policy.name}/{key}", ", ".join(values))


async def _in_version(
    seen: dict[ResourceType, Versioned], target: ResourceType, attributes: Attributes
) -> Versioned:
    """The objects of the write in a version. Raises ConfigurationError."""
    found = seen.get(target)
    if found is None:
        found = Versioned(attributes)
        try:
            await found.to(target)
        except ApiError as error:
            why = f"failed to convert object version: {error.status.message}"
            raise ConfigurationError(why) from None
        seen[target] = found
    return found


def _misconfigured(denials: list[_Denial], policy: Policy, binding: Binding | None, why: str) -> None:
    if not policy.ignores_failures:
        what = "policy" if binding is None else "binding"
        denials.append(_Denial(policy, binding, f"failed to configure {what}: {why}"))


def _act(
    attributes: Attributes, policy: Policy, binding: Binding, decision: _Decision, denials: list[_Denial]
) -> None:
    """Do what a binding says of a rule that does not hold."""
    for action in binding.actions:
        if action == "Deny":
            denials.append(_Denial(policy, binding, decision.message, decision.reason))
        elif action == "Warn":
            what = f"Validation failed for ValidatingAdmissionPolicy '{policy.name}'"
            attributes.write.warnings.append(f"{what} with binding '{binding.name}': {decision.message}")
        elif action == "Audit":
            told = {
                "message": decision.message,
                "policy": binding.policy,
                "binding": binding.name,
                "expressionIndex": decision.place,
                "validationActions": list(binding.actions),
            }
            attributes.write.annotations.setdefault(_FAILURE, msgspec.json.encode([told]).decode())


def _refusal(attributes: Attributes, denial: _Denial) -> ApiError:
    where = "" if denial.binding is None else f" with binding '{denial.binding.name}'"
    message = f"ValidatingAdmissionPolicy '{denial.policy.name}'{where} denied request: {denial.message}"
    status = forbidden_by_plugin(attributes, message).status
    status.reason = denial.reason or "Invalid"
    status.code = _CODES.get(status.reason, 422)
    if status.details is not None:
        status.details.causes = [*(status.details.causes or ()), StatusCause(message=message)]
    return error_from_status(status)


async def _validate(
    surroundings: Surroundings,
    policy: Policy,
    versioned: Versioned,
    target: ResourceType,
    param: Object | None,
) -> _Result:
    """Run all expressions of a policy. Raises NotFound when the namespace is gone."""
    rules = policy.validating
    attributes = versioned.attributes
    bindings = bindings_of(versioned, target, param, rules.uses)
    if "authorizer" in rules.uses:
        bindings["authorizer"] = authorizer_value(attributes, surroundings.authorizer)
    if rules.conditions:
        try:
            if not await evaluate(
                lambda: hold(
                    rules.conditions, rules.variables, bindings, ignores_failures=policy.ignores_failures
                )
            ):
                return _NOTHING
        except ConditionError as error:
            return _failure(policy, str(error))
    if "namespaceObject" in rules.uses:
        bindings["namespaceObject"] = namespace_object(attributes, surroundings.registry)
    try:
        return await evaluate(lambda: _evaluated(policy, rules, bindings))
    except OutOfBudget as error:
        return _failure(policy, str(error))


def _evaluated(policy: Policy, rules: ValidatingRules, bindings: dict[str, object]) -> _Result:
    """What the rules and annotations of a policy come to. Raises OutOfBudget."""
    decisions = _decisions(policy, rules, bindings)
    if not rules.annotations:
        return _Result(decisions) if decisions else _NOTHING
    return _annotated(policy, rules, bindings, decisions)


def _failure(policy: Policy, message: str) -> _Result:
    return _NOTHING if policy.ignores_failures else _Result([_Decision(0, message)])


def _decisions(policy: Policy, rules: ValidatingRules, bindings: dict[str, object]) -> list[_Decision]:
    """The rules that do not hold. Raises OutOfBudget."""
    activation = Activation(bindings, rules.variables, EXPRESSIONS_BUDGET)
    errors: dict[int, str] = {}
    failed: set[int] = set()
    for index, validation in enumerate(rules.validations):
        result = activation.run(validation.expression)
        if result.error:
            errors[index] = result.error
        elif result.value is not True:
            failed.add(index)
    messages: Sequence[str] = ()
    why = ""
    # Upstream makes all messages always; without a rule that fails, only what they cost could show.
    if failed or activation.remaining < rules.message_runs * _MAX_CALL:
        messages, why = _messages(rules, bindings, activation.remaining)
    if why:
        errors = {
            **dict.fromkeys(range(len(rules.validations)), f"failed messageExpression: {why}"),
            **errors,
        }
    made: list[_Decision] = []
    for index in sorted(errors.keys() | failed):
        validation = rules.validations[index]
        if index in errors:
            if not policy.ignores_failures:
                made.append(_Decision(index, errors[index]))
            continue
        message = messages[index] or validation.message
        message = message or f"failed expression: {validation.expression.text.strip()}"
        made.append(_Decision(index, message, validation.reason or "Invalid"))
    return made


def _messages(rules: ValidatingRules, bindings: dict[str, object], budget: int) -> tuple[Sequence[str], str]:
    """By rule, the message that its expression makes, empty for none; and why there are none at all."""
    # What makes a message may not ask the authorizer.
    plain = {name: value for name, value in bindings.items() if name != "authorizer"}
    activation = Activation(plain, rules.variables, budget)
    made: list[str] = []
    try:
        for validation in rules.validations:
            expression = validation.message_expression
            value = None if expression is None else activation.run(expression).value
            message = value.strip() if isinstance(value, str) else ""
            too_long = len(message.encode()) > _MAX_MESSAGE
            made.append("" if too_long or "\n" in message else message)
    except OutOfBudget as error:
        return ("",) * len(rules.validations), str(error)
    return made, ""


def _annotated(
    policy: Policy, rules: ValidatingRules, bindings: dict[str, object], decisions: list[_Decision]
) -> _Result:
    """The same with audit annotations, which may not ask the authorizer. Raises OutOfBudget."""
    plain = {name: value for name, value in bindings.items() if name != "authorizer"}
    activation = Activation(plain, rules.variables, EXPRESSIONS_BUDGET)
    annotations: list[tuple[str, str]] = []
    failed: list[str] = []
    for key, expression in rules.annotations:
        result = activation.run(expression)
        if result.error:
            if not policy.ignores_failures:
                failed.append(result.error)
        elif isinstance(result.value, str) and (value := result.value.strip()):
            cut = value.encode()[:_MAX_ANNOTATION].decode(errors="ignore")
            annotations.append((key, cut))
    return _Result(decisions, annotations, failed)
