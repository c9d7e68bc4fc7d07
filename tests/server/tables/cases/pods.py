"""Pods in every state."""

from __future__ import annotations

from typing import Any

from tests.server.tables.harness import Case

Json = dict[str, Any]

_READY = {"type": "Ready", "status": "True"}
_INITIALIZED = {"type": "Initialized", "status": "True"}


def _pod(containers: int = 1, inits: int = 0, sidecars: int = 0, **spec: Any) -> Json:
    spec["containers"] = [{"name": f"c{index}", "image": f"image:{index}"} for index in range(containers)]
    spec["initContainers"] = [{"name": f"i{index}", "image": "init"} for index in range(inits)]
    spec["initContainers"] += [
        {"name": f"s{index}", "image": "sidecar", "restartPolicy": "Always"} for index in range(sidecars)
    ]
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec}


def _status(name: str, *, last: str = "", restarts: int = 0, **state: Any) -> Json:
    found: Json = {"name": name, "image": "x", "imageID": "y", "ready": False, "restartCount": restarts}
    for field in ("ready", "started"):
        if field in state:
            found[field] = state.pop(field)
    found["state"] = state
    if last:
        found["lastState"] = {"terminated": {"exitCode": 1, "startedAt": "9d ago", "finishedAt": last}}
    return found


def _running(name: str, *, ready: bool = True, **more: Any) -> Json:
    return _status(name, running={"startedAt": "1h ago"}, ready=ready, started=True, **more)


def _ended(name: str, code: int = 0, reason: str = "", signal: int = 0, **more: Any) -> Json:
    terminated: Json = {"exitCode": code, "startedAt": "2h ago", "finishedAt": "1h ago"}
    if reason:
        terminated["reason"] = reason
    if signal:
        terminated["signal"] = signal
    return _status(name, terminated=terminated, **more)


def _waiting(name: str, reason: str = "", **more: Any) -> Json:
    return _status(name, waiting={"reason": reason} if reason else {}, **more)


def _phase(phase: str = "Running", **status: Any) -> Json:
    return {"phase": phase, **status}


