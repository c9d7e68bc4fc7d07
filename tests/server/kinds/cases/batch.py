"""Jobs: their spec and what may change of it.

The server writes a random uid into the selector that it generates. So the objects whose whole answer is
compared bring a selector of their own.
"""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.apps import CONTAINER, LABELS, changed
from tests.server.kinds.harness import Case, Json

POD: Json = {"restartPolicy": "Never", "containers": [CONTAINER]}
MANUAL: Json = {
    "manualSelector": True,
    "selector": {"matchLabels": LABELS},
    "template": {"metadata": {"labels": LABELS}, "spec": POD},
}
GENERATED: Json = {"template": {"metadata": {}, "spec": POD}}


def job(spec: Json = MANUAL, /, name: str = "case-job", **fields: Any) -> Json:
    status = fields.pop("status", None)
    metadata = {"name": name}
    obj = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": changed(spec, **fields)}
    return obj if status is None else {**obj, "status": status}


def create(title: str, /, **fields: Any) -> Case:
    return Case(f"Job: {title}", job(**fields))


def update(title: str, old: Json | None = None, /, **fields: Any) -> Case:
    return Case(f"Job: {title}", job(**fields), old or job())


def generated(title: str, /, **fields: Any) -> Case:
    """Only for what is refused, and says nothing of the uid: the real server gives another one."""
    made = job(GENERATED, **fields)
    made["metadata"]["uid"] = "3f8a4f5e-0000-4000-8000-000000000000"
    return Case(f"Job: {title}", made)


def indexed(title: str, /, **fields: Any) -> Case:
    return create(title, **{"completionMode": "Indexed", "completions": 5, "parallelism": 2, **fields})


def failing(title: str, /, *rules: Json, **fields: Any) -> Case:
    return create(title, **{"podFailurePolicy": {"rules": list(rules)}, **fields})


def exits(*values: int, operator: str = "In", **fields: Any) -> Json:
    codes: Json = {"operator": operator, "values": list(values) or None, **fields}
    return {"action": "FailJob", "onExitCodes": codes}


def conditions(*patterns: Json, action: str = "Ignore") -> Json:
    return {"action": action, "onPodConditions": list(patterns)}


DISRUPTED = {"type": "DisruptionTarget", "status": "True"}


def succeeding(title: str, /, *rules: Json, **fields: Any) -> Case:
    return indexed(title, **{"successPolicy": {"rules": list(rules)}, **fields})


