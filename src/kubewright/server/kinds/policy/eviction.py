"""Whether a pod may be evicted, and what that writes; the reading and the writing is done elsewhere.

An eviction is granted in three steps: the budget that `EvictionPlan.budget` holds is written to its
`/status`, the pod gets the condition of `disruption_condition`, and then it is deleted with the plan's
options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

import msgspec

from kubewright.machinery.errors import (
    ApiError,
    BadRequest,
    Forbidden,
    InternalError,
    Invalid,
    TooManyRequests,
)
from kubewright.machinery.field_errors import go_quote, invalid
from kubewright.machinery.status import Status, StatusCause, StatusDetails
from kubewright.machinery.time import format_time
from kubewright.server.kinds.apps.workloads import selector_matches
from kubewright.server.kinds.kind import Object
from kubewright.server.kinds.metadata_rules import validate_label_selector

__all__ = [
    "EvictionPlan",
    "disruption_condition",
    "eviction_options",
    "matching_budgets",
    "plan_eviction",
    "still_processed",
]

_MAX_DISRUPTED_PODS: Final = 2000
"""Upstream's MaxDisruptedPodSize: more evictions than this that the budget's controller has not yet seen."""

_RETRY_SECONDS: Final = 10
"""After which time upstream lets clients try again when the budget's controller is behind."""

_VIOLATES: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_IGNORE_ERRORS: Final = "ignoreStoreReadErrorWithClusterBreakingPotential"


class EvictionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What grants an eviction."""

    delete_options: Object
    """The options of the pod's deletion; not to be changed."""
    budget: Object | None = None
    """The budget to store, with its status changed; None if there is nothing to count. When another write
    came first, read the budget again and plan anew."""
    budget_name: str = ""
    retry_conflicts: bool = False
    """The pod needs no budget; if it has changed until it is deleted, read it again and plan anew."""
    deny_conflicts: bool = False
    """The pod was not healthy; if it has changed until it is deleted, answer with `still_processed`."""


def eviction_options(name: str, eviction: Object, dry_run: Sequence[str] = ()) -> Object:
    """The delete options of an Eviction to the pod `name`, with the request's `dryRun` in them.

    Raises BadRequest, Invalid, or InternalError for an Eviction that contradicts its request.
    """
    if (eviction.get("metadata") or {}).get("name") != name:
        raise BadRequest(_failure("name in URL does not match name in Eviction object", BadRequest))
    options: Object = dict(eviction.get("deleteOptions") or {})
    if options.get(_IGNORE_ERRORS):
        raise _invalid(name)
    own = options.get("dryRun") or []
    if own and dry_run and list(dry_run) != list(own):
        # Upstream has no reason for this error, so that it counts as internal.
        told = f"[{' '.join(dry_run)}] and [{' '.join(own)}]"
        message = f"Non-matching dry-run options in request and content: {told}"
        raise InternalError(_failure(message, InternalError))
    if not own and dry_run:
        options["dryRun"] = list(dry_run)
    return options


def _invalid(name: str) -> Invalid:
    detail = "can not be set for pod eviction, try after removing the option"
    error = invalid(f"deleteOptions.{_IGNORE_ERRORS}", value=True, detail=detail)
    message = f"Eviction.policy {go_quote(name)} is invalid: {error}"
    details = StatusDetails(name=name, group="policy", kind="Eviction", causes=[error.cause()])
    return Invalid(_failure(message, Invalid, details))


def matching_budgets(pod: Object, budgets: Iterable[Object]) -> list[Object]:
    """The PodDisruptionBudgets that are about a pod; those with invalid selectors are about none."""
    metadata = pod.get("metadata") or {}
    namespace, labels = metadata.get("namespace"), metadata.get("labels") or {}
    return [
        budget
        for budget in budgets
        if (budget.get("metadata") or {}).get("namespace") == namespace
        and _selects((budget.get("spec") or {}).get("selector"), labels)
    ]


def _selects(selector: Object | None, labels: Object) -> bool:
    return selector_matches(selector, labels) and not validate_label_selector(selector, "")


