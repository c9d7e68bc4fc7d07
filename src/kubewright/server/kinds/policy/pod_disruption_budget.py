"""The rules of PodDisruptionBudgets."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported
from kubewright.machinery.names import is_path_segment_name, is_path_segment_prefix
from kubewright.server.kinds.apps.int_or_percent import validate_at_most_100_percent, validate_int_or_percent
from kubewright.server.kinds.apps.workloads import selector_as_go, take_back, validate_counts
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource, same_spec_generation
from kubewright.server.kinds.metadata_rules import validate_conditions, validate_label_selector

__all__ = ["POD_DISRUPTION_BUDGET"]

_EMPTY_IN_V1BETA1: Final = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
"""A key by which upstream told empty selectors of policy/v1beta1 from those of v1; it is kept only alone."""

_MATCH_NONE: Final = [{"key": _EMPTY_IN_V1BETA1, "operator": "Exists"}]
_POLICIES: Final = ("AlwaysAllow", "IfHealthyBudget")
_NO_STATUS: Final = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
"""What Go always writes of the status."""


def _default(obj: Object) -> None:
    selector = (obj.get("spec") or {}).get("selector") or {}
    expressions = selector.get("matchExpressions")
    if not expressions or (expressions == _MATCH_NONE and not selector.get("matchLabels")):
        return
    kept = [expression for expression in expressions if expression.get("key") != _EMPTY_IN_V1BETA1]
    if kept:
        selector["matchExpressions"] = kept
    else:
        del selector["matchExpressions"]


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = dict(_NO_STATUS)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "status")


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj.get("spec") or {}, allow_invalid_values=False)


def _validate_update(obj: Object, old: Object) -> Errors:
    old_selector = (old.get("spec") or {}).get("selector")
    allow = bool(validate_label_selector(old_selector, ""))
    return _validate_spec(obj.get("spec") or {}, allow_invalid_values=allow)


def _validate_spec(spec: Object, *, allow_invalid_values: bool) -> Errors:
    errors: Errors = []
    available, unavailable = spec.get("minAvailable"), spec.get("maxUnavailable")
    if available is not None and unavailable is not None:
        detail = "minAvailable and maxUnavailable cannot be both set"
        errors.append(invalid("spec", _spec_as_go(spec), detail))
    for field, value in (("minAvailable", available), ("maxUnavailable", unavailable)):
        if value is not None:
            errors += validate_int_or_percent(value, f"spec.{field}")
            errors += validate_at_most_100_percent(value, f"spec.{field}")
    selector = spec.get("selector")
    errors += validate_label_selector(selector, "spec.selector", allow_invalid_values=allow_invalid_values)
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _POLICIES:
        errors.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, _POLICIES))
    return errors


def _spec_as_go(spec: Object) -> Object:
    return {
        "MinAvailable": spec.get("minAvailable"),
        "Selector": selector_as_go(spec.get("selector")),
        "MaxUnavailable": spec.get("maxUnavailable"),
        "UnhealthyPodEvictionPolicy": spec.get("unhealthyPodEvictionPolicy"),
    }


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors = validate_conditions(status.get("conditions"), "status.conditions")
    errors += validate_counts(status, tuple(_NO_STATUS))
    return errors


def _any_name(name: str, *, prefix: bool = False) -> list[str]:
    """Upstream has no rule for the name but that it can stand in a path."""
    return is_path_segment_prefix(name) if prefix else is_path_segment_name(name)


POD_DISRUPTION_BUDGET: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    generation=same_spec_generation,
    subresources={
        "status": Subresource(
            prepare=_prepare_status, validate=_validate_status, resets=("spec",), metadata_checks=0
        )
    },
    allow_unconditional_update=False,
    metadata_checks=0,
    name=_any_name,
    always={"spec": {}, "status": _NO_STATUS},
)
