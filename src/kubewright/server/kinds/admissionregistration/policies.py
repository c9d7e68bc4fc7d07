"""The rules of ValidatingAdmissionPolicies and MutatingAdmissionPolicies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, invalid, not_supported, required
from kubewright.machinery.names import is_dns1035_label, is_dns1123_subdomain, is_qualified_name
from kubewright.server.kinds.admissionregistration.expressions import ExpressionChecker
from kubewright.server.kinds.admissionregistration.matching import (
    FAILURE_POLICIES,
    REINVOCATION_POLICIES,
    default_match_resources,
    name_warnings,
    validate_match_conditions,
    validate_match_resources,
    validate_mutating_operations,
)
from kubewright.server.kinds.fields import clear_status, keep_metadata, keep_spec, keep_status
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource, same_spec_generation
from kubewright.server.kinds.metadata_rules import byte_length, validate_conditions

__all__ = ["MUTATING_POLICY", "VALIDATING_POLICY"]

_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_PATCH_TYPES: Final = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
_OTHER: Final = {"applyConfiguration": "jsonPatch", "jsonPatch": "applyConfiguration"}
_RESULTS: Final = {"applyConfiguration": "Object", "jsonPatch": "list(JSONPatch)"}
"""What the expressions of mutations must make."""
_MAX_ANNOTATIONS: Final = 20
_MAX_ANNOTATION: Final = 5 * 1024
"""Upstream's maxAuditAnnotationValueExpressionLength."""

_IS_IDENTIFIER: Final = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch
_RESERVED: Final = frozenset(
    {
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    }
)
"""The words that CEL keeps for itself."""


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    if spec.get("failurePolicy") is None:
        spec["failurePolicy"] = "Fail"
    default_match_resources(spec.get("matchConstraints"))


def _validate_common(
    spec: Object, old_spec: Object | None, checker: ExpressionChecker, *, mutating: bool
) -> Errors:
    errors: Errors = []
    policy, parameters, match = spec.get("failurePolicy"), spec.get("paramKind"), spec.get("matchConstraints")
    if policy is None:
        errors.append(required("spec.failurePolicy"))
    elif policy not in FAILURE_POLICIES:
        errors.append(not_supported("spec.failurePolicy", policy, FAILURE_POLICIES))
    if parameters is not None:
        errors += _validate_parameter_kind(parameters, "spec.paramKind")
    if match is None:
        errors.append(required("spec.matchConstraints"))
    else:
        errors += validate_match_resources(match, "spec.matchConstraints")
        if not match.get("resourceRules"):
            errors.append(required("spec.matchConstraints.resourceRules"))
        if mutating:
            errors += validate_mutating_operations(match, "spec.matchConstraints")
    compared = ("paramKind", "matchConditions")
    if old_spec is None or any(spec.get(field) != old_spec.get(field) for field in compared):
        errors += validate_match_conditions(
            spec.get("matchConditions"), "spec.matchConditions", has_params=parameters is not None
        )
    for index, variable in enumerate(spec.get("variables") or ()):
        errors += _validate_variable(variable, f"spec.variables[{index}]", checker)
    return errors


def _checker(spec: Object, *, is_composite: bool) -> ExpressionChecker:
    return ExpressionChecker(has_params=spec.get("paramKind") is not None, is_composite=is_composite)


def _validate_parameter_kind(parameters: Object, path: str) -> Errors:
    errors: Errors = []
    api_version, kind = parameters.get("apiVersion") or "", parameters.get("kind") or ""
    if not api_version:
        errors.append(required(f"{path}.apiVersion"))
    else:
        errors += _validate_api_version(api_version, f"{path}.apiVersion")
    if not kind:
        return [*errors, required(f"{path}.kind")]
    messages = is_dns1035_label(kind.lower())
    if messages:
        detail = f"may have mixed case, but should otherwise match: {','.join(messages)}"
        errors.append(invalid(f"{path}.kind", kind, detail))
    return errors


