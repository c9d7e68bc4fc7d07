"""What webhooks and policies match: rules, selectors and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, invalid, not_supported, required, too_many
from kubewright.machinery.names import is_path_segment_name, is_qualified_name
from kubewright.server.kinds.admissionregistration.expressions import ExpressionChecker
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_label_selector

__all__ = [
    "FAILURE_POLICIES",
    "MATCH_POLICIES",
    "REINVOCATION_POLICIES",
    "default_match_resources",
    "default_rules",
    "name_warnings",
    "validate_match_conditions",
    "validate_match_resources",
    "validate_mutating_operations",
    "validate_rule",
]

FAILURE_POLICIES: Final = ("Fail", "Ignore")
MATCH_POLICIES: Final = ("Equivalent", "Exact")
REINVOCATION_POLICIES: Final = ("IfNeeded", "Never")

_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_MUTATING_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_MAX_CONDITIONS: Final = 64
_STATIC_SUFFIX: Final = ".static.k8s.io"


def default_rules(rules: Sequence[Object] | None) -> None:
    """Fill in the scope of rules."""
    for rule in rules or ():
        if rule.get("scope") is None:
            rule["scope"] = "*"


def default_match_resources(match: Object | None) -> None:
    """Fill in what a policy or binding says of the resources that it matches."""
    if match is None:
        return
    if match.get("matchPolicy") is None:
        match["matchPolicy"] = "Equivalent"
    for field in ("namespaceSelector", "objectSelector"):
        if match.get(field) is None:
            match[field] = {}
    default_rules(match.get("resourceRules"))
    default_rules(match.get("excludeResourceRules"))


def validate_rule(rule: Object, path: str) -> Errors:
    """All that is wrong with a rule: operations, groups, versions, resources and scope."""
    errors: Errors = []
    operations = rule.get("operations") or ()
    errors += _validate_list(operations, f"{path}.operations", "operations")
    for index, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            errors.append(not_supported(f"{path}.operations[{index}]", operation, _OPERATIONS))
    errors += _validate_list(rule.get("apiGroups") or (), f"{path}.apiGroups", "API groups")
    versions = rule.get("apiVersions") or ()
    errors += _validate_list(versions, f"{path}.apiVersions", "API versions")
    errors += [
        required(f"{path}.apiVersions[{index}]") for index, version in enumerate(versions) if not version
    ]
    errors += _validate_resources(rule.get("resources") or (), f"{path}.resources")
    scope = rule.get("scope")
    if scope is not None and scope not in _SCOPES:
        errors.append(not_supported(f"{path}.scope", scope, _SCOPES))
    return errors


def _validate_list(values: Sequence[str], path: str, what: str) -> Errors:
    if not values:
        return [required(path)]
    if len(values) > 1 and "*" in values:
        return [invalid(path, values, f"if '*' is present, must not specify other {what}")]
    return []


def _validate_resources(resources: Sequence[str], path: str) -> Errors:
    errors: Errors = [] if resources else [required(path)]
    whole: set[str] = set()
    anywhere: set[str] = set()
    plain_last = False
    for index, text in enumerate(resources):
        place = f"{path}[{index}]"
        resource, slash, subresource = text.partition("/")
        if not text:
            errors.append(required(place))
            continue
        if not slash:
            # Only the last one without a subresource counts, upstream.
            plain_last = text != "*"
            continue
        if resource in whole:
            detail = f"if '{resource}/*' is present, must not specify {text}"
            errors.append(invalid(place, text, detail))
        if subresource in anywhere:
            detail = f"if '*/{subresource}' is present, must not specify {text}"
            errors.append(invalid(place, text, detail))
        if subresource == "*":
            whole.add(resource)
        if resource == "*":
            anywhere.add(subresource)
    if len(resources) > 1 and "*/*" in resources:
        errors.append(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
    if "*" in resources and plain_last:
        detail = "if '*' is present, must not specify other resources without subresources"
        errors.append(invalid(path, resources, detail))
    return errors


def validate_match_resources(match: Object, path: str) -> Errors:
    """All that is wrong with the resources that a policy or binding matches."""
    errors: Errors = []
    policy = match.get("matchPolicy")
    if policy is None:
        errors.append(required(f"{path}.matchPolicy"))
    elif policy not in MATCH_POLICIES:
        errors.append(not_supported(f"{path}.matchPolicy", policy, MATCH_POLICIES))
    for field in ("namespaceSelector", "objectSelector"):
        selector = match.get(field)
        if selector is None:
            errors.append(required(f"{path}.{field}"))
        else:
            errors += validate_label_selector(selector, f"{path}.{field}")
    for field in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(match.get(field) or ()):
            errors += _validate_named_rule(rule, f"{path}.{field}[{index}]")
    return errors


def _validate_named_rule(rule: Object, path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for index, name in enumerate(rule.get("resourceNames") or ()):
        place = f"{path}.resourceNames[{index}]"
        errors += [invalid(place, name, message) for message in is_path_segment_name(name)]
        if name in seen:
            errors.append(duplicate(place, name))
        seen.add(name)
    return errors + validate_rule(rule, path)


def validate_mutating_operations(match: Object, path: str) -> Errors:
    """Nothing can be changed of what is deleted."""
    return [
        not_supported(f"{path}.resourceRules.operations", operation, _MUTATING_OPERATIONS)
        for rule in match.get("resourceRules") or ()
        for operation in rule.get("operations") or ()
        if operation not in _MUTATING_OPERATIONS
    ]


def validate_match_conditions(
    conditions: Sequence[Object] | None, path: str, *, has_params: bool = False
) -> Errors:
    """All that is wrong with conditions; with `has_params` they may look at the parameters of a policy."""
    conditions = conditions or ()
    checker = ExpressionChecker(has_params=has_params)
    errors: Errors = []
    if len(conditions) > _MAX_CONDITIONS:
        errors.append(too_many(path, len(conditions), _MAX_CONDITIONS))
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        place, name = f"{path}[{index}]", condition.get("name") or ""
        expression = (condition.get("expression") or "").strip()
        if not expression:
            errors.append(required(f"{place}.expression"))
        else:
            errors += checker.errors(expression, f"{place}.expression", ("bool",))
        if not name:
            errors.append(required(f"{place}.name"))
            continue
        errors += [invalid(f"{place}.name", name, message) for message in is_qualified_name(name)]
        if name in seen:
            errors.append(duplicate(f"{place}.name", name))
        seen.add(name)
    return errors


def name_warnings(obj: Object, old: Object | None) -> list[str]:
    """A name that is kept for what is configured in files."""
    if not ((obj.get("metadata") or {}).get("name") or "").endswith(_STATIC_SUFFIX):
        return []
    kept = "are reserved for static manifest-based configurations and cannot be managed via the API"
    return [f'metadata.name: names ending with "{_STATIC_SUFFIX}" {kept}']
