"""The rules of Jobs: defaults, the selector that the server makes, and what may change when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.machinery.field_errors import invalid, required
from kubewright.machinery.names import is_dns1123_label
from kubewright.server.kinds.apps.workloads import (
    is_new_generation,
    labels_of,
    name_warnings,
    selector_as_go,
    selector_matches,
    set_default,
    take_back,
    validate_immutable_selector,
    validate_template_matches,
)
from kubewright.server.kinds.batch.job_spec import (
    failure_policy_as_go,
    job_spec_warnings,
    success_policy_as_go,
    validate_job_spec,
)
from kubewright.server.kinds.batch.job_status import validate_job_status
from kubewright.server.kinds.batch.job_template import validate_job_template_update
from kubewright.server.kinds.core.pod_template import default_pod_template, normalize_pod_template
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import (
    FIELD_IMMUTABLE,
    validate_immutable,
    validate_label_selector,
)

__all__ = ["JOB", "default_failure_policy"]

_NAME: Final = "batch.kubernetes.io/job-name"
_UID: Final = "batch.kubernetes.io/controller-uid"
_LEGACY_NAME: Final = "job-name"
_LEGACY_UID: Final = "controller-uid"
_UNLIMITED: Final = 2**31 - 1
"""The limit of retries of a job that has one for each index: none, as Go's MaxInt32 says it."""


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    if spec.get("parallelism") is None:
        set_default(spec, "completions", 1)
        spec["parallelism"] = 1
    per_index = spec.get("backoffLimitPerIndex") is not None
    set_default(spec, "backoffLimit", _UNLIMITED if per_index else 6)
    template = spec.setdefault("template", {})
    metadata, labels = obj.setdefault("metadata", {}), labels_of(template)
    if labels is not None and not metadata.get("labels"):
        # The same map, as upstream has it: what `_generate_selector` adds to the one is in the other.
        metadata["labels"] = labels
    set_default(spec, "completionMode", "NonIndexed")
    set_default(spec, "suspend", False)
    failures = spec.get("podFailurePolicy")
    set_default(spec, "podReplacementPolicy", "TerminatingOrFailed" if failures is None else "Failed")
    set_default(spec, "manualSelector", False)
    default_failure_policy(failures)
    default_pod_template(template)


def default_failure_policy(policy: Object | None) -> None:
    """Fill in the defaults of a pod failure policy."""
    for rule in (policy or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"


def _prepare_create(obj: Object, context: Context) -> None:
    spec = obj["spec"]
    if not spec.get("manualSelector"):
        _generate_selector(obj)
    metadata = obj["metadata"]
    # Upstream reads back what it has stored, which gives a Job without labels those of its pods.
    labels = metadata.get("labels") or labels_of(spec["template"])
    if labels:
        metadata["labels"] = dict(labels)
    obj["status"] = {}
    normalize_pod_template(spec["template"], None)


def _generate_selector(obj: Object) -> None:
    """Labels and a selector by which no other controller's pods are picked. What the caller has set stays."""
    spec, metadata = obj["spec"], obj["metadata"]
    name, uid = metadata.get("name") or "", metadata.get("uid") or ""
    labels = spec["template"].setdefault("metadata", {}).setdefault("labels", {})
    labels.setdefault(_LEGACY_NAME, name)
    labels.setdefault(_NAME, name)
    labels.setdefault(_LEGACY_UID, uid)
    labels.setdefault(_UID, uid)
    spec.setdefault("selector", {}).setdefault("matchLabels", {}).setdefault(_UID, uid)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "status")
    _part_labels(obj)
    normalize_pod_template(obj["spec"]["template"], (old.get("spec") or {}).get("template") or {})


def _validate(obj: Object) -> Errors:
    errors = _validate_generated_selector(obj, None)
    errors += _validate_spec(obj["spec"], None)
    errors += _validate_hostnames(obj)
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    spec, old_spec = obj["spec"], old.get("spec") or {}
    wrong = _validate_spec(spec, old_spec)
    # Upstream looks at the spec twice, and tells twice what it finds.
    errors = _validate_generated_selector(obj, old) + wrong + _validate_hostnames(obj) + wrong
    errors += _validate_completions(spec, old_spec)
    errors += validate_immutable_selector(spec, old_spec)
    errors += validate_job_template_update(obj, old)
    errors += _unchanged(spec, old_spec, "completionMode")
    if spec.get("podFailurePolicy") != old_spec.get("podFailurePolicy"):
        shown = failure_policy_as_go(spec.get("podFailurePolicy"))
        errors.append(invalid("spec.podFailurePolicy", shown, FIELD_IMMUTABLE))
    errors += _unchanged(spec, old_spec, "backoffLimitPerIndex")
    errors += _unchanged(spec, old_spec, "managedBy")
    if spec.get("successPolicy") != old_spec.get("successPolicy"):
        shown = success_policy_as_go(spec.get("successPolicy"))
        errors.append(invalid("spec.successPolicy", shown, FIELD_IMMUTABLE))
    return errors


