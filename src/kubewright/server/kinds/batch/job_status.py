"""The rules of a Job's status: which conditions go together, and which numbers may go down.

A status may be written by a controller other than upstream's (`spec.managedBy`), so that clients of Jobs rely
on these rules. Most look only at what the update changes: what was wrong before may stay while other things
are written.
"""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import OMIT_VALUE, FieldError, duplicate, invalid, required
from kubewright.server.kinds.apps.workloads import validate_counts
from kubewright.server.kinds.batch.index_intervals import IntervalError, count_indexes, overlap_error
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE

__all__ = ["is_condition_true", "validate_job_status"]

_CONDITIONS: Final = "status.conditions"


def is_condition_true(status: Object, kind: str) -> bool:
    """Whether the status has a condition of this type that is true."""
    return _has_condition(status, kind, "True")


def _has_condition(status: Object, kind: str, value: str) -> bool:
    for condition in status.get("conditions") or ():
        if condition.get("type") == kind and condition.get("status") == value:
            return True
    return False


def validate_job_status(obj: Object, old: Object) -> Errors:
    """All that is wrong with an update of the status from `old` to `obj`, both whole Jobs."""
    spec, status, old_status = obj.get("spec") or {}, obj.get("status") or {}, old.get("status") or {}
    errors = validate_counts(status, ("active", "succeeded", "failed", "ready", "terminating"))
    errors += _validate_uncounted(status.get("uncountedTerminatedPods"))
    errors += _validate_completion(status, old_status)
    errors += _validate_finished(spec, status, old_status)
    errors += _validate_indexes(spec, status, old_status)
    errors += _validate_counters(status, old_status)
    errors += _validate_success_criteria(spec, status)
    errors += _validate_transition(spec, status, old_status)
    return errors


def _validate_uncounted(pods: Object | None) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for field in ("succeeded", "failed"):
        for index, uid in enumerate((pods or {}).get(field) or ()):
            path = f"status.uncountedTerminatedPods.{field}[{index}]"
            if not uid:
                errors.append(invalid(path, uid, "must not be empty"))
            elif uid in seen:
                errors.append(duplicate(path, uid))
            seen.add(uid)
    return errors


def _changed(status: Object, old_status: Object, *fields: str) -> bool:
    return any(status.get(field) != old_status.get(field) for field in fields)


def _condition_changed(status: Object, old_status: Object, kind: str) -> bool:
    return is_condition_true(status, kind) != is_condition_true(old_status, kind)


def _validate_completion(status: Object, old_status: Object) -> Errors:
    errors: Errors = []
    complete, failed = is_condition_true(status, "Complete"), is_condition_true(status, "Failed")
    complete_changed = _condition_changed(status, old_status, "Complete")
    failed_changed = _condition_changed(status, old_status, "Failed")
    target = is_condition_true(status, "FailureTarget")
    if complete and failed and (complete_changed or failed_changed):
        errors.append(_conditions("cannot set Complete=True and Failed=true conditions"))
    if complete and target and (complete_changed or _condition_changed(status, old_status, "FailureTarget")):
        errors.append(_conditions("cannot set Complete=True and FailureTarget=true conditions"))
    start, completion = status.get("startTime"), status.get("completionTime")
    if complete_changed or _changed(status, old_status, "completionTime"):
        if completion is not None and not complete:
            detail = "cannot set completionTime when there is no Complete=True condition"
            errors.append(invalid("status.completionTime", completion, detail))
        if completion is None and complete:
            errors.append(required("status.completionTime", "completionTime is required for Complete jobs"))
    # Times are texts of one form here, so the earlier is the smaller.
    time_changed = _changed(status, old_status, "startTime", "completionTime")
    if time_changed and start is not None and completion is not None and completion < start:
        errors.append(invalid("status.completionTime", completion, "must be equal to or after `startTime`"))
    if failed and not target and (failed_changed or _changed(status, old_status, "failedIndexes")):
        errors.append(
            _conditions("cannot set Failed=True condition without the FailureTarget=true condition")
        )
    criteria_changed = _condition_changed(status, old_status, "SuccessCriteriaMet")
    if complete and (complete_changed or criteria_changed) and not _criteria_met(status):
        detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        errors.append(_conditions(detail))
    return errors


def _conditions(detail: str) -> FieldError:
    return invalid(_CONDITIONS, OMIT_VALUE, detail)


def _criteria_met(status: Object) -> bool:
    return is_condition_true(status, "SuccessCriteriaMet")


def _is_finished(status: Object) -> bool:
    return is_condition_true(status, "Complete") or is_condition_true(status, "Failed")