SPECS = [
    create("minimal"),
    create(
        "full",
        parallelism=3,
        completions=6,
        activeDeadlineSeconds=100,
        backoffLimit=2,
        ttlSecondsAfterFinished=50,
        suspend=True,
        managedBy="example.com/mine",
        podReplacementPolicy="Failed",
    ),
    create("only completions", completions=3),
    create("only parallelism", parallelism=3),
    create("name with dots", name="case.job"),
    create("status is dropped", status={"active": 3}),
    create("restarted pods", template__spec__restartPolicy="OnFailure"),
    create("always restarted pods", template__spec__restartPolicy="Always"),
    create("no restart policy", template__spec__restartPolicy=None),
    create("negative parallelism", parallelism=-1),
    create("negative completions", completions=-1),
    create("negative deadline", activeDeadlineSeconds=-1),
    create("negative backoff", backoffLimit=-1),
    create("negative ttl", ttlSecondsAfterFinished=-1),
    create(
        "everything negative",
        parallelism=-1,
        completions=-1,
        activeDeadlineSeconds=-1,
        backoffLimit=-1,
        ttlSecondsAfterFinished=-1,
        backoffLimitPerIndex=-1,
        maxFailedIndexes=-1,
    ),
    create("manual without selector", selector=None),
    create("manual with other labels", template__metadata__labels={"b": "2", "a": "1"}),
    create("manual without labels", template__metadata__labels=None),
    create("manual with invalid selector", selector__matchLabels={"app": "?"}),
    create("manual with empty selector", selector={}),
    create("managed by nobody", managedBy="mine"),
    create("managed by a host", managedBy="Example_com/mine"),
    create("managed by a bad path", managedBy="example.com/a b"),
    create("managed by a slash", managedBy="example.com/"),
    create("managed by a long name", managedBy="example.com/" + "a" * 60),
    create("unknown mode", completionMode="Sorted"),
    create("unknown replacement", podReplacementPolicy="Never"),
    create("backoff per index", backoffLimitPerIndex=1),
    create("failed indexes", maxFailedIndexes=1),
    generated("negative", parallelism=-1),
    indexed("indexed"),
    indexed("indexed without completions", completions=None),
    indexed("indexed without both", completions=None, parallelism=None),
    indexed("much parallelism", parallelism=100_001),
    indexed("more failed than completions", backoffLimitPerIndex=1, maxFailedIndexes=6),
    indexed("many failed", completions=200_000, backoffLimitPerIndex=1, maxFailedIndexes=100_001),
    indexed("many completions without failed", completions=100_001, backoffLimitPerIndex=1),
    indexed(
        "many completions",
        completions=100_001,
        backoffLimitPerIndex=1,
        maxFailedIndexes=10_001,
        parallelism=10_001,
    ),
    indexed("many completions with a warning", completions=100_001, parallelism=10_001),
    indexed("backoff per index of indexed", backoffLimitPerIndex=1, maxFailedIndexes=3),
    indexed("long name of indexed", name="a" * 62),
    indexed("name of indexed with dots", name="case.job"),
    failing("exit codes", exits(1, 2, 40)),
    failing("exit codes of a container", exits(1, containerName="web")),
    failing("exit codes of no container", exits(1, containerName="db")),
    failing("exit code zero", exits(0, 1)),
    failing("exit code not zero", exits(0, 1, operator="NotIn")),
    failing("exit codes twice", exits(3, 3)),
    failing("exit codes in disorder", exits(3, 1, 2)),
    failing("no exit codes", exits()),
    failing("many exit codes", exits(*range(1, 300))),
    failing("no operator", exits(1, operator="")),
    failing("unknown operator", exits(1, operator="Near")),
    failing("conditions", conditions(DISRUPTED), conditions(DISRUPTED, action="Count")),
    failing("condition without status", conditions({"type": "DisruptionTarget"})),
    failing("condition with unknown status", conditions({"type": "DisruptionTarget", "status": "?"})),
    failing("condition with bad type", conditions({"type": "a b", "status": "True"})),
    failing("condition without type", conditions({"status": "True"})),
    failing("many conditions", conditions(*[DISRUPTED] * 21)),
    failing("unknown action", conditions(DISRUPTED, action="Cry")),
    failing("no action", conditions(DISRUPTED, action="")),
    failing("fail index", conditions(DISRUPTED, action="FailIndex")),
    failing("neither", {"action": "Ignore"}),
    failing("both", {**exits(1), **conditions(DISRUPTED)}),
    failing("many rules", *[conditions(DISRUPTED)] * 21),
    create("no rules", podFailurePolicy={}),
    failing("restarted", conditions(DISRUPTED), template__spec__restartPolicy="OnFailure"),
    failing("replacement", conditions(DISRUPTED), podReplacementPolicy="TerminatingOrFailed"),
    failing(
        "fail index of indexed",
        conditions(DISRUPTED, action="FailIndex"),
        completionMode="Indexed",
        completions=3,
        backoffLimitPerIndex=1,
    ),
    succeeding("success by count", {"succeededCount": 2}),
    succeeding("success by indexes", {"succeededIndexes": "0-2,4"}),
    succeeding("success by both", {"succeededIndexes": "0-2,4", "succeededCount": 3}),
    succeeding("success count above indexes", {"succeededIndexes": "0,2", "succeededCount": 3}),
    succeeding("success count above completions", {"succeededCount": 6}),
    succeeding("negative success count", {"succeededCount": -1}),
    succeeding("no success"),
    succeeding("empty success", {}),
    succeeding("many successes", *[{"succeededCount": 1}] * 21),
    succeeding("success with text", {"succeededIndexes": "a"}),
    succeeding("success with gap", {"succeededIndexes": "1,,2"}),
    succeeding("success with large index", {"succeededIndexes": "5"}),
    succeeding("success with large end", {"succeededIndexes": "1-5"}),
    succeeding("success with three parts", {"succeededIndexes": "1-2-3"}),
    succeeding("success backwards", {"succeededIndexes": "3-1"}),
    succeeding("success in disorder", {"succeededIndexes": "3,1"}),
    succeeding("success with half interval", {"succeededIndexes": "1-"}),
    succeeding("success with long text", {"succeededIndexes": "0," * 33_000}),
    create("success of not indexed", successPolicy={"rules": [{"succeededCount": 1}]}),
]

