"""Laws that hold for all objects of the workload kinds, whatever they look like."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.server.kinds import kind_of
from tests.server.kinds.harness import Case, answers, cases, embedded_answer

RESOURCES = {
    "ControllerRevision": ("apps", "controllerrevisions"),
    "CronJob": ("batch", "cronjobs"),
    "DaemonSet": ("apps", "daemonsets"),
    "Deployment": ("apps", "deployments"),
    "HorizontalPodAutoscaler": ("autoscaling", "horizontalpodautoscalers"),
    "Job": ("batch", "jobs"),
    "PodDisruptionBudget": ("policy", "poddisruptionbudgets"),
    "ReplicaSet": ("apps", "replicasets"),
    "StatefulSet": ("apps", "statefulsets"),
}
GROUPS = ("apps", "apps_sets", "batch", "batch_status", "batch_cronjobs", "autoscaling", "policy")
# The largest of each kind, and all that have to do with updates of the status.
LARGE = [
    (group, case)
    for group in GROUPS
    for case in cases(group)
    if case.name.endswith("full") or case.subresource or "suspended" in case.name
]


def without_each_part(value: Any) -> Iterator[Any]:
    """The value without one of its members, or of the members of its members, for each of them."""
    if not isinstance(value, dict | list):
        return
    for place in list(value) if isinstance(value, dict) else range(len(value)):
        less = copy.copy(value)
        del less[place]
        yield less
        for smaller in without_each_part(value[place]):
            changed = copy.copy(value)
            changed[place] = smaller
            yield changed


@pytest.mark.parametrize(("group", "case"), LARGE, ids=[f"{group}-{case.name}" for group, case in LARGE])
def test_nothing_raises_where_a_part_is_missing(group: str, case: Case) -> None:
    for obj in without_each_part(case.obj):
        if obj.get("apiVersion") and obj.get("kind"):
            embedded_answer(case._replace(obj=obj))


@pytest.mark.parametrize("group", GROUPS)
def test_what_the_real_server_stores_lacks_no_default(group: str) -> None:
    for name, answer in answers(group).items():
        if "object" in answer:
            stored = {**answer["object"], "metadata": {"labels": {"a": "1"}}}
            again = copy.deepcopy(stored)
            kind_of(*RESOURCES[stored["kind"]]).default(again)

            assert again == stored, name
