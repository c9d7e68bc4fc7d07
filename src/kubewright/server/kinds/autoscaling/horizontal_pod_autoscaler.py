"""The rules of HorizontalPodAutoscalers, in the form of autoscaling/v2."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.server.kinds.apps.workloads import set_default, take_back, validate_counts
from kubewright.server.kinds.autoscaling.metrics import (
    api_version_error,
    sign_of,
    validate_metrics,
    validate_object_reference,
)
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import IS_NEGATIVE

__all__ = ["DEFAULT_CPU_UTILIZATION", "HORIZONTAL_POD_AUTOSCALER", "default_metrics"]

DEFAULT_CPU_UTILIZATION: Final = 80
"""The percentage that an autoscaler without metrics aims at; upstream's DefaultCPUUtilization."""

_PERIOD: Final = 15
_MAX_PERIOD: Final = 1800
"""Upstream's MaxPeriodSeconds."""

_MAX_WINDOW: Final = 3600
"""Upstream's MaxStabilizationWindowSeconds."""

_SELECT_POLICIES: Final = ("Disabled", "Max", "Min")
_POLICY_TYPES: Final = ("Percent", "Pods")


def default_metrics(utilization: int = DEFAULT_CPU_UTILIZATION) -> list[Object]:
    """The metrics of an autoscaler that looks at nothing but the use of CPU."""
    target = {"type": "Utilization", "averageUtilization": utilization}
    return [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    set_default(spec, "minReplicas", 1)
    if not spec.get("metrics"):
        spec["metrics"] = default_metrics()
    behavior = spec.get("behavior")
    if behavior is None:
        return
    up = behavior.setdefault("scaleUp", {})
    set_default(up, "stabilizationWindowSeconds", 0)
    set_default(up, "selectPolicy", "Max")
    pods = {"type": "Pods", "value": 4, "periodSeconds": _PERIOD}
    set_default(up, "policies", [pods, {"type": "Percent", "value": 100, "periodSeconds": _PERIOD}])
    down = behavior.setdefault("scaleDown", {})
    set_default(down, "selectPolicy", "Max")
    set_default(down, "policies", [{"type": "Percent", "value": 100, "periodSeconds": _PERIOD}])


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"desiredReplicas": 0, "currentMetrics": None}


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "status")


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj["spec"], None)


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate_spec(obj["spec"], old.get("spec") or {})


def _validate_spec(spec: Object, old_spec: Object | None) -> Errors:
    errors = _validate_replicas(spec, old_spec)
    target = spec.get("scaleTargetRef") or {}
    old_target = (old_spec or {}).get("scaleTargetRef") or {}
    unchanged = old_spec is not None and all(
        (target.get(field) or "") == (old_target.get(field) or "") for field in ("apiVersion", "kind")
    )
    errors += validate_object_reference(
        target,
        "spec.scaleTargetRef",
        any_version=unchanged,
        # Nothing else of the core group can be scaled.
        core_group=target.get("kind") == "ReplicationController",
    )
    any_version = old_spec is not None and _has_invalid_object_metric(old_spec)
    errors += validate_metrics(spec, any_version=any_version)
    behavior = spec.get("behavior") or {}
    for field in ("scaleUp", "scaleDown"):
        rules = behavior.get(field)
        if rules is not None:
            errors += _validate_scaling_rules(rules, f"spec.behavior.{field}")
    return errors


def _validate_replicas(spec: Object, old_spec: Object | None) -> Errors:
    errors: Errors = []
    # Scaling to zero is behind a gate that is off by default; what has it already may keep it.
    lowest = 0 if (old_spec or {}).get("minReplicas") == 0 else 1
    fewest, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if fewest is not None and fewest < lowest:
        errors.append(invalid("spec.minReplicas", fewest, f"must be greater than or equal to {lowest}"))
    if most == 0:
        errors.append(required("spec.maxReplicas", "must be set and greater than 0"))
    elif most < 0:
        errors.append(invalid("spec.maxReplicas", most, "must be greater than or equal to 1"))
    if fewest is not None and most < fewest:
        errors.append(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
    return errors


def _has_invalid_object_metric(spec: Object) -> bool:
    for metric in spec.get("metrics") or ():
        source = metric.get("object")
        if metric.get("type") == "Object" and source is not None:
            version = (source.get("describedObject") or {}).get("apiVersion") or ""
            if api_version_error(version, core_group=True):
                return True
    return False


def _validate_scaling_rules(rules: Object, path: str) -> Errors:
    errors: Errors = []
    window = rules.get("stabilizationWindowSeconds") or 0
    if window < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid(f"{path}.stabilizationWindowSeconds", window, detail))
    if window > _MAX_WINDOW:
        detail = f"must be less than or equal to {_MAX_WINDOW}"
        errors.append(invalid(f"{path}.stabilizationWindowSeconds", window, detail))
    select = rules.get("selectPolicy")
    if select is not None and select not in _SELECT_POLICIES:
        errors.append(not_supported(f"{path}.selectPolicy", select, _SELECT_POLICIES))
    policies = rules.get("policies")
    if not policies:
        errors.append(required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(policies or ()):
        errors += _validate_policy(policy, f"{path}.policies[{index}]")
    tolerance = rules.get("tolerance")
    if tolerance is not None and sign_of(tolerance) < 0:
        errors.append(invalid(f"{path}.tolerance", tolerance, IS_NEGATIVE))
    return errors


def _validate_policy(policy: Object, path: str) -> Errors:
    errors: Errors = []
    kind, value, period = policy.get("type") or "", policy.get("value") or 0, policy.get("periodSeconds") or 0
    if kind not in _POLICY_TYPES:
        errors.append(not_supported(f"{path}.type", kind, _POLICY_TYPES))
    if value <= 0:
        errors.append(invalid(f"{path}.value", value, "must be greater than zero"))
    if period <= 0:
        errors.append(invalid(f"{path}.periodSeconds", period, "must be greater than zero"))
    if period > _MAX_PERIOD:
        errors.append(
            invalid(f"{path}.periodSeconds", period, f"must be less than or equal to {_MAX_PERIOD}")
        )
    return errors


def _validate_status(obj: Object, old: Object) -> Errors:
    return validate_counts(obj.get("status") or {}, ("currentReplicas", "desiredReplicas"))


HORIZONTAL_POD_AUTOSCALER: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec",))
    },
    always={
        "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
        "status": {"desiredReplicas": 0, "currentMetrics": None},
    },
)