CASES = [
    Case("new", _pod()),
    Case("new of three with sidecars", _pod(3, 1, 2)),
    Case("gated", _pod(schedulingGates=[{"name": "example.com/gate"}])),
    Case(
        "gated by condition",
        _pod(),
        _phase(
            "Pending", conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]
        ),
    ),
    Case("reason", _pod(), _phase("Failed", reason="Evicted")),
    Case("succeeded", _pod(), _phase("Succeeded", containerStatuses=[_ended("c0", 0, "Completed")])),
    Case("failed", _pod(), _phase("Failed", containerStatuses=[_ended("c0", 1, "Error")])),
    Case("unknown phase", _pod(), _phase("Unknown")),
    Case(
        "running",
        _pod(nodeName="node-1"),
        _phase(
            containerStatuses=[_running("c0")],
            podIP="10.1.2.3",
            podIPs=[{"ip": "10.1.2.3"}, {"ip": "fd00::1"}],
            conditions=[_READY],
        ),
    ),
    Case("only podIP", _pod(), _phase(podIP="10.1.2.4")),
    Case("only podIPs", _pod(), _phase(podIPs=[{"ip": "10.1.2.5"}])),
    Case("not ready", _pod(2), _phase(containerStatuses=[_running("c0"), _running("c1", ready=False)])),
    Case("ready but not running", _pod(), _phase(containerStatuses=[_status("c0", ready=True)])),
    Case("creating", _pod(), _phase("Pending", containerStatuses=[_waiting("c0", "ContainerCreating")])),
    Case("waiting without reason", _pod(), _phase("Pending", containerStatuses=[_waiting("c0")])),
    Case(
        "crash loop",
        _pod(),
        _phase(containerStatuses=[_waiting("c0", "CrashLoopBackOff", restarts=7, last="5m ago")]),
    ),
    Case(
        "image error of the first container wins",
        _pod(2),
        _phase(
            "Pending",
            containerStatuses=[_waiting("c0", "ErrImagePull"), _waiting("c1", "ImagePullBackOff")],
        ),
    ),
    Case("restarts without a date", _pod(), _phase(containerStatuses=[_running("c0", restarts=3)])),
    Case("date without restarts", _pod(), _phase(containerStatuses=[_running("c0", last="3h ago")])),
    Case(
        "restarts of two, the later date",
        _pod(2),
        _phase(
            containerStatuses=[
                _running("c0", restarts=1, last="2d ago"),
                _running("c1", restarts=2, last="3h ago"),
            ]
        ),
    ),
    Case(
        "restarts of two, the later date first",
        _pod(2),
        _phase(
            containerStatuses=[
                _running("c0", restarts=1, last="90s ago"),
                _running("c1", restarts=2, last="12d ago"),
            ]
        ),
    ),
    Case("exit code", _pod(), _phase("Failed", containerStatuses=[_ended("c0", 3)])),
    Case("exit code 0 without reason", _pod(), _phase("Succeeded", containerStatuses=[_ended("c0")])),
    Case("signal", _pod(), _phase("Failed", containerStatuses=[_ended("c0", 137, "", 9)])),
    Case("out of memory", _pod(), _phase("Failed", containerStatuses=[_ended("c0", 137, "OOMKilled", 9)])),
    Case(
        "one completed, one running and ready",
        _pod(2),
        _phase(containerStatuses=[_ended("c0", 0, "Completed"), _running("c1")], conditions=[_READY]),
    ),
    Case(
        "one completed, one running, not ready",
        _pod(2),
        _phase(containerStatuses=[_ended("c0", 0, "Completed"), _running("c1")]),
    ),
    Case(
        "one completed, one failed",
        _pod(2),
        _phase("Failed", containerStatuses=[_ended("c0", 0, "Completed"), _ended("c1", 2, "Error")]),
    ),
    Case(
        "one completed, one failed, one running",
        _pod(3),
        _phase(
            containerStatuses=[_ended("c0", 0, "Completed"), _ended("c1", 2, "Error"), _running("c2")],
        ),
    ),
    Case(
        "one completed, one failed, one running and ready",
        _pod(3),
        _phase(
            containerStatuses=[_ended("c0", 0, "Completed"), _ended("c1", 2), _running("c2")],
            conditions=[_READY],
        ),
    ),
    Case("init 0 of 2", _pod(1, 2), _phase("Pending", initContainerStatuses=[_running("i0", ready=False)])),
    Case(
        "init 1 of 2",
        _pod(1, 2),
        _phase(
            "Pending",
            initContainerStatuses=[_ended("i0", restarts=2, last="4m ago"), _running("i1", ready=False)],
        ),
    ),
    Case(
        "init waits for its turn",
        _pod(1, 1),
        _phase("Pending", initContainerStatuses=[_waiting("i0", "PodInitializing")]),
    ),
    Case(
        "init crash loop",
        _pod(1, 1),
        _phase(
            "Pending", initContainerStatuses=[_waiting("i0", "CrashLoopBackOff", restarts=4, last="61m ago")]
        ),
    ),
    Case("init failed", _pod(1, 1), _phase("Pending", initContainerStatuses=[_ended("i0", 1, "Error")])),
    Case("init exit code", _pod(1, 1), _phase("Pending", initContainerStatuses=[_ended("i0", 5)])),
    Case("init signal", _pod(1, 1), _phase("Pending", initContainerStatuses=[_ended("i0", 5, "", 11)])),
    Case(
        "all inits done",
        _pod(1, 2),
        _phase(
            initContainerStatuses=[_ended("i0", restarts=5, last="7h ago"), _ended("i1")],
            containerStatuses=[_running("c0", restarts=1, last="8h ago")],
        ),
    ),
    Case(
        "initialized although an init runs",
        _pod(1, 1),
        _phase(
            conditions=[_INITIALIZED],
            initContainerStatuses=[_running("i0", ready=False, restarts=9)],
            containerStatuses=[_running("c0")],
        ),
    ),
    Case(
        "initialized is false",
        _pod(1, 1),
        _phase(
            conditions=[{"type": "Initialized", "status": "False"}],
            initContainerStatuses=[_running("i0", ready=False, restarts=9)],
            containerStatuses=[_running("c0")],
        ),
    ),
    Case(
        "sidecar started and ready",
        _pod(1, 1, 1),
        _phase(
            initContainerStatuses=[
                _ended("i0", restarts=1, last="3h ago"),
                _running("s0", restarts=2, last="2h ago"),
            ],
            containerStatuses=[_running("c0", restarts=4, last="4h ago")],
        ),
    ),
    Case(
        "sidecar started, not ready",
        _pod(1, 0, 1),
        _phase(initContainerStatuses=[_running("s0", ready=False)], containerStatuses=[_running("c0")]),
    ),
    Case(
        "sidecar not started",
        _pod(1, 0, 2),
        _phase(
            "Pending",
            initContainerStatuses=[
                _running("s0"),
                _status("s1", running={"startedAt": "1h ago"}, ready=False, started=False),
            ],
        ),
    ),
    Case(
        "sidecar failed",
        _pod(1, 0, 1),
        _phase("Pending", initContainerStatuses=[_ended("s0", 1, "Error", restarts=3)]),
    ),
    Case(
        "sidecar done",
        _pod(1, 0, 1),
        _phase(
            "Succeeded",
            initContainerStatuses=[_ended("s0", 0, "Completed")],
            containerStatuses=[_ended("c0", 0, "Completed")],
        ),
    ),
    Case("deleted", _pod(), _phase(containerStatuses=[_running("c0")]), deleted=True),
    Case("deleted and lost", _pod(), _phase(reason="NodeLost"), deleted=True),
    Case("lost", _pod(), _phase(reason="NodeLost")),
    Case("deleted after success", _pod(), _phase("Succeeded"), deleted=True),
    Case(
        "deleted after failure",
        _pod(),
        _phase("Failed", containerStatuses=[_ended("c0", 2, "Error")]),
        deleted=True,
    ),
    Case("nominated", _pod(), _phase("Pending", nominatedNodeName="node-7")),
    Case(
        "readiness gates",
        _pod(
            readinessGates=[
                {"conditionType": "example.com/a"},
                {"conditionType": "example.com/b"},
                {"conditionType": "example.com/c"},
            ]
        ),
        _phase(
            conditions=[
                {"type": "example.com/a", "status": "True"},
                {"type": "example.com/b", "status": "False"},
            ]
        ),
    ),
]
CASES = [case._replace(obj={**case.obj, "metadata": {"name": f"p{n}"}}) for n, case in enumerate(CASES)]
