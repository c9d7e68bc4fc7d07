"""The rules of a Job's spec, also where it is the template of a CronJob."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from kubewright.machinery.field_errors import (
    OMIT_VALUE,
    duplicate,
    go_quote,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from kubewright.server.kinds.apps.workloads import template_warnings
from kubewright.server.kinds.batch.index_intervals import IntervalError, count_indexes
from kubewright.server.kinds.core.pod_template import validate_pod_template
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length, validate_label_name, validate_non_negative
from kubewright.server.kinds.prefixed_paths import validate_domain_prefixed_path

__all__ = ["failure_policy_as_go", "job_spec_warnings", "success_policy_as_go", "validate_job_spec"]

# The limits of upstream's pkg/apis/batch/validation.
_INDEXED_PARALLELISM: Final = 100_000
_FAILED_INDEXES: Final = 100_000
_MANY_COMPLETIONS: Final = 100_000
_PARALLELISM_OF_MANY: Final = 10_000
_FAILED_INDEXES_OF_MANY: Final = 10_000
_FAILURE_RULES: Final = 20
_EXIT_CODES: Final = 255
_CONDITION_PATTERNS: Final = 20
_MANAGED_BY_LENGTH: Final = 63
_SUCCEEDED_INDEXES_LENGTH: Final = 64 * 1024
_SUCCESS_RULES: Final = 20

_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")
_REPLACEMENTS: Final = ("Failed", "TerminatingOrFailed")
_NON_NEGATIVE: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)


def validate_job_spec(spec: Object, path: str, old_template: Object | None) -> Errors:
    """All that is wrong with the spec of a Job, but for its selector."""
    errors: Errors = []
    for field in _NON_NEGATIVE:
        value = spec.get(field)
        if value is not None:
            errors += validate_non_negative(value, f"{path}.{field}")
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        errors.append(required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    if spec.get("managedBy") is not None:
        errors += _validate_managed_by(spec["managedBy"], f"{path}.managedBy")
    errors += _validate_mode(spec, path)
    if spec.get("podFailurePolicy") is not None:
        errors += _validate_failure_policy(spec, f"{path}.podFailurePolicy")
    if spec.get("successPolicy") is not None:
        errors += _validate_success_policy(spec, f"{path}.successPolicy")
    errors += _validate_replacement(spec, f"{path}.podReplacementPolicy")
    template = spec.get("template") or {}
    errors += validate_pod_template(template, f"{path}.template", old_template)
    errors += _validate_restart_policy(spec, template, f"{path}.template.spec.restartPolicy")
    return errors


def _validate_managed_by(name: str, path: str) -> Errors:
    errors = validate_domain_prefixed_path(name, path)
    if byte_length(name) > _MANAGED_BY_LENGTH:
        errors.append(too_long(path, _MANAGED_BY_LENGTH))
    return errors


def _validate_mode(spec: Object, path: str) -> Errors:
    mode = spec.get("completionMode")
    if mode == "Indexed":
        return _validate_indexed(spec, path)
    if mode not in {None, "NonIndexed"}:
        return [not_supported(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))]
    return [
        invalid(f"{path}.{field}", spec[field], "requires indexed completion mode")
        for field in ("backoffLimitPerIndex", "maxFailedIndexes")
        if spec.get(field) is not None
    ]


def _validate_indexed(spec: Object, path: str) -> Errors:
    errors: Errors = []
    completions, parallelism = spec.get("completions"), spec.get("parallelism") or 0
    failed, failed_path = spec.get("maxFailedIndexes"), f"{path}.maxFailedIndexes"
    if completions is None:
        errors.append(required(f"{path}.completions", "when completion mode is Indexed"))
    if parallelism > _INDEXED_PARALLELISM:
        detail = f"must be less than or equal to {_INDEXED_PARALLELISM} when completion mode is Indexed"
        errors.append(invalid(f"{path}.parallelism", parallelism, detail))
    if failed is not None:
        if completions is not None and failed > completions:
            errors.append(invalid(failed_path, failed, "must be less than or equal to completions"))
        if failed > _FAILED_INDEXES:
            errors.append(invalid(failed_path, failed, f"must be less than or equal to {_FAILED_INDEXES}"))
    if (completions or 0) > _MANY_COMPLETIONS and spec.get("backoffLimitPerIndex") is not None:
        if failed is None:
            detail = f"must be specified when completions is above {_MANY_COMPLETIONS}"
            errors.append(required(failed_path, detail))
        many = f"when completions are above {_MANY_COMPLETIONS} and used with backoff limit per index"
        if parallelism > _PARALLELISM_OF_MANY:
            detail = f"must be less than or equal to {_PARALLELISM_OF_MANY} {many}"
            errors.append(invalid(f"{path}.parallelism", parallelism, detail))
        if failed is not None and failed > _FAILED_INDEXES_OF_MANY:
            detail = f"must be less than or equal to {_FAILED_INDEXES_OF_MANY} {many}"
            errors.append(invalid(failed_path, failed, detail))
    return errors


def _validate_failure_policy(spec: Object, path: str) -> Errors:
    rules = spec["podFailurePolicy"].get("rules") or []
    errors: Errors = []
    if len(rules) > _FAILURE_RULES:
        errors.append(too_many(f"{path}.rules", len(rules), _FAILURE_RULES))
    pod = (spec.get("template") or {}).get("spec") or {}
    containers = [*(pod.get("containers") or ()), *(pod.get("initContainers") or ())]
    names = frozenset(container.get("name") or "" for container in containers)
    per_index = spec.get("backoffLimitPerIndex") is not None
    for index, rule in enumerate(rules):
        errors += _validate_failure_rule(rule, f"{path}.rules[{index}]", names, per_index=per_index)
    return errors


def _validate_failure_rule(rule: Object, path: str, names: frozenset[str], *, per_index: bool) -> Errors:
    errors: Errors = []
    action = rule.get("action") or ""
    if not action:
        errors.append(required(f"{path}.action", _valid_values(_ACTIONS)))
    elif action == "FailIndex":
        if not per_index:
            errors.append(invalid(f"{path}.action", action, "requires the backoffLimitPerIndex to be set"))
    elif action not in _ACTIONS:
        errors.append(not_supported(f"{path}.action", action, _ACTIONS))
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
    if codes is not None:
        errors += _validate_exit_codes(codes, f"{path}.onExitCodes", names)
    if conditions:
        errors += _validate_condition_patterns(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        detail = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(invalid(path, OMIT_VALUE, detail))
    if codes is None and not conditions:
        detail = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(invalid(path, OMIT_VALUE, detail))
    return errors


def _validate_exit_codes(codes: Object, path: str, names: frozenset[str]) -> Errors:
    errors: Errors = []
    operator = codes.get("operator") or ""
    if not operator:
        errors.append(required(f"{path}.operator", _valid_values(_OPERATORS)))
    elif operator not in _OPERATORS:
        errors.append(not_supported(f"{path}.operator", operator, _OPERATORS))
    container = codes.get("containerName")
    if container is not None and container not in names:
        detail = "must be one of the container or initContainer names in the pod template"
        errors.append(invalid(f"{path}.containerName", container, detail))
    values = codes.get("values")
    if not values:
        errors.append(invalid(f"{path}.values", values, "at least one value is required"))
        return errors
    if len(values) > _EXIT_CODES:
        errors.append(too_many(f"{path}.values", len(values), _EXIT_CODES))
    seen: set[int] = set()
    for index, value in enumerate(values):
        if value == 0 and operator == "In":
            errors.append(invalid(f"{path}.values[{index}]", value, "must not be 0 for the In operator"))
        if value in seen:
            errors.append(duplicate(f"{path}.values[{index}]", value))
        seen.add(value)
    if any(before > after for before, after in pairwise(values)):
        errors.append(invalid(f"{path}.values", values, "must be ordered"))
    return errors


def _validate_condition_patterns(patterns: list[Object], path: str) -> Errors:
    errors: Errors = []
    if len(patterns) > _CONDITION_PATTERNS:
        errors.append(too_many(path, len(patterns), _CONDITION_PATTERNS))
    for index, pattern in enumerate(patterns):
        errors += validate_label_name(pattern.get("type") or "", f"{path}[{index}].type")
        status = pattern.get("status") or ""
        if not status:
            errors.append(required(f"{path}[{index}].status", _valid_values(_STATUSES)))
        elif status not in _STATUSES:
            errors.append(not_supported(f"{path}[{index}].status", status, _STATUSES))
    return errors


def _valid_values(values: tuple[str, ...]) -> str:
    return f"valid values: [{' '.join(map(go_quote, values))}]"


def failure_policy_as_go(policy: Object | None) -> Object | None:
    """A pod failure policy with the names of Go's fields, as messages show it."""
    if policy is None:
        return None
    rules = policy.get("rules")
    return {"Rules": None if rules is None else list(map(_failure_rule_as_go, rules))}


