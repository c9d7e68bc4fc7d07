"""Whether pods may be evicted; the words are those that a real kube-apiserver was heard to say."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from kubewright.machinery.errors import (
    ApiError,
    BadRequest,
    Forbidden,
    InternalError,
    Invalid,
    TooManyRequests,
)
from kubewright.server.kinds import Object
from kubewright.server.kinds.policy.eviction import (
    EvictionPlan,
    disruption_condition,
    eviction_options,
    matching_budgets,
    plan_eviction,
    still_processed,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
READY = [{"type": "Ready", "status": "True"}]
VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."


def pod(phase: str = "Running", conditions: Any = READY, **metadata: Any) -> Object:
    named = {"name": "web-1", "namespace": "default", "labels": {"app": "web"}, "resourceVersion": "5"}
    return {"metadata": {**named, **metadata}, "status": {"phase": phase, "conditions": conditions}}


def budget(name: str = "b", selector: Any = None, policy: str = "", **status: Any) -> Object:
    spec: Object = {"selector": {"matchLabels": {"app": "web"}} if selector is None else selector}
    if policy:
        spec["unhealthyPodEvictionPolicy"] = policy
    return {
        "metadata": {"name": name, "namespace": "default", "generation": 1},
        "spec": spec,
        "status": {"observedGeneration": 1, **status},
    }


def plan(target: Object, *budgets: Object, **options: Any) -> EvictionPlan:
    kept = copy.deepcopy((target, budgets, options))
    try:
        return plan_eviction(target, budgets, options, NOW)
    finally:
        assert (target, budgets, options) == kept


def refused(target: Object, *budgets: Object) -> ApiError:
    with pytest.raises(ApiError) as caught:
        plan(target, *budgets)
    return caught.value


def causes(error: ApiError) -> list[str]:
    details = error.status.details
    assert details is not None
    return [cause.message for cause in details.causes]


def test_a_pod_without_budget_may_go() -> None:
    assert plan(pod(), gracePeriodSeconds=3) == EvictionPlan(delete_options={"gracePeriodSeconds": 3})


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_has_ended_needs_no_budget(phase: str) -> None:
    made = plan(pod(phase), budget(), budget("c"))

    assert made == EvictionPlan(delete_options={}, retry_conflicts=True)


def test_a_pod_that_is_being_deleted_needs_no_budget() -> None:
    made = plan(pod(deletionTimestamp="2026-01-01T00:00:00Z"), budget())

    assert made == EvictionPlan(delete_options={}, retry_conflicts=True)


def test_a_pod_that_has_not_started_must_not_start_meanwhile() -> None:
    made = plan(pod("Pending"), budget())

    assert made.delete_options == {"preconditions": {"resourceVersion": "5"}}
    assert made.retry_conflicts


def test_the_precondition_of_the_request_goes_first() -> None:
    made = plan(pod("Pending"), budget(), preconditions={"resourceVersion": "3"})

    assert made == EvictionPlan(delete_options={"preconditions": {"resourceVersion": "3"}})


def test_a_budget_counts_the_disruption() -> None:
    made = plan(pod(), budget(disruptionsAllowed=2, disruptedPods={"web-0": "2025-12-31T00:00:00Z"}))

    assert made.budget_name == "b"
    assert made.budget is not None
    assert made.budget["status"] == {
        "observedGeneration": 1,
        "disruptionsAllowed": 1,
        "disruptedPods": {"web-0": "2025-12-31T00:00:00Z", "web-1": "2026-01-01T00:00:00Z"},
    }


@pytest.mark.parametrize(
    ("before", "since"), [("True", "2026-01-01T00:00:00Z"), ("False", "2025-01-01T00:00:00Z")]
)
def test_the_last_disruption_is_told_in_a_condition(before: str, since: str) -> None:
    old = {"type": "DisruptionAllowed", "status": before, "lastTransitionTime": "2025-01-01T00:00:00Z"}
    other = {"type": "Other", "status": "True"}

    made = plan(pod(), budget(disruptionsAllowed=1, conditions=[other, old])).budget

    assert made is not None
    assert made["status"]["conditions"] == [
        other,
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "reason": "InsufficientPods",
            "message": "",
            "lastTransitionTime": since,
            "observedGeneration": 1,
        },
    ]


def test_a_dry_run_writes_no_budget() -> None:
    made = plan(pod(), budget(disruptionsAllowed=1), dryRun=["All"])

    assert made == EvictionPlan(delete_options={"dryRun": ["All"]}, budget_name="b")


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        ({"currentHealthy": 1, "desiredHealthy": 2}, "needs 2 healthy pods and has 1 currently"),
        ({}, "needs 0 healthy pods and has 0 currently"),
        ({"currentHealthy": 3, "desiredHealthy": 2}, "does not allow evicting pods currently"),
        (
            {"currentHealthy": 3, "desiredHealthy": 2, "conditions": [("Reason", "because")]},
            "does not allow evicting pods currently (Reason): because",
        ),
        (
            {"currentHealthy": 1, "desiredHealthy": 2, "conditions": [("SyncFailed", "because")]},
            "does not allow evicting pods currently because it failed sync: because",
        ),
        (
            {"currentHealthy": 3, "desiredHealthy": 2, "conditions": [("SyncFailed", "")]},
            "does not allow evicting pods currently",
        ),
    ],
)
def test_why_a_budget_refuses(status: Any, cause: str) -> None:
    conditions = [
        {"type": "DisruptionAllowed", "status": "False", "reason": reason, "message": message}
        for reason, message in status.get("conditions", ())
    ]

    error = refused(pod(), budget(**{**status, "conditions": conditions}))

    assert msgspec.json.decode(msgspec.json.encode(error.status)) == {
        "apiVersion": "v1",
        "kind": "Status",
        "status": "Failure",
        "message": VIOLATES,
        "reason": "TooManyRequests",
        "details": {
            "causes": [{"reason": "DisruptionBudget", "message": f"The disruption budget b {cause}"}]
        },
        "code": 429,
    }


def test_a_budget_that_has_changed_is_not_trusted() -> None:
    error = refused(pod(), budget(observedGeneration=0, disruptionsAllowed=5))

    assert isinstance(error, TooManyRequests)
    assert error.retry_after == 10
    assert causes(error) == ["The disruption budget b is still being processed by the server."]
    assert str(error) == str(still_processed("b"))


def test_several_budgets_are_not_supported() -> None:
    error = refused(pod(), budget(), budget("c"))

    assert isinstance(error, InternalError)
    assert msgspec.json.decode(msgspec.json.encode(error.status)) == {
        "apiVersion": "v1",
        "kind": "Status",
        "status": "Failure",
        "message": "This pod has more than one PodDisruptionBudget, "
        "which the eviction subresource does not support.",
        "code": 500,
    }


@pytest.mark.parametrize(
    ("status", "detail"),
    [
        ({"disruptionsAllowed": -1}, "pdb disruptions allowed is negative"),
        (
            {"disruptionsAllowed": 1, "disruptedPods": {str(number): "" for number in range(2001)}},
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        ),
    ],
)
def test_a_broken_budget_forbids(status: Any, detail: str) -> None:
    error = refused(pod(), budget(**status))

    assert isinstance(error, Forbidden)
    assert error.status.message == f'poddisruptionbudget.policy "b" is forbidden: {detail}'


@pytest.mark.parametrize("conditions", [[], [{"type": "Ready", "status": "False"}]])
@pytest.mark.parametrize(
    ("policy", "current", "desired", "allowed"),
    [
        ("AlwaysAllow", 0, 2, True),
        ("IfHealthyBudget", 2, 2, True),
        ("", 3, 2, True),
        ("", 1, 2, False),
        ("", 0, 0, False),
    ],
)
def test_pods_that_are_not_healthy(
    conditions: Any, policy: str, current: int, desired: int, allowed: bool
) -> None:
    guard = budget(policy=policy, currentHealthy=current, desiredHealthy=desired)
    if not allowed:
        assert isinstance(refused(pod(conditions=conditions), guard), TooManyRequests)
        return

    assert plan(pod(conditions=conditions), guard) == EvictionPlan(
        delete_options={"preconditions": {"resourceVersion": "5"}}, budget_name="b", deny_conflicts=True
    )


def test_the_budgets_of_a_pod() -> None:
    others = [
        budget("labels", {"matchLabels": {"app": "db"}}),
        budget(
            "invalid", {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "a", "operator": "?"}]}
        ),
        {**budget("none"), "spec": {}},
        {**budget("elsewhere"), "metadata": {"name": "elsewhere", "namespace": "other"}},
    ]
    mine = [budget(), budget("everything", {})]

    assert matching_budgets(pod(), [*others, *mine]) == mine


def test_the_options_of_an_eviction() -> None:
    named = {"metadata": {"name": "web-1"}}

    assert eviction_options("web-1", named) == {}
    assert eviction_options("web-1", named, ["All"]) == {"dryRun": ["All"]}
    assert eviction_options("web-1", {**named, "deleteOptions": {"gracePeriodSeconds": 1}}, ["All"]) == {
        "gracePeriodSeconds": 1,
        "dryRun": ["All"],
    }
    assert eviction_options("web-1", {**named, "deleteOptions": {"dryRun": ["All"]}}, ["All"]) == {
        "dryRun": ["All"]
    }


@pytest.mark.parametrize("eviction", [{}, {"metadata": {}}, {"metadata": {"name": "web-2"}}])
def test_an_eviction_must_name_its_pod(eviction: Object) -> None:
    with pytest.raises(BadRequest, match="name in URL does not match name in Eviction object"):
        eviction_options("web-1", eviction)


def test_contradictory_dry_runs() -> None:
    eviction = {"metadata": {"name": "web-1"}, "deleteOptions": {"dryRun": ["None"]}}

    with pytest.raises(
        InternalError, match=r"Non-matching dry-run options in request and content: \[All\] and \[None\]"
    ):
        eviction_options("web-1", eviction, ["All"])


def test_breaking_the_cluster_is_no_option() -> None:
    options = {"ignoreStoreReadErrorWithClusterBreakingPotential": True}

    with pytest.raises(Invalid) as caught:
        eviction_options("web-1", {"metadata": {"name": "web-1"}, "deleteOptions": options})

    assert caught.value.status.message == (
        'Eviction.policy "web-1" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: '
        "Invalid value: true: can not be set for pod eviction, try after removing the option"
    )


def test_the_condition_of_an_evicted_pod() -> None:
    assert disruption_condition(NOW) == {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
