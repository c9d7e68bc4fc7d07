"""The life of one container: what its status says next, and when it says something else."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Final, NamedTuple

from kubewright.cluster.kubelet.script import ContainerScript
from kubewright.models.core_v1 import (
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
)

__all__ = ["KILLED", "Notice", "Turn", "lost", "restart_delay", "restarted", "stopped", "turn", "waiting"]

_RUNTIME: Final = "kubewright://"

_FIRST_BACKOFF: Final = 10.0
_LONGEST_BACKOFF: Final = 300.0
"""The seconds that kubelets wait before they restart a container that ended twice; doubled each time."""

_FORGIVEN_AFTER: Final = 600.0
"""The seconds that a container has to run for its former ends to be forgotten: twice the longest backoff."""

KILLED: Final = 137
"""What a process ends with that did not stop in time: 128 and SIGKILL."""


class Notice(NamedTuple):
    """An event to be recorded about a container."""

    type: str
    reason: str
    message: str
    container: str = ""


class Turn(NamedTuple):
    """What a container's status is now, and after how many seconds to look again; None for never."""

    status: ContainerStatus
    due: float | None = None
    notices: tuple[Notice, ...] = ()


def waiting(name: str, image: str, reason: str) -> ContainerStatus:
    """A container that has not started."""
    return ContainerStatus(
        name=name,
        image=image,
        image_id="",
        ready=False,
        started=False,
        restart_count=0,
        state=ContainerState(waiting=ContainerStateWaiting(reason=reason)),
    )


def turn(
    status: ContainerStatus,
    script: ContainerScript,
    *,
    now: datetime,
    since: datetime,
    restarts: bool,
    uid: str,
    pod: str,
) -> Turn:
    """One step in the life of a container whose turn to start has come.

    `since` is when its present state began; `restarts` says whether it is started again when it has ended.
    """
    state = status.state
    if state.running is not None:
        return _running(status, script, now, since)
    if state.terminated is not None:
        return _ended(status, state.terminated, now, since, restarts=restarts, uid=uid, pod=pod)
    if status.restart_count or status.last_state.terminated is not None:
        return _backing_off(status, now, since, uid=uid)
    return _waiting(status, script, now, since, uid=uid)


def stopped(status: ContainerStatus, now: datetime, exit_code: int) -> ContainerStatus:
    """The container, ended."""
    running = status.state.running
    started = running.started_at if running is not None else None
    status.state = ContainerState(
        terminated=ContainerStateTerminated(
            exit_code=exit_code,
            reason="Completed" if exit_code == 0 else "Error",
            started_at=started or now,
            finished_at=now,
            container_id=status.container_id,
        )
    )
    status.ready = False
    status.started = False
    return status


def lost(status: ContainerStatus) -> None:
    """A container of a pod that has ended, which did not run then: the end that it had, or an unknown one."""
    ended = status.last_state.terminated
    if ended is None:
        message = "The container could not be located when the pod was terminated"
        ended = ContainerStateTerminated(exit_code=KILLED, reason="ContainerStatusUnknown", message=message)
    status.state = ContainerState(terminated=ended)


def restarted(status: ContainerStatus, now: datetime, uid: str) -> Turn:
    """A container that has ended, started again at once."""
    if status.state.terminated is not None:
        status.last_state = ContainerState(terminated=status.state.terminated)
    status.restart_count += 1
    return _begun(status, now, uid)


def restart_delay(restart_count: int) -> float:
    """The seconds between the end of a container and its next start: none for the first time."""
    if restart_count == 0:
        return 0.0
    return float(min(_FIRST_BACKOFF * 2.0 ** min(restart_count - 1, 10), _LONGEST_BACKOFF))


def _begun(status: ContainerStatus, now: datetime, uid: str) -> Turn:
    status.image_id = status.image
    status.container_id = _RUNTIME + _digest(f"{uid}/{status.name}/{status.restart_count}")
    status.state = ContainerState(running=ContainerStateRunning(started_at=now))
    status.started = True
    status.ready = False
    pulled = f'Container image "{status.image}" already present on machine and can be accessed by the pod'
    notices = (
        Notice("Normal", "Pulled", pulled, status.name),
        Notice("Normal", "Created", "Container created", status.name),
        Notice("Normal", "Started", "Container started", status.name),
    )
    return Turn(status, 0.0, notices)


def _waiting(
    status: ContainerStatus, script: ContainerScript, now: datetime, since: datetime, *, uid: str
) -> Turn:
    left = _left(since, script.start_after, now)
    if left > 0:
        return Turn(status, left)
    if script.pull_fails:
        return _unpullable(status)
    return _begun(status, now, uid)


def _unpullable(status: ContainerStatus) -> Turn:
    reason = status.state.waiting.reason if status.state.waiting is not None else ""
    if reason == "ImagePullBackOff":
        return Turn(status)
    message = f'Back-off pulling image "{status.image}"'
    status.state = ContainerState(waiting=ContainerStateWaiting(reason="ImagePullBackOff", message=message))
    notices = (
        Notice("Warning", "Failed", f'Failed to pull image "{status.image}": not found', status.name),
        Notice("Warning", "Failed", "Error: ErrImagePull", status.name),
        Notice("Normal", "BackOff", message, status.name),
        Notice("Warning", "Failed", "Error: ImagePullBackOff", status.name),
    )
    return Turn(status, None, notices)


def _running(status: ContainerStatus, script: ContainerScript, now: datetime, since: datetime) -> Turn:
    if script.run_for is not None:
        left = _left(since, script.run_for, now)
        if left <= 0:
            return Turn(stopped(status, now, script.exit_code), 0.0)
    else:
        left = None
    unready = _left(since, script.ready_after, now)
    status.ready = unready <= 0
    if status.ready or unready == float("inf"):
        return Turn(status, left)
    return Turn(status, unready if left is None else min(left, unready))


def _ended(
    status: ContainerStatus,
    ended: ContainerStateTerminated,
    now: datetime,
    since: datetime,
    *,
    restarts: bool,
    uid: str,
    pod: str,
) -> Turn:
    if not restarts:
        return Turn(status)
    delay = _delay(status, ended)
    if _left(since, delay, now) <= 0:
        return restarted(status, now, uid)
    status.last_state = ContainerState(terminated=ended)
    told = f"back-off {_go_duration(delay)} restarting failed container={status.name} pod={pod}"
    status.state = ContainerState(waiting=ContainerStateWaiting(reason="CrashLoopBackOff", message=told))
    message = f"Back-off restarting failed container {status.name} in pod {pod}"
    return Turn(status, _left(since, delay, now), (Notice("Warning", "BackOff", message, status.name),))


def _backing_off(status: ContainerStatus, now: datetime, since: datetime, *, uid: str) -> Turn:
    ended = status.last_state.terminated
    finished = ended.finished_at if ended is not None and ended.finished_at is not None else since
    left = _left(finished, _delay(status, ended), now)
    return Turn(status, left) if left > 0 else restarted(status, now, uid)


def _delay(status: ContainerStatus, ended: ContainerStateTerminated | None) -> float:
    if ended is not None and ended.started_at is not None and ended.finished_at is not None:
        ran = (ended.finished_at - ended.started_at).total_seconds()
        if ran > _FORGIVEN_AFTER:
            return 0.0
    return restart_delay(status.restart_count)


def _go_duration(seconds: float) -> str:
    """As Go writes it: 10s, 1m20s, 5m0s."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def _left(since: datetime, seconds: float, now: datetime) -> float:
    # Not by the date of the end, which may be beyond all dates.
    return round(seconds - (now - since).total_seconds(), 6)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
