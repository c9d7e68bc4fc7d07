"""The logs of containers that pretend.

Nothing is written while a container runs: what its log is by now follows from when it started, when it ended
and what its script says. So logs cost nothing while nobody reads them, and outlive the server as far as the
statuses of pods do. Their times are as exact as those of statuses: they begin at whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import floor
from typing import Final, NamedTuple

from kubewright.cluster.kubelet.script import PREFIX, ContainerScript
from kubewright.machinery.field_errors import go_quote
from kubewright.models.core_v1 import ContainerStateTerminated, ContainerStatus, Pod

__all__ = ["KEPT_LINES", "ContainerLog", "Line", "NoLog", "Run", "run_goes_on", "run_of", "status_of"]

KEPT_LINES: Final = 1000
"""How many lines of a log there are at most: the last ones, as kubelets rotate logs."""

_NOT_PULLED: Final = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}
"""What kubelets say of containers whose image there is not."""


class NoLog(Exception):
    """There is no log; the text says why, in the words of kubelets."""


class Run(NamedTuple):
    """One run of a container."""

    began: datetime
    ended: datetime | None
    exit_code: int
    number: int
    """How many there were before."""


class Line(NamedTuple):
    """One line of a log."""

    at: datetime
    text: str

    def encode(self, *, timestamp: bool) -> bytes:
        """As it is served; with its time in front of it, as kubelets write that, if it is wanted."""
        if not timestamp:
            return f"{self.text}\n".encode()
        told = self.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
        return f"{told}000Z {self.text}\n".encode()


def status_of(pod: Pod, container: str) -> ContainerStatus | None:
    """What is known of a container; None when its pod was not looked at yet."""
    status = pod.status
    every = (
        *status.container_statuses,
        *status.init_container_statuses,
        *status.ephemeral_container_statuses,
    )
    return next((each for each in every if each.name == container), None)


def run_of(pod: Pod, container: str, *, previous: bool) -> Run:
    """The run whose log is meant: the last, or the one before it. Raises NoLog."""
    name, of = go_quote(container), go_quote(pod.metadata.name)
    status = status_of(pod, container)
    if status is None:
        raise NoLog(f"container {name} in pod {of} is not available")
    state, last = status.state, status.last_state.terminated
    if previous:
        if last is None or not last.container_id:
            raise NoLog(f"previous terminated container {name} in pod {of} not found")
        return _over(last, max(status.restart_count - 1, 0))
    if state.running is not None and state.running.started_at is not None:
        return Run(state.running.started_at, None, 0, status.restart_count)
    ended = state.terminated or last
    if ended is not None:
        if not ended.container_id:
            raise NoLog(f"container {name} in pod {of} is terminated")
        return _over(ended, status.restart_count)
    reason = state.waiting.reason if state.waiting is not None else ""
    if not reason:
        raise NoLog(f"container {name} in pod {of} is waiting to start - no logs yet")
    raise NoLog(f"container {name} in pod {of} is waiting to start: {_NOT_PULLED.get(reason, reason)}")


def run_goes_on(pod: Pod, container: str, run: Run, now: datetime) -> Run:
    """The same run, as it is known now."""
    status = status_of(pod, container)
    if run.ended is not None or status is None:
        return run
    try:
        if status.restart_count == run.number:
            return run_of(pod, container, previous=False)
        if status.restart_count == run.number + 1:
            return run_of(pod, container, previous=True)
    except NoLog:
        pass
    return run._replace(ended=now)


def _over(ended: ContainerStateTerminated, number: int) -> Run:
    finished = ended.finished_at or ended.started_at or datetime.fromtimestamp(0, UTC)
    return Run(ended.started_at or finished, finished, ended.exit_code, number)


class ContainerLog:
    """The log of one run of a container, as numbered lines of which none ever changes."""

    def __init__(self, script: ContainerScript, run: Run, *, container: str, image: str) -> None:
        self._run: Final = run
        self._every: Final = script.log_every
        self._container: Final = container
        self._usual: Final = script.log is None
        restart = f", restart {run.number}" if run.number else ""
        self._first: Final = (
            [
                f"container {container} ({image}) has started{restart}",
                f"it is pretended: its log is what the annotation {PREFIX}log says",
            ]
            if script.log is None
            else script.log.splitlines()
        )
        """What is written at the start."""
        self._again: Final = ["line {}"] if self._usual else [_plain(each) for each in self._first]
        """And then in each interval."""

    @property
    def over(self) -> bool:
        """Whether the container has ended, so that nothing more is written."""
        return self._run.ended is not None

    def first(self, now: datetime, tail: int | None) -> int:
        """The number of the first line that is served, of the last `tail` or of all."""
        kept = KEPT_LINES if tail is None else min(tail, KEPT_LINES)
        return max(self.written(now) + self._tells_end() - kept, 0)

    def written(self, now: datetime) -> int:
        """How many lines there are by now, but for the one that tells of the end."""
        last = now if self._run.ended is None else min(now, self._run.ended)
        return len(self._first) + len(self._again) * self._repeats(last)

    def next_at(self, now: datetime) -> datetime | None:
        """When the next line is written; None for never."""
        if self._every is None or not self._again or self.over:
            return None
        return self._run.began + timedelta(seconds=self._every * (self._repeats(now) + 1))

    def lines(self, number: int, now: datetime) -> Iterator[Line]:
        """The lines from a number on up to now, and the one that tells of the end."""
        for each in range(number, self.written(now)):
            yield self._line(each)
        if self._run.ended is not None and self._tells_end():
            text = f"container {self._container} has ended with exit code {self._run.exit_code}"
            yield Line(self._run.ended, text)

    def _tells_end(self) -> bool:
        """Whether there is such a line: scripts have their own words."""
        return self.over and self._usual

    def _repeats(self, moment: datetime) -> int:
        if self._every is None:
            return 0
        return max(floor((moment - self._run.began).total_seconds() / self._every + 1e-9), 0)

    def _line(self, number: int) -> Line:
        if number < len(self._first):
            return Line(self._run.began, self._first[number])
        repeat, place = divmod(number - len(self._first), len(self._again))
        at = self._run.began + timedelta(seconds=(self._every or 0) * (repeat + 1))
        return Line(at, self._again[place].format(repeat + 1))


def _plain(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
