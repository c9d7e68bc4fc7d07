"""What may change of the pod template of a Job: nothing, unless the job is suspended and runs no pods."""

from __future__ import annotations

import json
from typing import Final

from kubewright.machinery.field_errors import FieldError
from kubewright.server.kinds.batch.job_status import is_condition_true
from kubewright.server.kinds.core.pod_internal import internal_form, invalid_internal
from kubewright.server.kinds.core.pod_template import same_spec
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE

__all__ = ["validate_job_template_update"]

_DIRECTIVES: Final = ("nodeSelector", "tolerations", "schedulingGates")
"""The fields of a pod spec that say where it may run, besides its node affinity."""

_METADATA: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
"""The fields of ObjectMeta in Go's order."""


def validate_job_template_update(obj: Object, old: Object) -> Errors:
    """All that may not change in the template from `old` to `obj`, both whole Jobs."""
    template = obj["spec"].get("template") or {}
    old_template = (old.get("spec") or {}).get("template") or {}
    if same_spec(template, old_template):
        return []
    if not _may_change(old):
        return [_immutable_template(template)]
    spec, old_spec = template.get("spec") or {}, old_template.get("spec") or {}
    if same_spec(spec, _with_changeable(old_spec, spec)):
        return []
    return [invalid_internal("spec.template.spec", "PodSpec", spec, FIELD_IMMUTABLE)]


def _may_change(job: Object) -> bool:
    status = job.get("status") or {}
    if not (job.get("spec") or {}).get("suspend") or status.get("active"):
        return False
    return status.get("startTime") is None or is_condition_true(status, "Suspended")


def _with_changeable(old_spec: Object, spec: Object) -> Object:
    """The old pod spec with what may change as the new one has it: scheduling and containers' resources."""
    merged = dict(old_spec)
    for field in _DIRECTIVES:
        _take(merged, spec, field)
    affinity = _with_node_affinity(old_spec.get("affinity"), spec.get("affinity"))
    if affinity is None:
        merged.pop("affinity", None)
    else:
        merged["affinity"] = affinity
    for field in ("containers", "initContainers"):
        old, new = old_spec.get(field) or [], spec.get(field) or []
        if len(old) == len(new) > 0:
            merged[field] = list(map(_with_resources, old, new))
    return merged


def _with_node_affinity(old: Object | None, new: Object | None) -> Object | None:
    if old is None and new is None:
        return None
    merged = dict(old or {})
    _take(merged, new or {}, "nodeAffinity")
    # An affinity that said nothing but where nodes are concerned may go as a whole.
    return None if new is None and not merged else merged


def _with_resources(old: Object, new: Object) -> Object:
    if old.get("name") != new.get("name"):
        return old
    merged = dict(old)
    _take(merged, new, "resources")
    return merged


def _take(merged: Object, new: Object, field: str) -> None:
    if field in new:
        merged[field] = new[field]
    else:
        merged.pop(field, None)


def _immutable_template(template: Object) -> FieldError:
    metadata = template.get("metadata") or {}
    shown = {name: _sorted(metadata[name]) for name in _METADATA if metadata.get(name)}
    shown["Spec"] = internal_form("PodSpec", template.get("spec") or {})
    text = json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
    # Go's encoder escapes these, so that its JSON may stand in HTML.
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return FieldError("FieldValueInvalid", "spec.template", f"Invalid value: {text}: {FIELD_IMMUTABLE}")


def _sorted(value: object) -> object:
    return dict(sorted(value.items())) if isinstance(value, dict) else value
