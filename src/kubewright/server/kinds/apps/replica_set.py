"""The rules of ReplicaSets."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.apps.workloads import (
    is_new_generation,
    name_warnings,
    set_default,
    take_back,
    template_warnings,
    validate_counts,
    validate_immutable_selector,
    validate_not_above,
    validate_selector_and_template,
)
from kubewright.server.kinds.core.pod_template import default_pod_template, normalize_pod_template
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import validate_non_negative

__all__ = ["REPLICA_SET"]


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    set_default(spec, "replicas", 1)
    default_pod_template(spec.setdefault("template", {}))


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"replicas": 0}
    normalize_pod_template(obj["spec"]["template"], None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "status")
    normalize_pod_template(obj["spec"]["template"], (old.get("spec") or {}).get("template") or {})


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj["spec"], None)


def _validate_update(obj: Object, old: Object) -> Errors:
    spec, old_spec = obj["spec"], old.get("spec") or {}
    errors = _validate_spec(spec, old_spec)
    errors += validate_immutable_selector(spec, old_spec)
    return errors


def _validate_spec(spec: Object, old_spec: Object | None) -> Errors:
    errors = validate_non_negative(spec.get("replicas") or 0, "spec.replicas")
    errors += validate_non_negative(spec.get("minReadySeconds") or 0, "spec.minReadySeconds")
    # The message about empty selectors names deployments for replica sets too.
    errors += validate_selector_and_template(spec, old_spec, empty="deployment", kind="ReplicaSet")
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    if old is None:
        return name_warnings(obj) + template_warnings(spec)
    return template_warnings(spec) if is_new_generation(obj, old) else []


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")


_COUNTS: Final = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
)
_PARTS: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors = validate_counts(status, _COUNTS)
    errors += validate_not_above(status, _PARTS, "replicas", "cannot be greater than status.replicas")
    above = "cannot be greater than readyReplicas"
    errors += validate_not_above(status, ("availableReplicas",), "readyReplicas", above)
    return errors


REPLICA_SET: Final = Kind(
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
    always={"spec": {"template": {"metadata": {}, "spec": {}}}, "status": {"replicas": 0}},
)
