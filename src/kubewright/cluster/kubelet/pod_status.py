"""The phase and the conditions of a pod, from the statuses of its containers, as kubelets find them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

from kubewright.models.core_v1 import (
    Container,
    ContainerRestartRule,
    ContainerStateTerminated,
    ContainerStatus,
    Pod,
    PodCondition,
    PodSpec,
)

__all__ = ["Phase", "conditions_of", "has_begun", "is_sidecar", "phase_of", "restarts"]

Phase = Literal["Failed", "Pending", "Running", "Succeeded"]

_NEVER_HAD_GATES: Final = 'corresponding condition of pod readiness gate "{}" does not exist.'


def is_sidecar(container: Container) -> bool:
    """Whether a container that stands among those that initialize a pod runs beside it all its life."""
    return container.restart_policy == "Always"


def restarts(spec: PodSpec, container: Container, exit_code: int, *, initializes: bool) -> bool:
    """Whether a container that has ended is started again."""
    if initializes and not is_sidecar(container) and exit_code == 0:
        return False
    if container.restart_policy and any(_applies(rule, exit_code) for rule in container.restart_policy_rules):
        return True
    policy = container.restart_policy or spec.restart_policy or "Always"
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def _applies(rule: ContainerRestartRule, exit_code: int) -> bool:
    """Whether a rule has a container restarted; those that would restart the others as well do only that."""
    codes = rule.exit_codes
    if codes is None:
        return False
    return (exit_code in codes.values) == (codes.operator == "In")


def has_begun(spec: PodSpec, statuses: Mapping[str, ContainerStatus]) -> bool:
    """Whether a container of a pod has ever started, which those that initialize it are not."""
    return any(each.name in statuses and statuses[each.name].container_id for each in spec.containers)


def phase_of(spec: PodSpec, statuses: Mapping[str, ContainerStatus], *, over: bool = False) -> Phase:
    """The phase of a pod; `over` says that none of its containers will be started again."""
    pending = _pending_initialization(spec, statuses)
    if pending == "Failed":
        return "Failed"
    stopped = succeeded = waiting = final = 0
    sidecars = [statuses.get(each.name) for each in spec.init_containers if is_sidecar(each)]
    running = sum(each is not None and each.state.running is not None for each in sidecars)
    for container in spec.containers:
        status = statuses.get(container.name)
        ended = _end_of(status)
        if status is not None and status.state.running is not None:
            running += 1
        elif status is not None and ended is not None:
            stopped += 1
            final += not restarts(spec, container, ended.exit_code, initializes=False)
            succeeded += status.state.terminated is not None and ended.exit_code == 0
        else:
            waiting += 1
    if pending or waiting:
        return "Failed" if over else "Pending"
    if running or (not over and stopped != final):
        return "Running"
    return "Succeeded" if stopped == succeeded else "Failed"


def _end_of(status: ContainerStatus | None) -> ContainerStateTerminated | None:
    """How a container has ended that does not run, if it ever has."""
    if status is None:
        return None
    return status.state.terminated or (
        status.last_state.terminated if status.state.waiting is not None else None
    )


def _pending_initialization(spec: PodSpec, statuses: Mapping[str, ContainerStatus]) -> str:
    """`Pending` while the pod is initialized, `Failed` when that has failed for good, and empty after it."""
    begun = has_begun(spec, statuses)
    found = ""
    for container in spec.init_containers:
        status = statuses.get(container.name)
        if is_sidecar(container):
            if not begun and (status is None or not status.started):
                found = "Pending"
            continue
        ended = None if status is None else status.state.terminated
        if ended is None:
            found = "Pending"
        elif ended.exit_code != 0:
            if not restarts(spec, container, ended.exit_code, initializes=True):
                return "Failed"
            found = "Pending"
    return found


def conditions_of(
    pod: Pod, phase: Phase, statuses: Mapping[str, ContainerStatus], now: datetime
) -> list[PodCondition]:
    """The conditions of a pod: the kubelet's own in their order, and after them those of others."""
    generation = pod.metadata.generation
    before = {each.type: each for each in pod.status.conditions}
    ready = _containers_ready(pod, phase, statuses)
    made = {
        "PodReadyToStartContainers": ("False" if phase in {"Succeeded", "Failed"} else "True", "", ""),
        "Initialized": _initialized(pod, phase, statuses),
        "Ready": ready if ready[0] != "True" else _gates(pod, before),
        "ContainersReady": ready,
        "PodScheduled": ("True", "", ""),
    }
    conditions = []
    for kind, (status, reason, message) in made.items():
        old = before.pop(kind, None)
        since = old.last_transition_time if old is not None and old.status == status else now
        conditions.append(
            PodCondition(
                type=kind,
                status=status,
                reason=reason,
                message=message,
                last_transition_time=since,
                observed_generation=generation,
            )
        )
    return [*conditions, *before.values()]


def _containers_ready(
    pod: Pod, phase: Phase, statuses: Mapping[str, ContainerStatus]
) -> tuple[str, str, str]:
    if phase == "Succeeded":
        return "False", "PodCompleted", ""
    if phase == "Failed":
        return "False", "PodFailed", ""
    sidecars = [each for each in pod.spec.init_containers if is_sidecar(each)]
    return _unready([*sidecars, *pod.spec.containers], statuses)


def _unready(
    containers: Sequence[Container], statuses: Mapping[str, ContainerStatus]
) -> tuple[str, str, str]:
    unready = [each.name for each in containers if each.name not in statuses or not statuses[each.name].ready]
    if not unready:
        return "True", "", ""
    return "False", "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]"


def _initialized(pod: Pod, phase: Phase, statuses: Mapping[str, ContainerStatus]) -> tuple[str, str, str]:
    if phase == "Succeeded":
        return "True", "PodCompleted", ""
    if has_begun(pod.spec, statuses):
        return "True", "", ""
    incomplete = []
    for container in pod.spec.init_containers:
        status = statuses.get(container.name)
        done = status is not None and (
            bool(status.started)
            if is_sidecar(container)
            else status.state.terminated is not None and status.state.terminated.exit_code == 0
        )
        if not done:
            incomplete.append(container.name)
    if not incomplete:
        return "True", "", ""
    message = f"containers with incomplete status: [{' '.join(incomplete)}]"
    return "False", "ContainersNotInitialized", message


def _gates(pod: Pod, conditions: Mapping[str, PodCondition]) -> tuple[str, str, str]:
    """Ready, unless a gate of the pod is closed."""
    closed = []
    for gate in pod.spec.readiness_gates:
        found = conditions.get(gate.condition_type)
        if found is None:
            closed.append(_NEVER_HAD_GATES.format(gate.condition_type))
        elif found.status != "True":
            closed.append(
                f'the status of pod readiness gate "{gate.condition_type}" is not "True", but {found.status}'
            )
    return ("False", "ReadinessGatesNotReady", ", ".join(closed)) if closed else ("True", "", "")
