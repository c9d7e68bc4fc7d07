"""What the recorded cases cannot show of Jobs: the selector that is made, and what depends on the status."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.machinery.field_errors import FieldError
from kubewright.server.kinds import Context, Object, kind_of
from kubewright.server.kinds.batch.job_status import validate_job_status
from tests.server.kinds.cases.batch import GENERATED, job

CONTEXT = Context(now=datetime(2026, 1, 1, tzinfo=UTC))
UID = "3f8a4f5e-0000-4000-8000-000000000000"
MADE = {
    "batch.kubernetes.io/controller-uid": UID,
    "batch.kubernetes.io/job-name": "case-job",
    "controller-uid": UID,
    "job-name": "case-job",
}
RULES = kind_of("batch", "jobs")


def made(obj: Object) -> Object:
    obj["metadata"]["uid"] = UID
    RULES.default(obj)
    RULES.prepare_create(obj, CONTEXT)
    return obj


def generated(**fields: Any) -> Object:
    return made(job(GENERATED, **fields))


def told(errors: list[FieldError]) -> list[str]:
    return [str(error) for error in errors]


def test_the_selector_is_made_from_the_uid() -> None:
    obj = generated()

    assert obj["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}}
    assert obj["spec"]["template"]["metadata"]["labels"] == MADE
    assert obj["metadata"]["labels"] == MADE
    assert RULES.validate(obj) == []


def test_a_job_without_labels_has_those_of_its_pods() -> None:
    obj = generated(template__metadata__labels={"a": "1"})

    assert obj["metadata"]["labels"] == {"a": "1", **MADE}
    assert obj["metadata"]["labels"] is not obj["spec"]["template"]["metadata"]["labels"]


def test_a_job_with_labels_keeps_them() -> None:
    obj = job(GENERATED, template__metadata__labels={"a": "1"})
    obj["metadata"]["labels"] = {"a": "1"}

    assert made(obj)["metadata"]["labels"] == {"a": "1"}


def test_labels_of_another_job_are_refused() -> None:
    obj = generated(template__metadata__labels={"job-name": "other"})

    shown = json.dumps({**MADE, "job-name": "other"}, separators=(",", ":"))
    assert told(RULES.validate(obj)) == [
        f"spec.template.metadata.labels[job-name]: Invalid value: {shown}: must be 'case-job'"
    ]


def test_a_selector_of_anything_else_is_refused() -> None:
    obj = generated(selector={"matchLabels": {"a": "1"}}, template__metadata__labels={"a": "1"})

    labels = {"a": "1", "batch.kubernetes.io/controller-uid": UID}
    shown = json.dumps({"matchLabels": labels}, separators=(",", ":"))
    assert told(RULES.validate(obj)) == [
        f"spec.selector: Invalid value: {shown}: `selector` not auto-generated"
    ]


def test_without_a_uid_there_is_no_selector() -> None:
    obj = job(GENERATED)
    RULES.default(obj)
    RULES.prepare_create(obj, CONTEXT)

    assert told(RULES.validate(obj)) == ["metadata.uid: Required value"]


def test_an_update_must_bring_the_selector_that_was_made() -> None:
    old, obj = generated(), job(GENERATED, parallelism=2)
    obj["metadata"]["uid"] = UID
    RULES.default(obj)
    RULES.prepare_update(obj, old, CONTEXT)

    fields = [error.field for error in RULES.validate_update(obj, old)]

    twice = ["spec.selector", "spec.template.metadata.labels"]
    assert fields == [*twice, *twice, "spec.completions", "spec.selector", "spec.template"]


def test_jobs_from_before_the_prefixed_labels_may_do_without() -> None:
    old = generated()
    legacy = {"controller-uid": UID, "job-name": "case-job"}
    old["spec"]["template"]["metadata"]["labels"] = legacy
    old["spec"]["selector"] = {"matchLabels": {"controller-uid": UID}}
    obj = copy.deepcopy(old)
    obj["spec"]["parallelism"] = 2

    assert RULES.validate_update(obj, old) == []
    assert told(RULES.validate(obj)) == [
        f"spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Required value: must be '{UID}'",
        "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Required value: must be 'case-job'",
    ]


def test_an_update_does_not_share_labels_with_the_template() -> None:
    old, obj = made(job()), job()
    RULES.default(obj)
    assert obj["metadata"]["labels"] is obj["spec"]["template"]["metadata"]["labels"]

    RULES.prepare_update(obj, old, CONTEXT)

    assert obj["metadata"]["labels"] is not obj["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize(
    ("suspend", "status", "allowed"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"startTime": "2026-01-01T00:00:00Z"}, False),
        (True, {"active": 1}, False),
        (True, {"startTime": "2026-01-01T00:00:00Z", "conditions": [("Suspended", "True")]}, True),
        (True, {"startTime": "2026-01-01T00:00:00Z", "conditions": [("Suspended", "False")]}, False),
        (True, {"active": 1, "conditions": [("Suspended", "True")]}, False),
    ],
)
def test_scheduling_may_change_while_no_pod_runs(suspend: bool, status: Any, allowed: bool) -> None:
    old, obj = made(job(suspend=suspend)), made(job(suspend=suspend))
    conditions = [{"type": kind, "status": value} for kind, value in status.get("conditions", ())]
    old["status"] = obj["status"] = {**status, "conditions": conditions}
    obj["spec"]["template"]["spec"]["nodeSelector"] = {"zone": "a"}

    errors = RULES.validate_update(obj, old)

    assert [error.field for error in errors] == ([] if allowed else ["spec.template"])


def test_the_fields_by_which_jobs_are_selected() -> None:
    assert RULES.fields is not None

    assert RULES.fields({"status": {"succeeded": 4}}) == {"status.successful": "4"}
    assert RULES.fields({}) == {"status.successful": "0"}


START, LATER = "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"
CONDITIONS = {
    name: {"type": name, "status": "True"} for name in ("Failed", "FailureTarget", "Complete", "Suspended")
}
MET = {"type": "SuccessCriteriaMet", "status": "True"}
DONE = {"startTime": START, "completionTime": LATER, "conditions": [CONDITIONS["Complete"], MET]}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            {"failed": 3},
            {"failed": 2},
            ["status.failed: Invalid value: 2: cannot decrease the failed counter"],
        ),
        (
            {"succeeded": 3},
            {},
            ["status.succeeded: Invalid value: 0: cannot decrease the succeeded counter"],
        ),
        (
            {"conditions": [CONDITIONS["Failed"], CONDITIONS["FailureTarget"]], "startTime": START},
            {"startTime": START},
            [
                "status.conditions: Invalid value: cannot disable the terminal Failed=True condition",
                "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition",
            ],
        ),
        (
            DONE,
            {**DONE, "completionTime": START},
            [f'status.completionTime: Invalid value: "{START}": field is immutable'],
        ),
        (
            {"startTime": START},
            {"startTime": LATER},
            [f'status.startTime: Invalid value: "{LATER}": field is immutable for unsuspended job once set'],
        ),
        (
            {"startTime": START},
            {},
            ["status.startTime: Invalid value: null: field is immutable for unsuspended job once set"],
        ),
        (
            {"startTime": START, "conditions": [CONDITIONS["Suspended"]]},
            {"startTime": LATER, "conditions": [{"type": "Suspended", "status": "False"}]},
            [],
        ),
        (
            {"conditions": [MET]},
            {},
            ["status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition"],
        ),
        # What was wrong before is let stand.
        ({"completedIndexes": "x"}, {"completedIndexes": "x", "active": 1}, []),
        ({"active": 1, "ready": 2}, {"active": 1, "ready": 2, "failed": 1}, []),
        (DONE, DONE, []),
    ],
)
def test_what_may_follow_on_a_status(old: Object, new: Object, expected: list[str]) -> None:
    spec = made(job())["spec"]

    assert told(validate_job_status({"spec": spec, "status": new}, {"spec": spec, "status": old})) == expected


def test_a_job_that_runs_all_its_indexes_at_once_may_be_scaled_down() -> None:
    spec = made(job(completionMode="Indexed", completions=3, parallelism=3))["spec"]
    old, obj = {"spec": spec, "status": {"succeeded": 5}}, {"spec": spec, "status": {"succeeded": 3}}

    assert validate_job_status(obj, old) == []
