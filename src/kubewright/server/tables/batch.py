"""Jobs and CronJobs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age, human_duration, moment, since
from kubewright.server.tables.fields import (
    NONE,
    bool_text,
    condition,
    container_cells,
    items,
    name_of,
    or_default,
    part,
    selector_text,
    template_containers,
)
from kubewright.server.tables.printer import AGE, NAME, Printer, column, columns, integers, wide

__all__ = ["PRINTERS"]


def _job(obj: Object, now: datetime) -> list[Any]:
    spec, status = part(obj, "spec"), part(obj, "status")
    return [
        name_of(obj),
        _job_status(obj, status),
        _completions(spec, status),
        _duration(status, now),
        age(obj, now),
        *container_cells(template_containers(obj)),
        selector_text(spec.get("selector")),
    ]


def _completions(spec: Object, status: Object) -> str:
    succeeded = status.get("succeeded") or 0
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    parallelism = spec.get("parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(status: Object, now: datetime) -> str:
    started = moment(status.get("startTime"))
    return "" if started is None else human_duration((moment(status.get("completionTime")) or now) - started)


def _job_status(obj: Object, status: Object) -> str:
    for kind in ("Complete", "Failed"):
        if _has(status, kind):
            return kind
    if part(obj, "metadata").get("deletionTimestamp") is not None:
        return "Terminating"
    for kind in ("Suspended", "FailureTarget", "SuccessCriteriaMet"):
        if _has(status, kind):
            return kind
    return "Running"


def _has(status: Object, kind: str) -> bool:
    found = condition(status, kind)
    return found is not None and found.get("status") == "True"


def _cron_job(obj: Object, now: datetime) -> list[Any]:
    spec, status = part(obj, "spec"), part(obj, "status")
    job = part(spec, "jobTemplate")
    scheduled = status.get("lastScheduleTime")
    return [
        name_of(obj),
        spec.get("schedule") or "",
        or_default(spec.get("timeZone"), NONE),
        bool_text(spec.get("suspend")),
        len(items(status, "active")),
        NONE if scheduled is None else since(scheduled, now),
        age(obj, now),
        *container_cells(template_containers(job)),
        selector_text(part(job, "spec").get("selector")),
    ]


_SELECTED: Final = wide("Containers", "Images", "Selector")

PRINTERS: Final[Mapping[str, Printer]] = {
    "cronjobs": Printer(
        columns(
            NAME,
            "Schedule",
            "Timezone",
            column("Suspend", "boolean"),
            *integers("Active"),
            "Last Schedule",
            AGE,
            *_SELECTED,
        ),
        _cron_job,
    ),
    "jobs": Printer(columns(NAME, "Status", "Completions", "Duration", AGE, *_SELECTED), _job),
}