def _validate_api_version(text: str, path: str) -> Errors:
    if text.count("/") > 1:
        return [invalid(path, text, f"unexpected GroupVersion string: {text}")]
    group, _, version = text.rpartition("/")
    errors: Errors = []
    messages = is_dns1123_subdomain(group) if group else []
    if messages:
        errors.append(invalid(path, group, ",".join(messages)))
    if not version:
        errors.append(invalid(path, text, "version must be specified"))
        return errors
    messages = is_dns1035_label(version)
    if messages:
        errors.append(invalid(path, version, ",".join(messages)))
    return errors


def _validate_variable(variable: Object, path: str, checker: ExpressionChecker) -> Errors:
    errors: Errors = []
    name, expression = variable.get("name") or "", variable.get("expression") or ""
    if not name.strip():
        errors.append(required(f"{path}.name", "name is not specified"))
    elif _IS_IDENTIFIER(name) is None or name in _RESERVED:
        errors.append(invalid(f"{path}.name", name, "must be a valid CEL identifier"))
    if not expression.strip():
        errors.append(required(f"{path}.expression", "expression is not specified"))
    else:
        errors += checker.variable_errors(name, expression, f"{path}.expression")
    return errors


def _validate_validating(obj: Object, old_spec: Object | None = None) -> Errors:
    spec = obj.get("spec") or {}
    checker = _checker(spec, is_composite=bool(spec.get("variables")))
    errors = _validate_common(spec, old_spec, checker, mutating=False)
    validations, annotations = spec.get("validations") or (), spec.get("auditAnnotations") or ()
    if not validations and not annotations:
        detail = "validations or auditAnnotations must contain at least one item"
        errors.append(required("spec.validations", detail))
        errors.append(required("spec.auditAnnotations", detail))
        return errors
    for index, validation in enumerate(validations):
        errors += _validate_validation(validation, f"spec.validations[{index}]", checker)
    name = (obj.get("metadata") or {}).get("name") or ""
    return errors + _validate_annotations(annotations, name, "spec.auditAnnotations", checker)


def _validate_validation(validation: Object, path: str, checker: ExpressionChecker) -> Errors:
    errors: Errors = []
    rule = validation.get("expression") or ""
    if not rule.strip():
        errors.append(required(f"{path}.expression", "expression is not specified"))
    else:
        errors += checker.errors(rule, f"{path}.expression", ("bool",))
    expression, message = validation.get("messageExpression") or "", validation.get("message") or ""
    if expression and not expression.strip():
        detail = "must be non-empty if specified"
        errors.append(invalid(f"{path}.messageExpression", expression, detail))
    elif expression:
        errors += checker.errors(expression, f"{path}.messageExpression", ("string",), authorizer=False)
    trimmed = message.strip()
    if message and not trimmed:
        errors.append(invalid(f"{path}.message", message, "must be non-empty if specified"))
    elif "\n" in trimmed or "\r" in trimmed:
        errors.append(invalid(f"{path}.message", message, "must not contain line breaks"))
    reason = validation.get("reason")
    if reason is not None and reason not in _REASONS:
        errors.append(not_supported(f"{path}.reason", reason, _REASONS))
    return errors


def _validate_annotations(
    annotations: Sequence[Object], policy: str, path: str, checker: ExpressionChecker
) -> Errors:
    errors: Errors = []
    if len(annotations) > _MAX_ANNOTATIONS:
        shown = [
            {"Key": each.get("key") or "", "ValueExpression": each.get("valueExpression") or ""}
            for each in annotations
        ]
        detail = f"must not have more than {_MAX_ANNOTATIONS} auditAnnotations"
        errors.append(invalid(path, shown, detail))
    seen: set[str] = set()
    for index, annotation in enumerate(annotations):
        place, key = f"{path}[{index}]", annotation.get("key") or ""
        if policy:
            full = f"{policy}/{key}"
            errors += [invalid(f"{place}.key", full, message) for message in is_qualified_name(full)]
        else:
            errors.append(invalid(f"{place}.key", key, "requires metadata.name be non-empty"))
        given = annotation.get("valueExpression") or ""
        expression = given.strip()
        if not expression:
            errors.append(required(f"{place}.valueExpression", "valueExpression is not specified"))
        elif byte_length(expression) > _MAX_ANNOTATION:
            detail = f"must not exceed {_MAX_ANNOTATION} bytes in length"
            errors.append(required(f"{place}.valueExpression", detail))
        else:
            errors += checker.errors(
                expression, f"{place}.valueExpression", ("string", "null_type"), shown=given
            )
        if key in seen:
            errors.append(duplicate(f"{place}.key", key))
        seen.add(key)
    return errors


