"""The life of a pod on a node: from its container statuses, its script and the time to what comes next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, NamedTuple

from kubewright.cluster.kubelet.changes import Changed, change_of, follow
from kubewright.cluster.kubelet.containers import KILLED, Notice, lost, restarted, stopped, turn, waiting
from kubewright.cluster.kubelet.pod_status import (
    Phase,
    conditions_of,
    has_begun,
    is_sidecar,
    phase_of,
    restarts,
)
from kubewright.cluster.kubelet.script import ContainerScript, Role, script_of, script_of_ephemeral
from kubewright.cluster.kubelet.typed_into import ATTACHED_WITHIN, has_script, shell_of, waits_for_input
from kubewright.models.core_v1 import (
    Container,
    ContainerState,
    ContainerStateWaiting,
    ContainerStatus,
    EphemeralContainer,
    HostIP,
    Pod,
    PodIP,
    PodSpec,
    PodStatus,
)

__all__ = ["Addresses", "Life", "live"]

NO_EXITS: Final[Mapping[str, int]] = MappingProxyType({})

_OVER: Final = frozenset({"Succeeded", "Failed"})

_MOST_TURNS: Final = 1000
"""So many steps nobody's script takes at one time; the next ones come when the pod is looked at again."""

_GRACE: Final = 30
"""The seconds that a pod has to end which does not say how many it needs, as the API's default is."""

_ENDLESS: Final = 1e11
"""Seconds of grace from which on a pod is deleted at no date that there is: servers take any number."""

_BEGAN, _STOPPING = "/began", "/stopping"
"""Beside containers, whose names have no slash, in `times`: the pod's own."""


class Addresses(NamedTuple):
    """Where a pod is."""

    host: str
    pod: str


class Life(NamedTuple):
    """What is to be told of a pod, and when to look at it again."""

    status: PodStatus
    due: float | None
    """In seconds; None when nothing will happen by itself."""
    gone: bool
    """Whether all has ended of a pod that was deleted, so that its object may go."""
    notices: tuple[Notice, ...]
    times: dict[str, datetime]
    """When the present state of each container began, more exactly than its status tells."""


def live(
    pod: Pod,
    now: datetime,
    times: Mapping[str, datetime],
    addresses: Addresses,
    exits: Mapping[str, int] = NO_EXITS,
    attached: Collection[str] = (),
) -> Life:
    """The pod at a time. What it was is in its status, and more exactly in `times`.

    `exits` are the exit codes of shells that were typed into, by the ids of the containers that end so,
    and `attached` the ids of those that somebody types into.
    """
    return _Living(pod, now, times, addresses, exits, attached).life()