def _failure_rule_as_go(rule: Object) -> Object:
    codes, patterns = rule.get("onExitCodes"), rule.get("onPodConditions")
    shown_codes = (
        None
        if codes is None
        else {
            "ContainerName": codes.get("containerName"),
            "Operator": codes.get("operator") or "",
            "Values": codes.get("values"),
        }
    )
    shown_patterns = (
        None
        if patterns is None
        else [
            {"Type": pattern.get("type") or "", "Status": pattern.get("status") or ""} for pattern in patterns
        ]
    )
    return {
        "Action": rule.get("action") or "",
        "OnExitCodes": shown_codes,
        "OnPodConditions": shown_patterns,
    }


def success_policy_as_go(policy: Object | None) -> Object | None:
    """A success policy with the names of Go's fields, as messages show it."""
    if policy is None:
        return None
    rules = policy.get("rules")
    if rules is None:
        return {"Rules": None}
    return {
        "Rules": [
            {"SucceededIndexes": rule.get("succeededIndexes"), "SucceededCount": rule.get("succeededCount")}
            for rule in rules
        ]
    }


def _validate_success_policy(spec: Object, path: str) -> Errors:
    policy = spec["successPolicy"]
    if spec.get("completionMode") != "Indexed":
        return [invalid(path, success_policy_as_go(policy), "requires indexed completion mode")]
    rules = policy.get("rules") or []
    errors: Errors = []
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        errors.append(required(f"{path}.rules", detail))
    if len(rules) > _SUCCESS_RULES:
        errors.append(too_many(f"{path}.rules", len(rules), _SUCCESS_RULES))
    # Without completions, which is told elsewhere, upstream's check panics; here nothing counts as too much.
    completions = spec.get("completions")
    for index, rule in enumerate(rules):
        errors += _validate_success_rule(
            rule, f"{path}.rules[{index}]", 2**31 if completions is None else completions
        )
    return errors


