"""The rules of StatefulSets."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported
from kubewright.machinery.names import is_dns1123_label, name_is_dns_label
from kubewright.server.kinds.apps.claim_templates import (
    claim_template_warnings,
    default_claim_template,
    validate_claim_template,
)
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
    validate_not_above,
    validate_required_selector,
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

__all__ = ["STATEFUL_SET"]

_MUTABLE: Final = frozenset(
    {
        "minReadySeconds",
        "ordinals",
        "persistentVolumeClaimRetentionPolicy",
        "replicas",
        "revisionHistoryLimit",
        "template",
        "updateStrategy",
    }
)
_ONLY_MUTABLE: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_RETENTIONS: Final = ("Retain", "Delete")
_HISTORY_WARNING: Final = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
    "a value >= 0 is recommended"
)


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    if strategy.get("rollingUpdate") is not None:
        # Upstream's internal form knows no missing partition, so it is there afterwards for any type.
        set_default(strategy["rollingUpdate"], "partition", 0)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    set_default(retention, "whenDeleted", "Retain")
    set_default(retention, "whenScaled", "Retain")
    set_default(spec, "replicas", 1)
    set_default(spec, "revisionHistoryLimit", 10)
    for claim in spec.get("volumeClaimTemplates") or ():
        default_claim_template(claim)
    default_pod_template(spec.setdefault("template", {}))


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"replicas": 0, "availableReplicas": 0}
    _drop_max_unavailable(obj["spec"], {})
    normalize_pod_template(obj["spec"]["template"], None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    old_spec = old.get("spec") or {}
    take_back(obj, old, "status")
    _drop_max_unavailable(obj["spec"], old_spec)
    normalize_pod_template(obj["spec"]["template"], old_spec.get("template") or {})


def _drop_max_unavailable(spec: Object, old_spec: Object) -> None:
    # MaxUnavailableStatefulSet is off unless asked for; an object that has the field keeps it.
    rolling = (spec.get("updateStrategy") or {}).get("rollingUpdate")
    if rolling is None or "maxUnavailable" not in rolling:
        return
    old_rolling = (old_spec.get("updateStrategy") or {}).get("rollingUpdate") or {}
    if old_rolling.get("maxUnavailable") is None:
        del rolling["maxUnavailable"]


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj["spec"], None)


def _validate_update(obj: Object, old: Object) -> Errors:
    spec, old_spec = obj["spec"], old.get("spec") or {}
    errors = _validate_spec(spec, old_spec)
    fixed = {field: value for field, value in spec.items() if field not in _MUTABLE}
    if not same_spec(fixed, {field: value for field, value in old_spec.items() if field not in _MUTABLE}):
        errors.append(forbidden("spec", _ONLY_MUTABLE))
    return errors


def _validate_spec(spec: Object, old_spec: Object | None) -> Errors:
    errors = _validate_policies(spec)
    if old_spec is None:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            errors += validate_claim_template(claim, f"spec.volumeClaimTemplates[{index}]")
    errors += validate_non_negative(spec.get("replicas") or 0, "spec.replicas")
    errors += validate_non_negative(spec.get("minReadySeconds") or 0, "spec.minReadySeconds")
    start = (spec.get("ordinals") or {}).get("start") or 0
    errors += validate_non_negative(start, "spec.ordinals.start")
    service = spec.get("serviceName")
    if service and old_spec is None:
        errors += [invalid("spec.serviceName", service, message) for message in is_dns1123_label(service)]
    selector = spec.get("selector")
    errors += validate_required_selector(selector, empty="statefulset")
    if validate_label_selector(selector, ""):
        errors.append(invalid("spec.selector", selector_as_go(selector)))
    else:
        errors += _validate_template(spec, old_spec)
    errors += validate_always_restarted(spec.get("template") or {}, kind="StatefulSet")
    return errors


def _validate_policies(spec: Object) -> Errors:
    errors: Errors = []
    management = spec.get("podManagementPolicy") or ""
    if management not in {"OrderedReady", "Parallel"}:
        detail = "must be 'OrderedReady' or 'Parallel'"
        errors.append(invalid("spec.podManagementPolicy", management, detail))
    errors += _validate_strategy(spec.get("updateStrategy") or {})
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for field in ("whenDeleted", "whenScaled"):
        policy = retention.get(field) or ""
        if policy not in _RETENTIONS:
            path = f"spec.persistentVolumeClaimRetentionPolicy.{field}"
            errors.append(not_supported(path, policy, _RETENTIONS))
    return errors


def _validate_strategy(strategy: Object) -> Errors:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        return [] if rolling is None else _validate_rolling_update(rolling)
    shown = None
    if rolling is not None:
        shown = {"Partition": rolling.get("partition") or 0, "MaxUnavailable": rolling.get("maxUnavailable")}
    if kind != "OnDelete":
        detail = "must be 'RollingUpdate' or 'OnDelete'"
        return [invalid("spec.updateStrategy", {"Type": kind, "RollingUpdate": shown}, detail)]
    if shown is None:
        return []
    detail = "only allowed for updateStrategy 'RollingUpdate'"
    return [invalid("spec.updateStrategy.rollingUpdate", shown, detail)]


def _validate_rolling_update(rolling: Object) -> Errors:
    path = "spec.updateStrategy.rollingUpdate"
    errors = validate_non_negative(rolling.get("partition") or 0, f"{path}.partition")
    unavailable = rolling.get("maxUnavailable")
    if unavailable is not None:
        errors += validate_int_or_percent(unavailable, f"{path}.maxUnavailable")
        if int_or_percent_value(unavailable) == 0:
            errors.append(invalid(f"{path}.maxUnavailable", unavailable, "cannot be 0"))
        errors += validate_at_most_100_percent(unavailable, f"{path}.maxUnavailable")
    return errors


def _validate_template(spec: Object, old_spec: Object | None) -> Errors:
    template, selector = spec.get("template") or {}, spec.get("selector")
    errors: Errors = []
    if selector is None or selector.get("matchLabels") or selector.get("matchExpressions"):
        errors += validate_template_matches(selector, template)
    old_template = None if old_spec is None else old_spec.get("template")
    wrong = validate_pod_template(_as_pods_have_it(spec), "spec.template", old_template)
    if not wrong:
        return errors
    # Labels and annotations are looked at once more, which upstream does even where the rest is let stand.
    repeated = [
        error
        for error in wrong
        if error.field.startswith(("spec.template.labels", "spec.template.annotations"))
    ]
    if old_spec is not None and _is_invalid(old_spec):
        return errors + repeated
    return errors + wrong + repeated


def _as_pods_have_it(spec: Object) -> Object:
    """The template with what the controller will write in pods: hostname, subdomain, the claims' volumes."""
    template: Object = spec.get("template") or {}
    pod, claims = template.get("spec") or {}, spec.get("volumeClaimTemplates")
    if not claims and not pod.get("subdomain") and not pod.get("hostname"):
        return template
    pod = {name: value for name, value in pod.items() if name not in {"subdomain", "hostname"}}
    if claims:
        names = dict.fromkeys((claim.get("metadata") or {}).get("name") or "" for claim in claims)
        volumes: list[Object] = [
            {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names
        ]
        volumes += [volume for volume in pod.get("volumes") or () if volume.get("name") not in names]
        pod["volumes"] = volumes
    return {**template, "spec": pod}


def _is_invalid(old_spec: Object) -> bool:
    """Whether what is stored breaks today's rules, so that its template is let stand."""
    selector, template = old_spec.get("selector"), old_spec.get("template") or {}
    if _validate_policies(old_spec) or validate_required_selector(selector, empty=""):
        return True
    if any((old_spec.get(field) or 0) < 0 for field in ("replicas", "minReadySeconds")):
        return True
    if ((old_spec.get("ordinals") or {}).get("start") or 0) < 0:
        return True
    return bool(
        validate_template_matches(selector, template)
        or validate_pod_template(_as_pods_have_it(old_spec), "", template)
        or validate_always_restarted(template, kind="")
    )


def _warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    warnings = template_warnings(spec) if old is None or is_new_generation(obj, old) else []
    # Upstream's paths: that of an update has one element more, in capitals.
    tail = "" if old is None else ".Spec"
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        warnings += claim_template_warnings(claim, f"spec.volumeClaimTemplates[{index}]{tail}")
    if (spec.get("revisionHistoryLimit") or 0) < 0:
        warnings.append(_HISTORY_WARNING)
    return warnings


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")


_COUNTS: Final = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
_PARTS: Final = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors = validate_counts(status, _COUNTS)
    errors += validate_not_above(status, _PARTS, "replicas", "cannot be greater than status.replicas")
    above = "cannot be greater than status.readyReplicas"
    errors += validate_not_above(status, ("availableReplicas",), "readyReplicas", above)
    errors += validate_collision_count(status, old.get("status") or {})
    return errors


STATEFUL_SET: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    name=name_is_dns_label,
    generation=is_new_generation,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec",))
    },
    always={
        "spec": {"serviceName": "", "template": {"metadata": {}, "spec": {}}, "updateStrategy": {}},
        "status": {"replicas": 0, "availableReplicas": 0},
    },
)
