"""The rules of CronJobs."""

from __future__ import annotations

import re
from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.server.kinds.apps.workloads import (
    is_new_generation,
    name_warnings,
    selector_as_go,
    set_default,
    take_back,
)
from kubewright.server.kinds.batch.cron_schedule import schedule_error, time_zone_error
from kubewright.server.kinds.batch.job import default_failure_policy
from kubewright.server.kinds.batch.job_spec import job_spec_warnings, validate_job_spec
from kubewright.server.kinds.core.pod_template import default_pod_template, normalize_pod_template
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import byte_length, validate_non_negative

__all__ = ["CRON_JOB"]

_POLICIES: Final = ("Allow", "Forbid", "Replace")
_NAME_LENGTH: Final = 52
"""The 63 characters of a DNS label but for the 11 that the controller appends to name a Job."""

_ZONE_PART: Final = re.compile(r"[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}")
_TZ_WARNING: Final = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("concurrencyPolicy"):
        spec["concurrencyPolicy"] = "Allow"
    set_default(spec, "suspend", False)
    set_default(spec, "successfulJobsHistoryLimit", 3)
    set_default(spec, "failedJobsHistoryLimit", 1)
    # The Job's own defaults wait until there is a Job.
    job = spec.setdefault("jobTemplate", {}).setdefault("spec", {})
    default_failure_policy(job.get("podFailurePolicy"))
    default_pod_template(job.setdefault("template", {}))


def _job_spec(obj: Object) -> Object:
    spec: Object = ((obj.get("spec") or {}).get("jobTemplate") or {}).get("spec") or {}
    return spec


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {}
    normalize_pod_template(_job_spec(obj)["template"], None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "status")
    normalize_pod_template(_job_spec(obj)["template"], _job_spec(old).get("template") or {})


def _validate(obj: Object) -> Errors:
    errors = _validate_spec(obj, None)
    name = (obj.get("metadata") or {}).get("name") or ""
    if byte_length(name) > _NAME_LENGTH:
        errors.append(invalid("metadata.name", name, "must be no more than 52 characters"))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate_spec(obj, old)


def _validate_spec(obj: Object, old: Object | None) -> Errors:
    spec, old_spec = obj["spec"], {} if old is None else old.get("spec") or {}
    errors = _validate_schedule(spec, old_spec)
    deadline = spec.get("startingDeadlineSeconds")
    if deadline is not None:
        errors += validate_non_negative(deadline, "spec.startingDeadlineSeconds")
    zone = spec.get("timeZone")
    if zone is not None and (old is None or zone != old_spec.get("timeZone")):
        errors += _validate_time_zone(zone)
    policy = spec.get("concurrencyPolicy") or ""
    if policy not in _POLICIES:
        errors.append(not_supported("spec.concurrencyPolicy", policy, _POLICIES))
    errors += _validate_job_template(_job_spec(obj), None if old is None else _job_spec(old).get("template"))
    for field in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        limit = spec.get(field)
        if limit is not None:
            errors += validate_non_negative(limit, f"spec.{field}")
    return errors


def _validate_schedule(spec: Object, old_spec: Object) -> Errors:
    path, schedule = "spec.schedule", spec.get("schedule") or ""
    if not schedule:
        return [required(path)]
    errors: Errors = []
    wrong = schedule_error(schedule)
    if wrong:
        errors.append(invalid(path, schedule, wrong))
    if "TZ" in schedule:
        if "TZ" not in (old_spec.get("schedule") or ""):
            detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
            errors.append(invalid(path, schedule, detail))
        elif spec.get("timeZone") is not None:
            detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
            errors.append(invalid(path, schedule, detail))
    return errors


def _validate_time_zone(zone: str) -> Errors:
    path = "spec.timeZone"
    if not zone:
        return [invalid(path, zone, "timeZone must be nil or non-empty string")]
    for part in zone.split("/"):
        if part in {".", ".."} or _ZONE_PART.fullmatch(part) is None:
            return [invalid(path, zone, f"unknown time zone {zone}")]
    errors: Errors = []
    if zone.lower() == "local":
        detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        errors.append(invalid(path, zone, detail))
    wrong = time_zone_error(zone)
    if wrong:
        errors.append(invalid(path, zone, wrong))
    return errors


def _validate_job_template(spec: Object, old_template: Object | None) -> Errors:
    path = "spec.jobTemplate.spec"
    errors = validate_job_spec(spec, path, old_template)
    if spec.get("selector") is not None:
        shown = selector_as_go(spec["selector"])
        errors.append(invalid(f"{path}.selector", shown, "`selector` will be auto-generated"))
    if spec.get("manualSelector"):
        errors.append(not_supported(f"{path}.manualSelector", value=True, supported=("nil", "false")))
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    path = "spec.jobTemplate.spec"
    if old is None:
        return name_warnings(obj) + job_spec_warnings(_job_spec(obj), path)
    warnings = job_spec_warnings(_job_spec(obj), path) if is_new_generation(obj, old) else []
    if "TZ" in ((obj.get("spec") or {}).get("schedule") or ""):
        warnings.append(_TZ_WARNING)
    return warnings


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")


CRON_JOB: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=is_new_generation,
    subresources={"status": Subresource(prepare=_prepare_status, resets=("spec",), metadata_checks=0)},
    always={
        "spec": {
            "schedule": "",
            "jobTemplate": {"metadata": {}, "spec": {"template": {"metadata": {}, "spec": {}}}},
        },
        "status": {},
    },
)
