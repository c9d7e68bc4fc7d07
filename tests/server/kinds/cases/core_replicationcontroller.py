"""ReplicationControllers: selector, template, status.

A deleted one stays until its pods are orphaned, which nobody does, so every update has a name of its own.
"""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case

LABELS = {"app": "web"}


def template(labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "a", "image": "b:1", "resources": {}}], **spec}
    return {"metadata": {"labels": LABELS if labels is None else labels}, "spec": pod}


def controller(
    metadata: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    named = {"name": "core-case", **(metadata or {})}
    rest = {"status": status} if status else {}
    return {"apiVersion": "v1", "kind": "ReplicationController", "metadata": named, "spec": spec, **rest}


GOOD = controller(template=template())
STATUSES = [
    {
        "replicas": 3,
        "fullyLabeledReplicas": 3,
        "readyReplicas": 2,
        "availableReplicas": 1,
        "observedGeneration": 1,
    },
    {"replicas": -1},
    {"replicas": 1, "fullyLabeledReplicas": 2},
    {"replicas": 1, "readyReplicas": 2},
    {"replicas": 1, "availableReplicas": 2},
    {"replicas": 2, "readyReplicas": 1, "availableReplicas": 2},
    {"replicas": 0, "observedGeneration": -1},
    {"replicas": 0, "fullyLabeledReplicas": -1, "readyReplicas": -2, "availableReplicas": -3},
]
NON_CONVERTIBLE = "non-convertible.kubernetes.io"

CREATES = [
    Case("minimal", GOOD),
    Case("empty", controller()),
    Case("no template", controller(selector=LABELS)),
    Case("status is reset", controller(status={"replicas": 3}, template=template(), replicas=2)),
    Case("zero replicas", controller(template=template(), replicas=0)),
    Case("negative replicas", controller(template=template(), replicas=-1)),
    Case("min ready", controller(template=template(), minReadySeconds=5)),
    Case("negative min ready", controller(template=template(), minReadySeconds=-5)),
    Case("selector", controller(template=template({"app": "web", "b": "c"}), selector=LABELS)),
    Case("selector does not match", controller(template=template(), selector={"a": "b"})),
    Case("selector without labels", controller(template=template({}), selector={"a": "b"})),
    Case("no labels", controller(template=template({}))),
    Case("restart policy", controller(template=template(restartPolicy="Never"))),
    Case("deadline", controller(template=template(activeDeadlineSeconds=5))),
    Case("dotted name warns", controller({"name": "core.case"}, template=template())),
    Case("with annotations", controller({"annotations": {"a": "b"}}, template=template())),
]
UPDATES = [
    Case("update", controller(template=template(), replicas=3), GOOD),
    Case("update selector", controller(template=template({"a": "b"})), GOOD),
    Case("update badly", controller(template=template(), replicas=-3, selector={"x": "y"}), GOOD),
    Case("update without template", controller(selector=LABELS), GOOD),
    Case(
        "non-convertible selector",
        controller({"annotations": {f"{NON_CONVERTIBLE}/selector": "x"}}, template=template({"a": "b"})),
        controller({"annotations": {f"{NON_CONVERTIBLE}/selector": "x"}}, template=template()),
    ),
    Case(
        "non-convertible field",
        GOOD,
        controller({"annotations": {f"{NON_CONVERTIBLE}/other": "x"}}, template=template()),
    ),
    *[
        Case(f"status {index}", controller(status=status, template=template(), replicas=9), GOOD, "status")
        for index, status in enumerate(STATUSES)
    ],
]


def renamed(case: Case, index: int) -> Case:
    """The case with a name of its own for the objects."""
    assert case.old is not None
    name = {"name": f"core-case-{index}"}
    obj, old = ({**each, "metadata": {**each["metadata"], **name}} for each in (case.obj, case.old))
    return case._replace(obj=obj, old=old)


CASES = CREATES + [renamed(case, index) for index, case in enumerate(UPDATES)]