class _Living:
    def __init__(
        self,
        pod: Pod,
        now: datetime,
        times: Mapping[str, datetime],
        addresses: Addresses,
        exits: Mapping[str, int],
        attached: Collection[str],
    ) -> None:
        self._pod: Final = pod
        self._attached: Final = attached
        self._exits: Final = exits
        self._spec: Final = pod.spec
        self._now: Final = now
        self._addresses: Final = addresses
        self._times: Final = dict(times)
        self._notices: Final[list[Notice]] = []
        self._due: list[float] = []
        self._began: Final = pod.status.start_time or now
        self._statuses: Final = self._known()
        self._scripts: Final = self._read_scripts()

    def life(self) -> Life:
        """All that can happen by now has happened."""
        deleted = self._pod.metadata.deletion_timestamp is not None
        if self._pod.status.phase in _OVER:
            phase: Phase = "Succeeded" if self._pod.status.phase == "Succeeded" else "Failed"
            ended = True
        elif deleted:
            phase, ended = self._end_as_deleted()
        elif self._is_past_deadline():
            phase, ended = self._end_at_deadline()
        else:
            if _STOPPING not in self._times:
                self._go_on()
            phase, ended = self._finish_sidecars(), False
        due = min(self._due) if self._due else None
        return Life(self._status(phase), due, deleted and ended, tuple(self._notices), self._times)

    def _known(self) -> dict[str, ContainerStatus]:
        status = self._pod.status
        lists = (
            status.init_container_statuses,
            status.container_statuses,
            status.ephemeral_container_statuses,
        )
        return {each.name: each for found in lists for each in found}

    def _read_scripts(self) -> dict[str, ContainerScript]:
        annotations, spec = self._pod.metadata.annotations, self._spec
        scripts: dict[str, ContainerScript] = {}
        problems: list[str] = []

        def read(name: str, role: Role) -> None:
            scripts[name], found = script_of(annotations, name, role)
            problems.extend(found)

        for container in spec.init_containers:
            sidecar = is_sidecar(container)
            read(container.name, Role(initializes=not sidecar, restarts=sidecar))
        for container in spec.containers:
            policy = container.restart_policy or spec.restart_policy or "Always"
            waits = waits_for_input(container)
            goes_on = policy == "Always" or (waits and not self._gives_up(container))
            lasts = ATTACHED_WITHIN if waits else 0.0
            read(container.name, Role(initializes=False, restarts=goes_on, lasts=lasts))
        for each in spec.ephemeral_containers:
            scripts[each.name], found = script_of_ephemeral(annotations, each.name)
            problems.extend(found)
        if self._pod.status.start_time is None:
            # Told once, when the pod is first seen.
            for problem in dict.fromkeys(problems):
                self._notices.append(Notice("Warning", "InvalidScript", problem))
        return scripts

    def _gives_up(self, container: Container) -> bool:
        """Whether a container that waits for somebody will do without."""
        status = self._statuses.get(container.name)
        is_attached = status is not None and status.container_id in self._attached
        return has_script(shell_of(container)) and not is_attached

    # The end of a pod.

    def _end_as_deleted(self) -> tuple[Phase, bool]:
        metadata = self._pod.metadata
        assert metadata.deletion_timestamp is not None  # noqa: S101 - it is asked for deleted pods
        grace = float(metadata.deletion_grace_period_seconds or 0)
        told = self._times.get(_STOPPING, self._now)
        if grace < _ENDLESS:
            told = metadata.deletion_timestamp - timedelta(seconds=grace)
        ended = self._stop(told, grace)
        if ended:
            self._lose()
        return phase_of(self._spec, self._statuses, over=ended), ended

    def _is_past_deadline(self) -> bool:
        seconds = self._spec.active_deadline_seconds
        if seconds is None or self._pod.status.start_time is None:
            return False
        left = self._moment(_BEGAN, self._began) + timedelta(seconds=seconds) - self._now
        return left <= timedelta()

    def _end_at_deadline(self) -> tuple[Phase, bool]:
        message = "Pod was active on the node longer than the specified deadline"
        if _STOPPING not in self._times:
            self._notices.append(Notice("Normal", "DeadlineExceeded", message))
        since = self._times.get(_STOPPING, self._now)
        grace = self._spec.termination_grace_period_seconds
        if not self._stop(since, float(_GRACE if grace is None else grace)):
            return phase_of(self._spec, self._statuses), False
        self._lose()
        self._pod.status.reason, self._pod.status.message = "DeadlineExceeded", message
        return "Failed", True

    def _finish_sidecars(self) -> Phase:
        """The phase of a pod; when all that it was for has ended, what runs beside that is ended, too."""
        sidecars = {each.name for each in self._spec.init_containers if is_sidecar(each)}
        beside = sidecars | {each.name for each in self._spec.ephemeral_containers}
        if not beside:
            return phase_of(self._spec, self._statuses)
        others = {name: each for name, each in self._statuses.items() if name not in beside}
        phase = phase_of(self._spec_without_sidecars(), others)
        running = [name for name in beside if name in self._statuses and self._runs(name)]
        if phase not in _OVER or not running:
            return phase_of(self._spec, self._statuses)
        grace = self._spec.termination_grace_period_seconds
        since = self._times.get(_STOPPING, self._now)
        if self._stop(since, float(_GRACE if grace is None else grace)):
            self._due.clear()
        return phase_of(self._spec, self._statuses)

    def _spec_without_sidecars(self) -> PodSpec:
        regular = [each for each in self._spec.init_containers if not is_sidecar(each)]
        return PodSpec(
            containers=self._spec.containers,
            init_containers=regular,
            restart_policy=self._spec.restart_policy,
        )

    def _stop(self, told: datetime, grace: float) -> bool:
        """End all that runs, the sidecars after the others and the last one first; whether all has ended."""
        began = self._stopping(told)
        ended, after = True, 0.0
        for names in self._order_of_end():
            slowest = 0.0
            for name in names:
                takes = after + self._scripts[name].stop_after
                slowest = max(slowest, self._scripts[name].stop_after)
                if self._runs(name):
                    ended = self._stop_one(name, began, takes, grace) and ended
            after += slowest
        return ended

    def _stopping(self, told: datetime) -> datetime:
        """When the end began; the first time it is asked, it is told what ends."""
        if _STOPPING not in self._times:
            self._times[_STOPPING] = self._now
            for name in self._statuses:
                if self._runs(name):
                    self._notices.append(Notice("Normal", "Killing", f"Stopping container {name}", name))
        return self._moment(_STOPPING, told)

    def _order_of_end(self) -> list[list[str]]:
        spec = self._spec
        sidecars = [each.name for each in spec.init_containers if is_sidecar(each)]
        names = [each.name for each in (*spec.init_containers, *spec.containers)]
        names += [each.name for each in spec.ephemeral_containers]
        rest = [each for each in names if each not in sidecars]
        return [rest, *([each] for each in reversed(sidecars))]

    def _stop_one(self, name: str, began: datetime, takes: float, grace: float) -> bool:
        left = round(min(takes, grace) - (self._now - began).total_seconds(), 6)
        if left > 0:
            self._due.append(left)
            return False
        stopped(self._statuses[name], self._now, 0 if takes <= grace else KILLED)
        return True

    def _lose(self) -> None:
        """Containers that did not run when the pod ended have an end nevertheless."""
        if not self._statuses:
            self._wait_for_others("ContainerCreating")
        begun = has_begun(self._spec, self._statuses) or not self._spec.init_containers
        names = {each.name for each in self._spec.containers} if begun else set()
        for name, status in self._statuses.items():
            if status.state.waiting is not None and (
                name in names or status.last_state.terminated is not None
            ):
                lost(status)

    # What goes on.

    def _go_on(self) -> None:
        """Take turns until nothing more happens now."""
        spec = self._spec
        if spec.active_deadline_seconds is not None:
            end = self._moment(_BEGAN, self._began) + timedelta(seconds=spec.active_deadline_seconds)
            self._due.append(max((end - self._now).total_seconds(), 0.001))
        for each in spec.ephemeral_containers:
            self._take_turns(each, "ContainerCreating", restart=False)
        begun = has_begun(spec, self._statuses)
        for container in spec.init_containers:
            initializes = not is_sidecar(container)
            if begun and initializes:
                continue
            status = self._take_turns(container, "PodInitializing", initializes=initializes)
            ended = status.state.terminated
            done = ended is not None and ended.exit_code == 0 if initializes else bool(status.started)
            if not done and not begun:
                self._wait_for_others("PodInitializing")
                return
            if initializes:
                status.ready = True
        for container in spec.containers:
            self._take_turns(container, "ContainerCreating")

    def _take_turns(
        self,
        container: Container | EphemeralContainer,
        reason: str,
        *,
        initializes: bool = False,
        restart: bool = True,
    ) -> ContainerStatus:
        name = container.name
        status = self._statuses.get(name)
        if status is None:
            status = self._statuses[name] = waiting(name, container.image, reason)
        elif status.state.waiting is not None and status.state.waiting.reason == "PodInitializing":
            status.state = ContainerState(waiting=ContainerStateWaiting(reason=reason))
        if isinstance(container, Container):
            self._change(container, status)
        if self._runs(name) and (code := self._exits.get(status.container_id)) is not None:
            stopped(status, self._now, code)
            self._times[name] = self._now
        for _ in range(_MOST_TURNS):
            before = status.state
            again = restart and self._restarts(container, before, initializes=initializes)
            if again and before.terminated is not None:
                status.image = container.image
            taken = turn(
                status,
                self._scripts[name],
                now=self._now,
                since=self._since(status),
                restarts=again,
                uid=self._pod.metadata.uid,
                pod=f"{self._pod.metadata.name}_{self._pod.metadata.namespace}({self._pod.metadata.uid})",
            )
            self._notices.extend(taken.notices)
            if status.state is before:
                if taken.due is not None:
                    self._due.append(max(taken.due, 0.001))
                return status
            self._times[name] = self._now
        self._due.append(1.0)
        return status

    def _restarts(
        self, container: Container | EphemeralContainer, state: ContainerState, *, initializes: bool
    ) -> bool:
        code = state.terminated.exit_code if state.terminated is not None else 0
        return isinstance(container, Container) and restarts(
            self._spec, container, code, initializes=initializes
        )

    def _change(self, container: Container, status: ContainerStatus) -> None:
        """Follow a change of the image, or of the resources, of a container."""
        changed = change_of(container, status)
        if changed is Changed.NOTHING:
            return
        again = changed is not Changed.RESOURCES and (status.restart_count or self._runs(status.name))
        self._notices.extend(follow(self._pod, container, status, changed))
        if not again:
            return
        if self._runs(status.name):
            stopped(status, self._now, 0)
        self._notices.extend(restarted(status, self._now, self._pod.metadata.uid).notices)
        self._times[status.name] = self._now

    def _runs(self, name: str) -> bool:
        status = self._statuses.get(name)
        return status is not None and status.state.running is not None

    def _since(self, status: ContainerStatus) -> datetime:
        """When the state of a container began: as it is known here, if it is the one that is told."""
        state, last = status.state, status.last_state.terminated
        told = self._began
        if state.running is not None and state.running.started_at is not None:
            told = state.running.started_at
        elif state.terminated is not None and state.terminated.finished_at is not None:
            told = state.terminated.finished_at
        elif last is not None and last.finished_at is not None:
            told = last.finished_at
        return self._moment(status.name, told)

    def _moment(self, key: str, told: datetime) -> datetime:
        """A time that is told in whole seconds, as exactly as it is known here."""
        exact = self._times.setdefault(key, told)
        return exact if abs((exact - told).total_seconds()) < 1 else told

    def _wait_for_others(self, reason: str) -> None:
        """Containers whose turn has not come are told of, too."""
        for container in (*self._spec.init_containers, *self._spec.containers):
            if container.name not in self._statuses:
                self._statuses[container.name] = waiting(container.name, container.image, reason)

    def _status(self, phase: Phase) -> PodStatus:
        pod, before = self._pod, self._pod.status
        before.phase = phase
        before.start_time = self._began
        before.observed_generation = pod.metadata.generation
        before.host_ip = self._addresses.host
        before.host_ips = [HostIP(ip=self._addresses.host)]
        before.pod_ip = self._addresses.pod
        before.pod_ips = [PodIP(ip=self._addresses.pod)]
        before.init_container_statuses = self._told([each.name for each in pod.spec.init_containers])
        before.container_statuses = self._told([each.name for each in pod.spec.containers])
        ephemeral = [each.name for each in pod.spec.ephemeral_containers]
        before.ephemeral_container_statuses = self._told(ephemeral)
        before.conditions = conditions_of(pod, phase, self._statuses, self._now)
        return before

    def _told(self, names: list[str]) -> list[ContainerStatus]:
        return [self._statuses[each] for each in names if each in self._statuses]