def _validate_success_rule(rule: Object, path: str, completions: int) -> Errors:
    errors: Errors = []
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        detail = "at least one of succeededCount or succeededIndexes must be specified"
        errors.append(required(path, detail))
    total = 0
    if indexes is not None:
        if byte_length(indexes) > _SUCCEEDED_INDEXES_LENGTH:
            errors.append(too_long(f"{path}.succeededIndexes", _SUCCEEDED_INDEXES_LENGTH))
        try:
            total = count_indexes(indexes, completions)
        except IntervalError as error:
            detail = f"error parsing succeededIndexes: {error}"
            errors.append(invalid(f"{path}.succeededIndexes", indexes, detail))
    if count is not None:
        errors += validate_non_negative(count, f"{path}.succeededCount")
        at_most = "must be less than or equal to"
        if count > completions:
            detail = f"{at_most} {completions} (the number of specified completions)"
            errors.append(invalid(f"{path}.succeededCount", count, detail))
        if indexes is not None and count > total:
            detail = f"{at_most} {total} (the number of indexes in the specified succeededIndexes field)"
            errors.append(invalid(f"{path}.succeededCount", count, detail))
    return errors


def _validate_replacement(spec: Object, path: str) -> Errors:
    policy = spec.get("podReplacementPolicy")
    if policy is None:
        return []
    allowed = _REPLACEMENTS if spec.get("podFailurePolicy") is None else ("Failed",)
    return [] if policy in allowed else [not_supported(path, policy, allowed)]


def _validate_restart_policy(spec: Object, template: Object, path: str) -> Errors:
    policy = (template.get("spec") or {}).get("restartPolicy") or ""
    if policy in {"", "Always"}:
        return [required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in {"OnFailure", "Never"}:
        return [not_supported(path, policy, ("OnFailure", "Never"))]
    if spec.get("podFailurePolicy") is not None and policy != "Never":
        return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    return []


_MANY_INDEXES_WARNING: Final = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "
    "Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)


def job_spec_warnings(spec: Object, path: str) -> list[str]:
    """The sentences for Warning headers about the spec of a Job."""
    warnings = []
    if spec.get("completionMode") == "Indexed":
        completions, parallelism = spec.get("completions") or 0, spec.get("parallelism") or 0
        if completions > _MANY_COMPLETIONS and parallelism > _PARALLELISM_OF_MANY:
            warnings.append(f"{path}: {_MANY_INDEXES_WARNING}")
    return warnings + template_warnings(spec, path)
