"""The status of Jobs, as the first write after the create sets it."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.batch import job
from tests.server.kinds.harness import Case, Json

START, LATER = "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"


def conditions(*kinds: str) -> list[Json]:
    return [{"type": kind, "status": "True"} for kind in kinds]


def status(title: str, old: Json | None = None, /, **fields: Any) -> Case:
    old = old or job()
    return Case(f"Job status: {title}", {**old, "status": fields}, old, "status")


COMPLETE = conditions("SuccessCriteriaMet", "Complete")
FAILED = conditions("FailureTarget", "Failed")
INDEXED = job(completionMode="Indexed", completions=5, parallelism=2)
PER_INDEX = job(completionMode="Indexed", completions=5, parallelism=2, backoffLimitPerIndex=1)
SUCCESS = job(completionMode="Indexed", completions=5, successPolicy={"rules": [{"succeededCount": 1}]})
EMPTY = job(completions=0, parallelism=1, suspend=True)

CASES = [
    status("running", startTime=START, active=2, ready=1, terminating=0, succeeded=1, failed=1),
    status("complete", startTime=START, completionTime=LATER, conditions=COMPLETE, succeeded=1),
    status("failed", startTime=START, conditions=FAILED, failed=7),
    *[
        status(f"negative {field}", **{field: -1})
        for field in ("active", "succeeded", "failed", "ready", "terminating")
    ],
    status("all negative", active=-1, succeeded=-1, failed=-1, ready=-1, terminating=-1),
    status("uncounted", uncountedTerminatedPods={"succeeded": ["a"], "failed": ["b"]}),
    status("uncounted twice", uncountedTerminatedPods={"succeeded": ["a", "a"], "failed": ["b", "a"]}),
    status("uncounted empty", uncountedTerminatedPods={"succeeded": [""], "failed": ["", ""]}),
    status(
        "complete and failed",
        startTime=START,
        completionTime=LATER,
        conditions=conditions("SuccessCriteriaMet", "Complete", "Failed"),
    ),
    status(
        "complete and failing",
        startTime=START,
        completionTime=LATER,
        conditions=conditions("SuccessCriteriaMet", "Complete", "FailureTarget"),
    ),
    status("completion time of a running job", startTime=START, completionTime=LATER),
    status("no completion time", startTime=START, conditions=COMPLETE),
    status("completion before start", startTime=LATER, completionTime=START, conditions=COMPLETE),
    status("failed without target", startTime=START, conditions=conditions("Failed")),
    status(
        "complete without criteria", startTime=START, completionTime=LATER, conditions=conditions("Complete")
    ),
    status(
        "complete with false criteria",
        startTime=START,
        completionTime=LATER,
        conditions=[
            {"type": "SuccessCriteriaMet", "status": "False"},
            {"type": "Complete", "status": "True"},
        ],
    ),
    status("finished but active", startTime=START, conditions=FAILED, active=1),
    status("finished but terminating", startTime=START, conditions=FAILED, terminating=1),
    status("finished but not started", conditions=FAILED),
    status("finished but suspended and empty", EMPTY, conditions=COMPLETE, completionTime=LATER),
    status(
        "finished but uncounted",
        startTime=START,
        conditions=FAILED,
        uncountedTerminatedPods={"failed": ["a"]},
    ),
    status("more ready than active", startTime=START, active=1, ready=2),
    status(
        "criteria and failed",
        startTime=START,
        conditions=conditions("SuccessCriteriaMet", "Failed", "FailureTarget"),
    ),
    status(
        "criteria and failing", startTime=START, conditions=conditions("SuccessCriteriaMet", "FailureTarget")
    ),
    status("criteria", startTime=START, conditions=conditions("SuccessCriteriaMet")),
    status("indexes of not indexed", completedIndexes="0"),
    status("failed indexes of not indexed", failedIndexes="0"),
    status("indexes", INDEXED, completedIndexes="0-2,4"),
    status("indexes above", INDEXED, completedIndexes="0-5"),
    status("indexes in disorder", INDEXED, completedIndexes="3,1"),
    status("indexes of text", INDEXED, completedIndexes="one"),
    status("failed indexes", INDEXED, failedIndexes="1"),
    status("failed indexes per index", PER_INDEX, failedIndexes="1"),
    status("failed indexes above", PER_INDEX, failedIndexes="7"),
    status("no failed indexes", PER_INDEX, failedIndexes=""),
    status("overlap", PER_INDEX, completedIndexes="0,2-4", failedIndexes="1,3"),
    status("overlap after nonsense", PER_INDEX, completedIndexes="x,2-4", failedIndexes="1-,4"),
    status("no overlap", PER_INDEX, completedIndexes="0,2", failedIndexes="1,3-4"),
    status("success policy", SUCCESS, startTime=START, completionTime=LATER, conditions=COMPLETE),
    status(
        "success policy without criteria",
        SUCCESS,
        startTime=START,
        completionTime=LATER,
        conditions=conditions("Complete"),
    ),
]
