"""CronJobs."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.apps import changed
from tests.server.kinds.cases.batch import POD
from tests.server.kinds.harness import Case, Json

SPEC: Json = {
    "schedule": "*/5 * * * *",
    "jobTemplate": {"metadata": {}, "spec": {"template": {"metadata": {}, "spec": POD}}},
}


def cron_job(*, name: str = "case-cronjob", **fields: Any) -> Json:
    status = fields.pop("status", None)
    metadata = {"name": name}
    obj = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": changed(SPEC, **fields)}
    return obj if status is None else {**obj, "status": status}


def create(title: str, /, **fields: Any) -> Case:
    return Case(f"CronJob: {title}", cron_job(**fields))


def update(title: str, /, **fields: Any) -> Case:
    return Case(f"CronJob: {title}", cron_job(**fields), cron_job())


GOOD = [
    "* * * * ?",
    "0 0 1 1 0",
    "59 23 31 12 6",
    "1-5/2,10 */4 1-15 jan-MAR Mon,fri",
    "@yearly",
    "@annually",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
    "@every 1h30m",
    "@every 5s",
    "@every 0.5h",
    "@every -1h",
    "@every 0",
    "@every +1.5m3ns",
    "@every .5s",
    "@every 1\u00b5s",
    " 1 2 3 4 5 ",
    "1\t2 3\n4 5",
    ", * * * *",
    "5/10 * * * *",
    "+5 * * * *",
    "*-5 * * * *",
    "1,,2 * * * *",
    "@every 9223372036s",
]
BAD = [
    "*",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 13 *",
    "* * * 0 *",
    "* * * * 7",
    "a * * * *",
    "* * * foo *",
    "1-2-3 * * * *",
    "1/2/3 * * * *",
    "5-1 * * * *",
    "*/0 * * * *",
    "-1 * * * *",
    "1/-1 * * * *",
    "99999999999999999999 * * * *",
    "1.5 * * * *",
    "@often",
    "@every",
    "@every x",
    "@every 5",
    "@every 5x",
    "@every ",
    "@every 1h5",
    "@every 1.h.",
    "@every 99999999999h",
    "@every 1\u00b5\u00e9",
    "@daily ",
    " @daily",
    "@EVERY 1h",
    "1- * * * *",
    "- * * * *",
    "/ * * * *",
    "TZ=UTC",
    "TZ=UTC * * * * *",
    "CRON_TZ=Europe/Berlin 0 0 * * *",
    "TZ=Nowhere/Town * * * * *",
    "TZ=../etc * * * * *",
    "TZ= * * * * *",
    "TZ=UTC  @daily ",
    "TZ=UTC a",
    "* * * * TZ",
    "1_0 * * * *",
    "\u0661 * * * *",
    "1 1 1 1 \u00e9",
    "*\x1f * * * *",
]
ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+1",
    "Local",
    "local",
    "",
    "Nowhere",
    "Nowhere/Town",
    "../etc",
    "./UTC",
    "/UTC",
    "UTC/",
    "Europe//Berlin",
    "-UTC",
    "Europe/A_Name_Far_Too_Long",
    "europe/berlin",
    "a b",
    "...",
]

CASES = [
    create("minimal"),
    create(
        "full",
        suspend=True,
        timeZone="Europe/Berlin",
        startingDeadlineSeconds=20,
        concurrencyPolicy="Replace",
        successfulJobsHistoryLimit=0,
        failedJobsHistoryLimit=4,
        jobTemplate__metadata={"labels": {"a": "1"}},
        jobTemplate__spec__parallelism=3,
        jobTemplate__spec__completionMode="Indexed",
        jobTemplate__spec__completions=4,
    ),
    create("status is dropped", status={"lastScheduleTime": "2026-01-01T00:00:00Z"}),
    create("no schedule", schedule=""),
    *[create(f"schedule {text!r}", schedule=text) for text in [*GOOD, *BAD]],
    *[create(f"time zone {zone!r}", timeZone=zone) for zone in ZONES],
    create("time zone twice", schedule="TZ=UTC * * * * *", timeZone="UTC"),
    create("negative deadline", startingDeadlineSeconds=-1),
    create("unknown policy", concurrencyPolicy="Queue"),
    create("negative histories", successfulJobsHistoryLimit=-1, failedJobsHistoryLimit=-2),
    create("selector", jobTemplate__spec__selector={"matchLabels": {"b": "1", "a": "2"}}),
    create("manual selector", jobTemplate__spec__manualSelector=True),
    create("no manual selector", jobTemplate__spec__manualSelector=False),
    create("negative parallelism", jobTemplate__spec__parallelism=-1),
    create("always restarted", jobTemplate__spec__template__spec__restartPolicy="Always"),
    create(
        "condition without status",
        jobTemplate__spec__podFailurePolicy={
            "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
        },
    ),
    create("indexed", jobTemplate__spec__completionMode="Indexed"),
    create(
        "many indexes",
        jobTemplate__spec__completionMode="Indexed",
        jobTemplate__spec__completions=100_001,
        jobTemplate__spec__parallelism=10_001,
    ),
    create("long name", name="a" * 53),
    create("name of 52", name="a" * 52),
    create("name with dots", name="case.cronjob"),
    update("nothing"),
    update("schedule", schedule="@daily", timeZone="Europe/Paris", suspend=True),
    update("bad schedule", schedule="daily"),
    update("zone in schedule", schedule="TZ=UTC * * * * *"),
    update("bad zone", timeZone="Nowhere"),
    update("template", jobTemplate__spec__template__metadata__labels={"a": "1"}),
    update("status of an update", status={"lastScheduleTime": "2026-01-01T00:00:00Z"}),
    Case("CronJob: same zone", cron_job(timeZone="UTC"), cron_job(timeZone="UTC")),
    Case(
        "CronJob status: full",
        cron_job(
            status={
                "active": [
                    {"kind": "Job", "name": "a", "namespace": "default", "uid": "b", "apiVersion": "batch/v1"}
                ],
                "lastScheduleTime": "2026-01-01T00:00:00Z",
                "lastSuccessfulTime": "2026-01-01T00:00:01Z",
            }
        ),
        cron_job(),
        "status",
    ),
    Case("CronJob status: spec is kept", cron_job(schedule="?", status={}), cron_job(), "status"),
]