def plan_eviction(pod: Object, budgets: Sequence[Object], options: Object, now: datetime) -> EvictionPlan:
    """How to evict a pod, given the budgets that match it and what `eviction_options` made of the request.

    Raises TooManyRequests when the budget does not allow it, Forbidden when the budget's status is broken,
    and InternalError when there are several budgets. The objects are not changed.
    """
    if _needs_no_budget(pod):
        return _plan_without_budget(pod, options)
    if len(budgets) > 1:
        message = (
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
        raise InternalError(_failure(message, InternalError))
    if not budgets:
        return EvictionPlan(delete_options=options)
    budget = budgets[0]
    name = _name(budget)
    if not _is_ready(pod) and _lets_unhealthy_go(budget):
        return EvictionPlan(
            delete_options=_guarded(options, pod),
            budget_name=name,
            deny_conflicts=not _has_resource_version(options),
        )
    counted = _counted(pod, budget, now)
    return EvictionPlan(
        delete_options=options, budget=None if options.get("dryRun") else counted, budget_name=name
    )


def _needs_no_budget(pod: Object) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return phase in {"Succeeded", "Failed", "Pending"} or _is_terminating(pod)


def _is_terminating(pod: Object) -> bool:
    return (pod.get("metadata") or {}).get("deletionTimestamp") is not None


def _plan_without_budget(pod: Object, options: Object) -> EvictionPlan:
    retry = not _has_resource_version(options)
    phase = (pod.get("status") or {}).get("phase")
    if retry and phase == "Pending" and not _is_terminating(pod):
        # It may start meanwhile, and then it has a budget.
        options = _guarded(options, pod)
    return EvictionPlan(delete_options=options, retry_conflicts=retry)


def _has_resource_version(options: Object) -> bool:
    return (options.get("preconditions") or {}).get("resourceVersion") is not None


def _guarded(options: Object, pod: Object) -> Object:
    version = (pod.get("metadata") or {}).get("resourceVersion") or ""
    return {**options, "preconditions": {**(options.get("preconditions") or {}), "resourceVersion": version}}


def _is_ready(pod: Object) -> bool:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Ready":
            return bool(condition.get("status") == "True")
    return False


def _lets_unhealthy_go(budget: Object) -> bool:
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status") or {}
    desired = status.get("desiredHealthy") or 0
    return desired > 0 and (status.get("currentHealthy") or 0) >= desired


def _counted(pod: Object, budget: Object, now: datetime) -> Object:
    """The budget after one more disruption."""
    metadata, status = budget.get("metadata") or {}, budget.get("status") or {}
    if (status.get("observedGeneration") or 0) < (metadata.get("generation") or 0):
        raise still_processed(_name(budget))
    allowed, disrupted = status.get("disruptionsAllowed") or 0, status.get("disruptedPods") or {}
    if allowed < 0:
        raise _forbidden(budget, "pdb disruptions allowed is negative")
    if len(disrupted) > _MAX_DISRUPTED_PODS:
        detail = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(budget, detail)
    if allowed == 0:
        raise _too_many(_denial(budget))
    moment = format_time(now)
    made = {**status, "disruptionsAllowed": allowed - 1, "disruptedPods": {**disrupted, _name(pod): moment}}
    if allowed == 1:
        made["conditions"] = _with_insufficient_pods(status, moment)
    return {**budget, "status": made}


def _with_insufficient_pods(status: Object, moment: str) -> list[Object]:
    made: Object = {"type": "DisruptionAllowed", "status": "False"}
    made |= {"reason": "InsufficientPods", "message": "", "lastTransitionTime": moment}
    if status.get("observedGeneration"):
        made["observedGeneration"] = status["observedGeneration"]
    conditions: list[Object] = list(status.get("conditions") or ())
    for index, condition in enumerate(conditions):
        if condition.get("type") == "DisruptionAllowed":
            if condition.get("status") == "False":
                made["lastTransitionTime"] = condition.get("lastTransitionTime")
            conditions[index] = made
            return conditions
    return [*conditions, made]


def _denial(budget: Object) -> str:
    status, start = budget.get("status") or {}, f"The disruption budget {_name(budget)}"
    conditions = status.get("conditions") or ()
    condition: Object = next((each for each in conditions if each.get("type") == "DisruptionAllowed"), {})
    message, reason = condition.get("message") or "", condition.get("reason") or ""
    told = condition.get("status") == "False" and message
    current, desired = status.get("currentHealthy") or 0, status.get("desiredHealthy") or 0
    if told and reason == "SyncFailed":
        return f"{start} does not allow evicting pods currently because it failed sync: {message}"
    if current <= desired:
        return f"{start} needs {desired} healthy pods and has {current} currently"
    if told:
        return f"{start} does not allow evicting pods currently ({reason}): {message}"
    return f"{start} does not allow evicting pods currently"


def still_processed(budget_name: str) -> TooManyRequests:
    """The error for a budget, or a pod, that has changed since its controller last looked."""
    cause = f"The disruption budget {budget_name} is still being processed by the server."
    return _too_many(cause, _RETRY_SECONDS)


def _too_many(cause: str, retry_after: int | None = None) -> TooManyRequests:
    causes = [StatusCause(reason="DisruptionBudget", message=cause)]
    details = StatusDetails(causes=causes)
    if retry_after is not None:
        details.retry_after_seconds = retry_after
    return TooManyRequests(_failure(_VIOLATES, TooManyRequests, details))


def _forbidden(budget: Object, detail: str) -> Forbidden:
    name = _name(budget)
    message = f"poddisruptionbudget.policy {go_quote(name)} is forbidden: {detail}"
    details = StatusDetails(name=name, group="policy", kind="poddisruptionbudget")
    return Forbidden(_failure(message, Forbidden, details))


def _failure(message: str, error: type[ApiError], details: StatusDetails | None = None) -> Status:
    status = Status(status="Failure", message=message, code=error.code)
    if error is not InternalError:
        # Upstream gives none for what it did not expect.
        status.reason = error.reason
    if details is not None:
        status.details = details
    return status


def _name(obj: Object) -> str:
    name: str = (obj.get("metadata") or {}).get("name") or ""
    return name


def disruption_condition(now: datetime) -> Object:
    """The condition that tells the pod, and whoever watches it, why it is deleted."""
    return {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
        "lastTransitionTime": format_time(now),
    }
