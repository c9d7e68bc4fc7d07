"""Pods: what state they are in, told in one word, and how often their containers were started again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age, since
from kubewright.server.tables.fields import NONE, condition, items, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, wide

__all__ = ["PODS"]

_GATED: Final = "SchedulingGated"
_NODE_LOST: Final = "NodeLost"
"""The reason of the pods of a node that is not heard of any more."""


class _Tally:
    """What is counted over the containers of a pod."""

    __slots__ = ("last_restart", "ready", "restarts")

    def __init__(self) -> None:
        self.ready = 0
        self.restarts = 0
        self.last_restart = ""

    def add_restarts(self, container: Object) -> None:
        self.restarts += container.get("restartCount") or 0
        # Stored times are all in the same form, so that the later text is the later time.
        finished = part(container, "lastState", "terminated").get("finishedAt") or ""
        self.last_restart = max(self.last_restart, finished)


def _cells(pod: Object, now: datetime) -> list[Any]:
    spec, status = part(pod, "spec"), part(pod, "status")
    inits = {one.get("name"): one for one in items(spec, "initContainers")}
    sidecars = {name for name, one in inits.items() if one.get("restartPolicy") == "Always"}
    # Not the number of names: containers that share one count twice, as they do upstream.
    total = len(items(spec, "containers"))
    total += sum(one.get("restartPolicy") == "Always" for one in items(spec, "initContainers"))
    reason = _first_reason(status)
    starting, tally, sidecar_tally = _initialization(spec, status, sidecars)
    if starting:
        reason = starting
    if not starting or _is_true(status, "Initialized"):
        sidecar_tally.ready = tally.ready
        tally = sidecar_tally
        reason = _running(status, reason, tally)
    reason = _ending(pod, status) or reason
    cells = [
        name_of(pod),
        f"{tally.ready}/{total}",
        reason,
        _restarts(tally, now),
        age(pod, now),
    ]
    return cells + _wide_cells(spec, status)


def _first_reason(status: Object) -> str:
    for found in items(status, "conditions"):
        if found.get("type") == "PodScheduled" and found.get("reason") == _GATED:
            return _GATED
    return status.get("reason") or status.get("phase") or ""


def _initialization(spec: Object, status: Object, sidecars: set[Any]) -> tuple[str, _Tally, _Tally]:
    """Which init container the pod waits for, and the counts over those before; of all, and of sidecars."""
    tally, sidecar_tally = _Tally(), _Tally()
    for index, container in enumerate(items(status, "initContainerStatuses")):
        tally.add_restarts(container)
        sidecar = container.get("name") in sidecars
        if sidecar:
            sidecar_tally.add_restarts(container)
        state = part(container, "state")
        terminated, waiting = state.get("terminated"), state.get("waiting")
        if terminated is not None and not terminated.get("exitCode"):
            continue
        if sidecar and container.get("started"):
            tally.ready += bool(container.get("ready"))
            continue
        if terminated is not None:
            return "Init:" + _terminated(terminated), tally, sidecar_tally
        why = (waiting or {}).get("reason")
        if why and why != "PodInitializing":
            return f"Init:{why}", tally, sidecar_tally
        return f"Init:{index}/{len(items(spec, 'initContainers'))}", tally, sidecar_tally
    return "", tally, sidecar_tally


def _terminated(terminated: Object) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode') or 0}"


def _running(status: Object, reason: str, tally: _Tally) -> str:
    """The reason once the pod is initialized: what the first of its containers has to say comes last."""
    running, failure = False, ""
    for container in reversed(items(status, "containerStatuses")):
        tally.add_restarts(container)
        state = part(container, "state")
        terminated = state.get("terminated")
        if why := part(state, "waiting").get("reason"):
            reason = why
        elif terminated is not None:
            reason = _terminated(terminated)
            if terminated.get("exitCode"):
                failure = reason
        elif container.get("ready") and state.get("running") is not None:
            running = True
            tally.ready += 1
    if reason != "Completed":
        return reason
    if running and any(
        one.get("type") == "Ready" and one.get("status") == "True" for one in items(status, "conditions")
    ):
        return "Running"
    return failure or ("NotReady" if running else reason)


def _ending(pod: Object, status: Object) -> str:
    if part(pod, "metadata").get("deletionTimestamp") is None:
        return ""
    if status.get("reason") == _NODE_LOST:
        return "Unknown"
    return "" if status.get("phase") in {"Succeeded", "Failed"} else "Terminating"


def _restarts(tally: _Tally, now: datetime) -> str:
    if tally.restarts and tally.last_restart:
        return f"{tally.restarts} ({since(tally.last_restart, now)} ago)"
    return str(tally.restarts)


def _wide_cells(spec: Object, status: Object) -> list[Any]:
    addresses = items(status, "podIPs")
    address = (addresses[0].get("ip") if addresses else "") or status.get("podIP") or NONE
    gates = items(spec, "readinessGates")
    passed = sum(_is_true(status, gate.get("conditionType") or "") for gate in gates)
    return [
        address,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        f"{passed}/{len(gates)}" if gates else NONE,
    ]


def _is_true(status: Object, kind: str) -> bool:
    found = condition(status, kind)
    return found is not None and found.get("status") == "True"


_CONDITIONS: Final[Mapping[str, Object]] = {
    "Succeeded": {
        "type": "Completed",
        "status": "True",
        "reason": "Succeeded",
        "message": "The pod has completed successfully.",
    },
    "Failed": {"type": "Completed", "status": "True", "reason": "Failed", "message": "The pod failed."},
}
"""By these, kubectl knows which rows it need not show."""


def _conditions(pod: Object) -> list[Object]:
    found = _CONDITIONS.get(part(pod, "status").get("phase") or "")
    return [] if found is None else [found]


PODS: Final = Printer(
    columns(
        NAME,
        "Ready",
        "Status",
        "Restarts",
        AGE,
        *wide("IP", "Node", "Nominated Node", "Readiness Gates"),
    ),
    _cells,
    _conditions,
)