def _validate_finished(spec: Object, status: Object, old_status: Object) -> Errors:
    if not _is_finished(status):
        return []
    errors: Errors = []
    newly = not _is_finished(old_status)
    active = status.get("active") or 0
    if active > 0 and (newly or active != (old_status.get("active") or 0)):
        errors.append(invalid("status.active", active, "active>0 is invalid for finished job"))
    never_ran = spec.get("suspend") is True and spec.get("completions") == 0
    if (
        status.get("startTime") is None
        and (newly or _changed(status, old_status, "startTime"))
        and not never_ran
    ):
        errors.append(required("status.startTime", "startTime is required for finished job"))
    pods = status.get("uncountedTerminatedPods") or {}
    if (pods.get("failed") or pods.get("succeeded")) and (
        newly or _changed(status, old_status, "uncountedTerminatedPods")
    ):
        shown = {"Succeeded": pods.get("succeeded"), "Failed": pods.get("failed")}
        errors.append(invalid("status.uncountedTerminatedPods", shown, "must be empty for finished job"))
    return errors


def _validate_indexes(spec: Object, status: Object, old_status: Object) -> Errors:
    errors: Errors = []
    completions = spec.get("completions")
    completed, failed = status.get("completedIndexes") or "", status.get("failedIndexes")
    completed_changed = completed != (old_status.get("completedIndexes") or "")
    failed_changed = _changed(status, old_status, "failedIndexes")
    per_index = spec.get("backoffLimitPerIndex") is not None
    if completed_changed and completions is not None:
        errors += _validate_format("completedIndexes", completed, completions)
    if failed_changed and completions is not None and per_index and failed is not None:
        errors += _validate_format("failedIndexes", failed, completions)
    if completed_changed and completed and spec.get("completionMode") != "Indexed":
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        errors.append(invalid("status.completedIndexes", completed, detail))
    if failed_changed and failed is not None and not per_index:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        errors.append(invalid("status.failedIndexes", failed, detail))
    if (failed_changed or completed_changed) and completions is not None and failed is not None:
        overlap = overlap_error(completed, failed, completions)
        if overlap:
            errors.append(invalid("status.failedIndexes", failed, overlap))
    return errors


def _validate_format(field: str, text: str, completions: int) -> Errors:
    try:
        count_indexes(text, completions)
    except IntervalError as error:
        return [invalid(f"status.{field}", text, f"error parsing {field}: {error}")]
    return []


def _validate_counters(status: Object, old_status: Object) -> Errors:
    errors: Errors = []
    terminating, ready, active = status.get("terminating"), status.get("ready"), status.get("active") or 0
    finished = _is_finished(status)
    terminating_counts = not _is_finished(old_status) or _changed(status, old_status, "terminating")
    if finished and terminating_counts and (terminating or 0) > 0:
        detail = "terminating>0 is invalid for finished job"
        errors.append(invalid("status.terminating", terminating, detail))
    ready_counts = _changed(status, old_status, "ready") or active != (old_status.get("active") or 0)
    if ready_counts and ready is not None and ready > active:
        errors.append(invalid("status.ready", ready, "cannot set more ready pods than active"))
    return errors


def _validate_success_criteria(spec: Object, status: Object) -> Errors:
    errors: Errors = []
    met = _criteria_met(status)
    if met and is_condition_true(status, "Failed"):
        errors.append(_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"))
    if met and is_condition_true(status, "FailureTarget"):
        errors.append(_conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"))
    if not met and spec.get("successPolicy") is not None and is_condition_true(status, "Complete"):
        detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        errors.append(_conditions(detail))
    return errors


def _validate_transition(spec: Object, status: Object, old_status: Object) -> Errors:
    errors = [
        _conditions(f"cannot disable the terminal {kind}=True condition")
        for kind in ("Failed", "Complete", "FailureTarget")
        if is_condition_true(old_status, kind) and not is_condition_true(status, kind)
    ]
    failed, succeeded = status.get("failed") or 0, status.get("succeeded") or 0
    if failed < (old_status.get("failed") or 0):
        errors.append(invalid("status.failed", failed, "cannot decrease the failed counter"))
    # An Indexed Job may be scaled down, if it runs all its indexes at once.
    elastic = spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism")
    if succeeded < (old_status.get("succeeded") or 0) and not elastic:
        errors.append(invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter"))
    completion, old_completion = status.get("completionTime"), old_status.get("completionTime")
    if None not in (completion, old_completion) and completion != old_completion:
        errors.append(invalid("status.completionTime", completion, FIELD_IMMUTABLE))
    start, old_start = status.get("startTime"), old_status.get("startTime")
    if old_start is not None and start != old_start and not spec.get("suspend"):
        resuming = is_condition_true(old_status, "Suspended") and _has_condition(status, "Suspended", "False")
        if not resuming:
            detail = "field is immutable for unsuspended job once set"
            errors.append(invalid("status.startTime", start, detail))
    if _criteria_met(old_status) and not _criteria_met(status):
        errors.append(_conditions("cannot disable the SuccessCriteriaMet=True condition"))
    if is_condition_true(old_status, "Complete") and not _criteria_met(old_status) and _criteria_met(status):
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        errors.append(_conditions(detail))
    return errors