def _validate_validating_update(obj: Object, old: Object) -> Errors:
    return _validate_validating(obj, old.get("spec") or {})


def _validate_mutating(obj: Object, old_spec: Object | None = None) -> Errors:
    spec = obj.get("spec") or {}
    checker = _checker(spec, is_composite=True)
    errors = _validate_common(spec, old_spec, checker, mutating=True)
    mutations, again = spec.get("mutations") or (), spec.get("reinvocationPolicy") or ""
    if not mutations:
        errors.append(required("spec.mutations", "mutations must contain at least one item"))
    for index, mutation in enumerate(mutations):
        errors += _validate_mutation(mutation, f"spec.mutations[{index}]", checker)
    if not again:
        errors.append(required("spec.reinvocationPolicy"))
    elif again not in REINVOCATION_POLICIES:
        errors.append(not_supported("spec.reinvocationPolicy", again, REINVOCATION_POLICIES))
    return errors


def _validate_mutation(mutation: Object, path: str, checker: ExpressionChecker) -> Errors:
    kind = mutation.get("patchType") or ""
    if not kind:
        return [required(f"{path}.patchType")]
    field = _PATCH_TYPES.get(kind)
    if field is None:
        return [not_supported(f"{path}.patchType", kind, tuple(_PATCH_TYPES))]
    errors: Errors = []
    patch, other = mutation.get(field), _OTHER[field]
    if patch is None:
        errors.append(required(f"{path}.{field}", f"must be specified when patchType is {kind}"))
    elif not (expression := (patch.get("expression") or "").strip()):
        errors.append(required(f"{path}.{field}.expression"))
    else:
        place, returns = f"{path}.{field}.expression", (_RESULTS[field],)
        errors += checker.errors(expression, place, returns, patches=True)
    if mutation.get(other) is not None:
        detail = f"must not be specified when patchType is {kind}"
        errors.append(invalid(f"{path}.{other}", f"{{{other}}}", detail))
    return errors


def _validate_mutating_update(obj: Object, old: Object) -> Errors:
    return _validate_mutating(obj, old.get("spec") or {})


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    keep_spec(obj, old, context)
    keep_metadata(obj, old)


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors: Errors = []
    for index, warning in enumerate((status.get("typeChecking") or {}).get("expressionWarnings") or ()):
        path = f"status.typeChecking.expressionWarnings[{index}]"
        if not warning.get("warning"):
            errors.append(required(f"{path}.warning"))
        if not (warning.get("fieldRef") or "").strip():
            errors.append(required(f"{path}.fieldRef"))
    return errors + validate_conditions(status.get("conditions"), "status.conditions")


VALIDATING_POLICY: Final = Kind(
    default=_default,
    prepare_create=clear_status,
    prepare_update=keep_status,
    validate=_validate_validating,
    validate_update=_validate_validating_update,
    warnings=name_warnings,
    generation=same_spec_generation,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec", "metadata"))
    },
    allow_unconditional_update=False,
)

MUTATING_POLICY: Final = Kind(
    default=_default,
    validate=_validate_mutating,
    validate_update=_validate_mutating_update,
    warnings=name_warnings,
    generation=same_spec_generation,
    allow_unconditional_update=False,
    resets=(),
)
