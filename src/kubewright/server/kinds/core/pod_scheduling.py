"""The rules of where pods run: node selectors, affinity, tolerations and the spread over topologies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from kubewright.machinery.field_errors import (
    duplicate,
    forbidden,
    go_quote,
    invalid,
    required,
)
from kubewright.machinery.names import is_valid_label_value, name_is_dns_label, name_is_dns_subdomain
from kubewright.server.kinds.core.name_checks import check_qualified_name, unsupported
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_label_selector

__all__ = [
    "check_affinity",
    "check_match_label_keys",
    "check_node_selector",
    "check_tolerations",
    "check_topology_spread",
]

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_UNSATISFIABLE: Final = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION_POLICIES: Final = ("Honor", "Ignore")

_IS_DECIMAL: Final = re.compile("0|-?[1-9][0-9]*").fullmatch
_IS_NUMBER: Final = re.compile("[+-]?[0-9]+").fullmatch

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def check_affinity(errors: Errors, affinity: Object, path: str, options: PodOptions) -> None:
    """The affinity of a pod to nodes and to other pods."""
    node = affinity.get("nodeAffinity")
    if node:
        selector = node.get(_REQUIRED)
        if selector is not None:
            allow = options.allow_invalid_node_affinity_values
            place = f"{path}.nodeAffinity.{_REQUIRED}"
            check_node_selector(errors, selector, place, allow_invalid_values=allow)
        for index, term in enumerate(node.get(_PREFERRED) or ()):
            place = f"{path}.nodeAffinity.{_PREFERRED}[{index}]"
            _check_weight(errors, term, place)
            preference = term.get("preference") or {}
            _check_node_term(errors, preference, f"{place}.preference", allow_invalid_values=True)
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(kind)
        if pods:
            allow = options.allow_invalid_affinity_values
            _check_pod_affinity(errors, pods, f"{path}.{kind}", allow_invalid_values=allow)


def _check_weight(errors: Errors, term: Object, path: str) -> None:
    weight = term.get("weight") or 0
    if not 0 < weight <= 100:
        errors.append(invalid(f"{path}.weight", weight, "must be in the range 1-100"))


def check_node_selector(errors: Errors, selector: Object, path: str, *, allow_invalid_values: bool) -> None:
    """A selector of nodes, of which one term must match."""
    terms = selector.get("nodeSelectorTerms")
    if not terms:
        errors.append(required(f"{path}.nodeSelectorTerms", "must have at least one node selector term"))
        return
    for index, term in enumerate(terms):
        place = f"{path}.nodeSelectorTerms[{index}]"
        _check_node_term(errors, term, place, allow_invalid_values=allow_invalid_values)


def _check_node_term(errors: Errors, term: Object, path: str, *, allow_invalid_values: bool) -> None:
    for index, requirement in enumerate(term.get("matchExpressions") or ()):
        place = f"{path}.matchExpressions[{index}]"
        _check_node_requirement(errors, requirement, place, allow_invalid_values=allow_invalid_values)
    for index, requirement in enumerate(term.get("matchFields") or ()):
        _check_node_field(errors, requirement, f"{path}.matchFields[{index}]")


def _check_node_requirement(
    errors: Errors, requirement: Object, path: str, *, allow_invalid_values: bool
) -> None:
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    if operator in {"In", "NotIn"}:
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            errors.append(required(f"{path}.values", detail))
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{path}.values", detail))
    elif operator in {"Gt", "Lt"}:
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.append(required(f"{path}.values", detail))
    else:
        errors.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    check_qualified_name(errors, requirement.get("key") or "", f"{path}.key")
    if not allow_invalid_values:
        for index, value in enumerate(values):
            for message in is_valid_label_value(value):
                errors.append(invalid(f"{path}.values[{index}]", value, message))


def _check_node_field(errors: Errors, requirement: Object, path: str) -> None:
    operator, key = requirement.get("operator") or "", requirement.get("key") or ""
    values = requirement.get("values") or ()
    if operator not in {"In", "NotIn"}:
        errors.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(required(f"{path}.values", detail))
    if key != "metadata.name":
        errors.append(invalid(f"{path}.key", key, "not a valid field selector key"))
        return
    for index, value in enumerate(values):
        for message in name_is_dns_subdomain(value):
            errors.append(invalid(f"{path}.values[{index}]", value, message))


def _check_pod_affinity(errors: Errors, affinity: Object, path: str, *, allow_invalid_values: bool) -> None:
    for index, term in enumerate(affinity.get(_REQUIRED) or ()):
        place = f"{path}.{_REQUIRED}[{index}]"
        _check_pod_term(errors, term, place, allow_invalid_values=allow_invalid_values)
    for index, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        place = f"{path}.{_PREFERRED}[{index}]"
        _check_weight(errors, weighted, place)
        term = weighted.get("podAffinityTerm") or {}
        place = f"{place}.podAffinityTerm"
        _check_pod_term(errors, term, place, allow_invalid_values=allow_invalid_values)


def _check_pod_term(errors: Errors, term: Object, path: str, *, allow_invalid_values: bool) -> None:
    for kind in ("labelSelector", "namespaceSelector"):
        errors += validate_label_selector(
            term.get(kind), f"{path}.{kind}", allow_invalid_values=allow_invalid_values
        )
    for namespace in term.get("namespaces") or ():
        for message in name_is_dns_label(namespace):
            errors.append(invalid(f"{path}.namespace", namespace, message))
    check_match_label_keys(errors, term, path)
    key = term.get("topologyKey") or ""
    if not key:
        errors.append(required(f"{path}.topologyKey", "can not be empty"))
    check_qualified_name(errors, key, f"{path}.topologyKey")


def check_match_label_keys(errors: Errors, term: Object, path: str) -> None:
    """The labels of the pod itself that a selector takes over, or excludes."""
    keys, excluded = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    selector = term.get("labelSelector")
    _check_label_keys(errors, keys, selector, f"{path}.matchLabelKeys")
    _check_label_keys(errors, excluded, selector, f"{path}.mismatchLabelKeys")
    if selector and keys:
        # Each key may stand once in the selector: there the server itself puts it.
        positions = {key: index for index, key in enumerate(keys)}
        seen = set(selector.get("matchLabels") or ())
        for expression in selector.get("matchExpressions") or ():
            key = expression.get("key") or ""
            if key in positions and key in seen:
                detail = "exists in both matchLabelKeys and labelSelector"
                errors.append(invalid(f"{path}[{positions[key]}]", key, detail))
            seen.add(key)
    if excluded:
        both = set(excluded)
        for index, key in enumerate(keys):
            if key in both:
                detail = "exists in both matchLabelKeys and mismatchLabelKeys"
                errors.append(invalid(f"{path}.matchLabelKeys[{index}]", key, detail))


def _check_label_keys(errors: Errors, keys: Sequence[str], selector: Object | None, path: str) -> None:
    if not keys:
        return
    if selector is None:
        errors.append(forbidden(path, "must not be specified when labelSelector is not set"))
        return
    for index, key in enumerate(keys):
        check_qualified_name(errors, key, f"{path}[{index}]")


def _check_spread_label_keys(errors: Errors, constraint: Object, path: str) -> None:
    """The rule of old, for pods that are stored with what the new one forbids."""
    keys, selector = constraint.get("matchLabelKeys") or (), constraint.get("labelSelector")
    if not keys:
        return
    if selector is None:
        errors.append(forbidden(path, "must not be specified when labelSelector is not set"))
    selected = set((selector or {}).get("matchLabels") or ())
    selected.update(each.get("key") or "" for each in (selector or {}).get("matchExpressions") or ())
    for index, key in enumerate(keys):
        check_qualified_name(errors, key, f"{path}[{index}]")
        if key in selected:
            detail = "exists in both matchLabelKeys and labelSelector"
            errors.append(invalid(f"{path}[{index}]", key, detail))


def check_tolerations(errors: Errors, tolerations: Iterable[Object], path: str, options: PodOptions) -> None:
    """The taints that a pod tolerates."""
    for index, toleration in enumerate(tolerations):
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        effect, value = toleration.get("effect") or "", toleration.get("value") or ""
        if key:
            check_qualified_name(errors, key, f"{path}[{index}].key")
        elif operator != "Exists":
            detail = (
                'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            )
            errors.append(invalid(f"{path}[{index}].operator", operator, detail))
        if effect != "NoExecute" and toleration.get("tolerationSeconds") is not None:
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.append(invalid(f"{path}[{index}].effect", effect, detail))
        if operator != "Exists" or value:
            _check_toleration_value(errors, operator, value, f"{path}[{index}]", options)
        if effect and effect not in _EFFECTS:
            errors.append(unsupported(f"{path}[{index}].effect", effect, _EFFECTS))


def _check_toleration_value(
    errors: Errors, operator: str, value: str, path: str, options: PodOptions
) -> None:
    if operator in {"Equal", ""}:
        messages = is_valid_label_value(value)
        if messages:
            errors.append(invalid(f"{path}.operator", value, ";".join(messages)))
    elif operator == "Exists":
        detail = "value must be empty when `operator` is 'Exists'"
        errors.append(invalid(f"{path}.operator", value, detail))
    elif operator in {"Lt", "Gt"}:
        if not options.allow_comparison_operators:
            errors.append(unsupported(f"{path}.operator", operator, ("Equal", "Exists", "Lt", "Gt")))
        else:
            _check_number(errors, value, f"{path}.value")
    else:
        errors.append(unsupported(f"{path}.operator", operator, ("Equal", "Exists")))


def _check_number(errors: Errors, value: str, path: str) -> None:
    if not value:
        errors.append(invalid(path, value, "must be non-empty"))
    elif _IS_DECIMAL(value) is None:
        errors.append(invalid(path, value, "must be a valid decimal integer in canonical form"))
    if _IS_NUMBER(value) is None:
        reason = "invalid syntax"
    elif len(value) > 25 or not -(2**63) <= int(value) < 2**63:
        reason = "value out of range"
    else:
        return
    errors.append(invalid(path, value, f"strconv.ParseInt: parsing {go_quote(value)}: {reason}"))


def check_topology_spread(
    errors: Errors, constraints: Sequence[Object], path: str, options: PodOptions
) -> None:
    """How evenly the pods of a kind are spread; each topology may be spread over once in each way."""
    pairs = [(each.get("topologyKey") or "", each.get("whenUnsatisfiable") or "") for each in constraints]
    last = {pair: index for index, pair in enumerate(pairs)}
    for index, constraint in enumerate(constraints):
        place = f"{path}[{index}]"
        key, action = pairs[index]
        skew = constraint.get("maxSkew") or 0
        if skew <= 0:
            errors.append(invalid(f"{place}.maxSkew", skew, "must be greater than zero"))
        if not key:
            errors.append(required(f"{place}.topologyKey", "can not be empty"))
        if action not in _UNSATISFIABLE:
            errors.append(unsupported(f"{place}.whenUnsatisfiable", action, _UNSATISFIABLE))
        if last[key, action] > index:
            field = f"{place}.{{topologyKey, whenUnsatisfiable}}"
            errors.append(duplicate(field, f"{{{key}, {action}}}"))
        _check_spread_options(errors, constraint, action, place)
        if options.lenient_match_label_keys:
            _check_spread_label_keys(errors, constraint, f"{place}.matchLabelKeys")
        else:
            check_match_label_keys(errors, {**constraint, "mismatchLabelKeys": None}, place)
        if not options.allow_invalid_spread_selector:
            errors += validate_label_selector(constraint.get("labelSelector"), f"{place}.labelSelector")


def _check_spread_options(errors: Errors, constraint: Object, action: str, path: str) -> None:
    domains = constraint.get("minDomains")
    if domains is not None:
        if domains <= 0:
            errors.append(invalid(f"{path}.minDomains", domains, "must be greater than zero"))
        if action != "DoNotSchedule":
            detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
            errors.append(invalid(f"{path}.minDomains", domains, detail))
    for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        policy = constraint.get(field)
        if policy is not None and policy not in _INCLUSION_POLICIES:
            errors.append(unsupported(f"{path}.{field}", policy, _INCLUSION_POLICIES))
