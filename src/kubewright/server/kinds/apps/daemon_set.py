"""The rules of DaemonSets."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.machinery.label_selectors import parse_int64
from kubewright.server.kinds.apps.int_or_percent import (
    int_or_percent_value,
    validate_at_most_100_percent,
    validate_int_or_percent,
)
from kubewright.server.kinds.apps.workloads import (
    is_new_generation,
    selector_as_go,
    set_default,
    take_back,
    template_warnings,
    validate_always_restarted,
    validate_collision_count,
    validate_counts,
    validate_immutable_selector,
    validate_template_matches,
)
from kubewright.server.kinds.core.pod_template import (
    default_pod_template,
    normalize_pod_template,
    same_spec,
    validate_pod_template,
)
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import validate_label_selector, validate_non_negative

__all__ = ["DAEMON_SET"]

_TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
"""The annotation that counts the changes of the template; the server alone writes it."""

_NO_STATUS: Final = {
    "currentNumberScheduled": 0,
    "numberMisscheduled": 0,
    "desiredNumberScheduled": 0,
    "numberReady": 0,
}
"""What Go always writes of the status."""


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    rolling = strategy.get("rollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        set_default(rolling, "maxUnavailable", 1)
    if rolling is not None:
        # Upstream's internal form knows no missing number here, so it is there afterwards for OnDelete too.
        set_default(rolling, "maxUnavailable", 0)
        set_default(rolling, "maxSurge", 0)
    set_default(spec, "revisionHistoryLimit", 10)
    default_pod_template(spec.setdefault("template", {}))


def _template_generation(obj: Object) -> int:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    return parse_int64(annotations.get(_TEMPLATE_GENERATION) or "") or 0


def _set_template_generation(obj: Object, generation: int) -> None:
    metadata = obj.setdefault("metadata", {})
    metadata["annotations"] = {**(metadata.get("annotations") or {}), _TEMPLATE_GENERATION: str(generation)}


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = dict(_NO_STATUS)
    _set_template_generation(obj, max(_template_generation(obj), 1))
    normalize_pod_template(obj["spec"]["template"], None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    old_template = (old.get("spec") or {}).get("template") or {}
    normalize_pod_template(obj["spec"]["template"], old_template)
    take_back(obj, old, "status")
    changed = not _same_template(obj["spec"], old.get("spec") or {})
    _set_template_generation(obj, _template_generation(old) + changed)


def _same_template(spec: Object, old_spec: Object) -> bool:
    return same_spec(spec.get("template") or {}, old_spec.get("template") or {})


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")
    _set_template_generation(obj, _template_generation(old))


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj, None)


def _validate_update(obj: Object, old: Object) -> Errors:
    # The generation of the template cannot be wrong here: `_prepare_update` has just set it.
    old_spec = old.get("spec") or {}
    errors = validate_immutable_selector(obj["spec"], old_spec)
    errors += _validate_spec(obj, old_spec)
    return errors


def _validate_spec(obj: Object, old_spec: Object | None) -> Errors:
    spec = obj["spec"]
    selector, template = spec.get("selector"), spec.get("template") or {}
    wrong = validate_label_selector(selector, "spec.selector")
    errors = wrong
    if wrong and old_spec is not None and validate_label_selector(old_spec.get("selector"), ""):
        errors = validate_label_selector(selector, "spec.selector", allow_invalid_values=True)
    if not wrong:
        errors += validate_template_matches(selector, template)
    if selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions"):
        detail = "empty selector is invalid for daemonset"
        errors.append(invalid("spec.selector", selector_as_go(selector), detail))
    errors += validate_pod_template(template, "spec.template", (old_spec or {}).get("template"))
    errors += validate_always_restarted(template, kind="DaemonSet")
    errors += validate_non_negative(spec.get("minReadySeconds") or 0, "spec.minReadySeconds")
    errors += _validate_strategy(spec.get("updateStrategy") or {})
    limit = spec.get("revisionHistoryLimit")
    if limit is not None:
        errors += validate_non_negative(limit, "spec.revisionHistoryLimit")
    return errors


def _validate_strategy(strategy: Object) -> Errors:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        return _validate_rolling_update(rolling or {})
    if kind == "OnDelete":
        return []
    shown_update = None
    if rolling is not None:
        shown_update = {
            "MaxUnavailable": rolling.get("maxUnavailable", 0),
            "MaxSurge": rolling.get("maxSurge", 0),
        }
    shown = {"Type": kind, "RollingUpdate": shown_update}
    return [not_supported("spec.updateStrategy", shown, ("RollingUpdate", "OnDelete"))]


def _validate_rolling_update(rolling: Object) -> Errors:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    unavailable_path = "spec.updateStrategy.rollingUpdate.maxUnavailable"
    surge_path = "spec.updateStrategy.rollingUpdate.maxSurge"
    errors = validate_int_or_percent(unavailable, unavailable_path)
    errors += validate_int_or_percent(surge, surge_path)
    errors += validate_at_most_100_percent(unavailable, unavailable_path)
    errors += validate_at_most_100_percent(surge, surge_path)
    has_unavailable = int_or_percent_value(unavailable) != 0
    has_surge = int_or_percent_value(surge) != 0
    if has_unavailable and has_surge:
        errors.append(invalid(surge_path, surge, "may not be set when maxUnavailable is non-zero"))
    elif not has_unavailable and not has_surge:
        errors.append(required(unavailable_path, "cannot be 0 when maxSurge is 0"))
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    if old is not None and _same_template(spec, old.get("spec") or {}):
        return []
    return template_warnings(spec)


_COUNTS: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors = validate_counts(status, _COUNTS)
    errors += validate_collision_count(status, old.get("status") or {})
    return errors


DAEMON_SET: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=is_new_generation,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec",))
    },
    always={"spec": {"template": {"metadata": {}, "spec": {}}, "updateStrategy": {}}, "status": _NO_STATUS},
)