def _unchanged(spec: Object, old_spec: Object, field: str) -> Errors:
    return validate_immutable(spec.get(field), old_spec.get(field), f"spec.{field}")


def _validate_hostnames(obj: Object) -> Errors:
    """The pods of an Indexed Job are called after it and their index."""
    spec = obj["spec"]
    completions = spec.get("completions") or 0
    if spec.get("completionMode") != "Indexed" or completions <= 0:
        return []
    name = obj["metadata"].get("name") or ""
    longest = f"{name}-{completions - 1}"
    if not is_dns1123_label(longest):
        return []
    detail = f"will not able to create pod with invalid DNS label: {longest}"
    return [invalid("metadata.name", name, detail)]


def _validate_generated_selector(obj: Object, old: Object | None) -> Errors:
    spec, metadata = obj["spec"], obj["metadata"]
    selector = spec.get("selector")
    if spec.get("manualSelector") or selector is None:
        return []
    errors: Errors = []
    name, uid = metadata.get("name") or "", metadata.get("uid") or ""
    if not uid:
        errors.append(required("metadata.uid"))
    expected = {_LEGACY_UID: uid, _LEGACY_NAME: name}
    if old is None or _has_prefixed_labels(old):
        expected |= {_UID: uid, _NAME: name}
    labels = labels_of(spec.get("template") or {}) or {}
    for key, value in expected.items():
        path = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            errors.append(required(path, f"must be '{value}'"))
        elif labels[key] != value:
            errors.append(invalid(path, dict(sorted(labels.items())), f"must be '{value}'"))
    if not validate_label_selector(selector, "") and not selector_matches(selector, expected):
        errors.append(invalid("spec.selector", selector_as_go(selector), "`selector` not auto-generated"))
    return errors


def _has_prefixed_labels(old: Object) -> bool:
    labels = labels_of((old.get("spec") or {}).get("template") or {}) or {}
    return _NAME in labels and _UID in labels


def _validate_spec(spec: Object, old_spec: Object | None) -> Errors:
    old_template = None if old_spec is None else old_spec.get("template")
    errors = validate_job_spec(spec, "spec", old_template)
    selector = spec.get("selector")
    if selector is None:
        errors.append(required("spec.selector"))
    wrong = validate_label_selector(selector, "spec.selector")
    if not wrong:
        errors += validate_template_matches(selector, spec.get("template") or {})
    elif old_spec is not None and validate_label_selector(old_spec.get("selector"), ""):
        errors += validate_label_selector(selector, "spec.selector", allow_invalid_values=True)
    else:
        errors += wrong
    return errors


def _validate_completions(spec: Object, old_spec: Object) -> Errors:
    completions = spec.get("completions")
    if spec.get("completionMode") != "Indexed":
        return _unchanged(spec, old_spec, "completions")
    if completions is None or completions in (old_spec.get("completions"), spec.get("parallelism")):
        return []
    detail = "can only be modified in tandem with spec.parallelism"
    return [invalid("spec.completions", completions, detail)]


def _warnings(obj: Object, old: Object | None) -> list[str]:
    spec = obj.get("spec") or {}
    if old is None:
        return name_warnings(obj) + job_spec_warnings(spec, "spec")
    return job_spec_warnings(spec, "spec") if is_new_generation(obj, old) else []


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    _part_labels(obj)
    take_back(obj, old, "spec")


def _part_labels(obj: Object) -> None:
    """End that `_default` gave a Job the very labels of its pods: who changes these now means only these."""
    labels = labels_of((obj.get("spec") or {}).get("template") or {})
    if labels is not None and labels is obj["metadata"].get("labels"):
        obj["metadata"]["labels"] = dict(labels)


def _fields(obj: Object) -> Mapping[str, str]:
    return {"status.successful": str((obj.get("status") or {}).get("succeeded") or 0)}


JOB: Final = Kind(
    metadata_checks=2,
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=is_new_generation,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=validate_job_status, resets=("spec",))
    },
    fields=_fields,
    always={"spec": {"template": {"metadata": {}, "spec": {}}}, "status": {}},
)