SUSPENDED = job(suspend=True)
AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
        }
    }
}
PODS_APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": LABELS}, "topologyKey": "zone"}
        ]
    }
}
ELASTIC = job(completionMode="Indexed", completions=3, parallelism=3)
FAILURES = {"rules": [conditions(DISRUPTED)]}
SUCCESSES = {"rules": [{"succeededCount": 1}]}


def suspended(title: str, /, **fields: Any) -> Case:
    return update(title, SUSPENDED, **{"suspend": True, **fields})


UPDATES = [
    update("nothing"),
    update("parallelism", parallelism=4, completions=1),
    update("suspended", suspend=True),
    update("resumed", SUSPENDED),
    update("limits", backoffLimit=3, activeDeadlineSeconds=20, ttlSecondsAfterFinished=4),
    update("completions", completions=4, parallelism=1),
    update("completions gone", job(completions=4), parallelism=1),
    update("mode", completionMode="Indexed", completions=1, parallelism=1),
    update(
        "selector",
        selector__matchLabels={"app": "web", "more": "1"},
        template__metadata__labels={"app": "web", "more": "1"},
    ),
    update("image", template__spec__containers__0__image="nginx:1.28"),
    update("labels of pods", template__metadata__labels={"app": "web", "more": "1"}),
    update("annotations of pods", template__metadata__annotations={"z": "1", "a": "<&>"}),
    update("manager", managedBy="example.com/mine"),
    update("manager gone", job(managedBy="example.com/mine")),
    update("failures", podFailurePolicy=FAILURES, podReplacementPolicy="Failed"),
    update("failures gone", job(podFailurePolicy=FAILURES)),
    update("exit codes later", podFailurePolicy={"rules": [exits(1, containerName="web")]}),
    update(
        "success gone",
        job(completionMode="Indexed", completions=3, successPolicy=SUCCESSES),
        completionMode="Indexed",
        completions=3,
    ),
    update(
        "success",
        job(completionMode="Indexed", completions=3),
        successPolicy=SUCCESSES,
        completionMode="Indexed",
        completions=3,
    ),
    update("replacement later", podReplacementPolicy="Failed"),
    update("negative later", parallelism=-1, completions=1),
    update("without selector later", selector=None),
    update(
        "per index later",
        job(completionMode="Indexed", completions=3),
        backoffLimitPerIndex=1,
        completionMode="Indexed",
        completions=3,
    ),
    update("elastic", ELASTIC, completionMode="Indexed", completions=5, parallelism=5),
    update("elastic apart", ELASTIC, completionMode="Indexed", completions=5, parallelism=4),
    update("elastic gone", ELASTIC, completionMode="Indexed", parallelism=4),
    update("status of an update", status={"active": 3}),
    suspended("suspended: node selector", template__spec__nodeSelector={"zone": "a"}),
    suspended("suspended: tolerations", template__spec__tolerations=[{"key": "a", "operator": "Exists"}]),
    suspended("suspended: gates", template__spec__schedulingGates=[{"name": "example.com/a"}]),
    suspended(
        "suspended: labels",
        template__metadata__labels={"app": "web", "more": "1"},
        template__metadata__annotations={"a": "1"},
    ),
    suspended("suspended: node affinity", template__spec__affinity=AFFINITY),
    suspended("suspended: pod affinity", template__spec__affinity=PODS_APART),
    suspended("suspended: resources", template__spec__containers__0__resources={"requests": {"cpu": "1"}}),
    suspended("suspended: image", template__spec__containers__0__image="nginx:1.28"),
    suspended(
        "suspended: another container", template__spec__containers=[CONTAINER, {**CONTAINER, "name": "b"}]
    ),
    suspended(
        "suspended: renamed container with resources",
        template__spec__containers=[{**CONTAINER, "name": "b", "resources": {"requests": {"cpu": "1"}}}],
    ),
    suspended("suspended: host network", template__spec__hostNetwork=True),
    update("suspended: affinity gone", job(suspend=True, template__spec__affinity=AFFINITY), suspend=True),
    update(
        "suspended: pod affinity gone", job(suspend=True, template__spec__affinity=PODS_APART), suspend=True
    ),
    update(
        "suspended: only node affinity gone",
        job(suspend=True, template__spec__affinity={**AFFINITY, **PODS_APART}),
        suspend=True,
        template__spec__affinity=PODS_APART,
    ),
    update("resumed with node selector", SUSPENDED, template__spec__nodeSelector={"zone": "a"}),
]

CASES = [*SPECS, *UPDATES]
