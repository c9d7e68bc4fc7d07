"""The rules of Deployments."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported
from kubewright.machinery.label_selectors import parse_int64
from kubewright.server.kinds.apps.int_or_percent import (
    int_or_percent_value,
    validate_at_most_100_percent,
    validate_int_or_percent,
)
from kubewright.server.kinds.apps.workloads import (
    is_new_generation,
    name_warnings,
    set_default,
    take_back,
    template_warnings,
    validate_collision_count,
    validate_counts,
    validate_immutable_selector,
    validate_not_above,
    validate_selector_and_template,
)
from kubewright.server.kinds.core.pod_template import default_pod_template, normalize_pod_template
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import validate_non_negative

__all__ = ["DEPLOYMENT", "default_deployment"]

_ROLLBACK: Final = "deprecated.deployment.rollback.to"
"""The annotation that holds what `spec.rollbackTo` once said; upstream still reads it as if it were there."""


def default_deployment(obj: Object) -> None:
    """Fill in the defaults of apps/v1."""
    spec = obj.setdefault("spec", {})
    set_default(spec, "replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        set_default(rolling, "maxUnavailable", "25%")
        set_default(rolling, "maxSurge", "25%")
    set_default(spec, "revisionHistoryLimit", 10)
    set_default(spec, "progressDeadlineSeconds", 600)
    default_pod_template(spec.setdefault("template", {}))


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {}
    _normalize_rollback(obj)
    normalize_pod_template(obj["spec"]["template"], None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "status")
    _normalize_rollback(obj)
    normalize_pod_template(obj["spec"]["template"], (old.get("spec") or {}).get("template") or {})


def _normalize_rollback(obj: Object) -> None:
    metadata = obj.get("metadata") or {}
    annotations = metadata.get("annotations")
    if not annotations or _ROLLBACK not in annotations:
        return
    revision = _rollback_revision(obj)
    if revision is not None:
        annotations[_ROLLBACK] = str(revision)
    elif len(annotations) == 1:
        del metadata["annotations"]
    else:
        del annotations[_ROLLBACK]


def _rollback_revision(obj: Object) -> int | None:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    return parse_int64(annotations.get(_ROLLBACK) or "")


def _is_new_generation(obj: Object, old: Object) -> bool:
    # Annotations count because they are copied to the replica sets.
    if is_new_generation(obj, old):
        return True
    new_annotations = (obj.get("metadata") or {}).get("annotations") or {}
    old_annotations = (old.get("metadata") or {}).get("annotations") or {}
    return bool(new_annotations != old_annotations)


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj, None)


def _validate_update(obj: Object, old: Object) -> Errors:
    old_spec = old.get("spec") or {}
    errors = _validate_spec(obj, old_spec)
    errors += validate_immutable_selector(obj["spec"], old_spec)
    return errors


def _validate_spec(obj: Object, old_spec: Object | None) -> Errors:
    spec = obj["spec"]
    errors = validate_non_negative(spec.get("replicas") or 0, "spec.replicas")
    errors += validate_selector_and_template(spec, old_spec, empty="deployment", kind="ReplicaSet")
    errors += _validate_strategy(spec.get("strategy") or {})
    ready = spec.get("minReadySeconds") or 0
    errors += validate_non_negative(ready, "spec.minReadySeconds")
    limit = spec.get("revisionHistoryLimit")
    if limit is not None:
        errors += validate_non_negative(limit, "spec.revisionHistoryLimit")
    revision = _rollback_revision(obj)
    if revision is not None:
        errors += validate_non_negative(revision, "spec.rollback.version")
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None:
        errors += validate_non_negative(deadline, "spec.progressDeadlineSeconds")
        if deadline <= ready:
            detail = "must be greater than minReadySeconds"
            errors.append(invalid("spec.progressDeadlineSeconds", deadline, detail))
    return errors


def _validate_strategy(strategy: Object) -> Errors:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        return _validate_rolling_update(rolling or {})
    if kind != "Recreate":
        shown = {"Type": kind, "RollingUpdate": _rolling_update_as_go(rolling)}
        return [not_supported("spec.strategy", shown, ("Recreate", "RollingUpdate"))]
    if rolling is not None:
        detail = "may not be specified when strategy `type` is 'Recreate'"
        return [forbidden("spec.strategy.rollingUpdate", detail)]
    return []


def _rolling_update_as_go(rolling: Object | None) -> Object | None:
    if rolling is None:
        return None
    return {"MaxUnavailable": rolling.get("maxUnavailable", 0), "MaxSurge": rolling.get("maxSurge", 0)}


def _validate_rolling_update(rolling: Object) -> Errors:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    path = "spec.strategy.rollingUpdate.maxUnavailable"
    errors = validate_int_or_percent(unavailable, path)
    errors += validate_int_or_percent(surge, "spec.strategy.rollingUpdate.maxSurge")
    if int_or_percent_value(unavailable) == 0 and int_or_percent_value(surge) == 0:
        errors.append(invalid(path, unavailable, "may not be 0 when `maxSurge` is 0"))
    errors += validate_at_most_100_percent(unavailable, path)
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    if old is None:
        return name_warnings(obj) + template_warnings(spec)
    return template_warnings(spec) if _is_new_generation(obj, old) else []


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")
    take_back(obj.setdefault("metadata", {}), old.get("metadata") or {}, "labels")


_COUNTS: Final = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)
_PARTS: Final = ("updatedReplicas", "readyReplicas", "availableReplicas")


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors = validate_counts(status, _COUNTS)
    errors += validate_not_above(status, _PARTS, "replicas", "cannot be greater than status.replicas")
    above = "cannot be greater than readyReplicas"
    errors += validate_not_above(status, ("availableReplicas",), "readyReplicas", above)
    errors += validate_collision_count(status, old.get("status") or {})
    return errors


DEPLOYMENT: Final = Kind(
    default=default_deployment,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=_is_new_generation,
    subresources={
        "status": Subresource(
            prepare=_prepare_status, validate=_validate_status, resets=("spec", "metadata.labels")
        )
    },
    always={"spec": {"strategy": {}, "template": {"metadata": {}, "spec": {}}}, "status": {}},
)
