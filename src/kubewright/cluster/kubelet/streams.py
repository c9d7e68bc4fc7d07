"""What is served of pods that pretend: their logs, and commands in their containers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from kubewright.cluster.kubelet.logs import (
    ContainerLog,
    Line,
    NoLog,
    run_goes_on,
    run_of,
    status_of,
)
from kubewright.cluster.kubelet.pod_status import is_sidecar
from kubewright.cluster.kubelet.script import ContainerScript, Role, script_of, script_of_ephemeral
from kubewright.cluster.kubelet.typed_into import Exits, WatchedInput, shell_of, waits_for_input
from kubewright.cluster.nodes.pretended import PRETENDED
from kubewright.machinery.field_errors import go_quote
from kubewright.models.core_v1 import Container, ContainerStatus, EphemeralContainer, Pod
from kubewright.server.errors import bad_request, internal_error
from kubewright.server.handlers.subresources.kubelets import CommandStreams, FollowedPod, LogOptions

if TYPE_CHECKING:
    from kubewright.server.kinds.kind import Object

__all__ = ["PodStreams"]

_CHUNK: Final = 32 << 10
"""About how many bytes of a log are served at once."""

_KILLED: Final = 137
"""What a command ends with whose container ends: 128 and SIGKILL."""

_FROM_NOW_ON: Final = LogOptions(follow=True, tail_lines=0)
"""What of its log is shown to whoever attaches to a container."""


class PodStreams:
    """The `Kubelets` of a server whose nodes pretend."""

    def __init__(
        self, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC), exits: Exits | None = None
    ) -> None:
        """`exits` is told of shells that containers run, and that have ended."""
        self._clock: Final = clock
        self._exits: Final = exits or Exits()

    def serves(self, node: Object) -> bool:
        """Whether a node pretends."""
        annotations = node["metadata"].get("annotations") or {}
        return bool(annotations.get(PRETENDED) == "true")

    def log(self, pod: FollowedPod, container: str, options: LogOptions) -> AsyncIterator[bytes]:
        """The log of a container, in the words of kubelets. Raises BadRequest when there is none."""
        found = Pod.from_dict(pod.object)
        try:
            run_of(found, container, previous=options.previous)
        except NoLog as error:
            raise bad_request(str(error)) from None
        return _limited(self._log(pod, container, options), options.limit_bytes)

    async def attach(self, pod: FollowedPod, container: str, streams: CommandStreams) -> None:
        """Show what a container writes from now on, until it ends.

        Input is taken and goes nowhere, unless the container waits for it, and ends with it.
        """
        found = _check_running(pod, container)
        status = status_of(found, container)
        if streams.has_stdin and status is not None and waits_for_input(_container(found, container)):
            with self._exits.attaching(found, status.container_id):
                await self._type_into(pod, found, status, streams)
            return
        taking = asyncio.create_task(_take_all(streams))
        try:
            async with aclosing(self._log(pod, container, _FROM_NOW_ON)) as chunks:
                async for chunk in chunks:
                    await streams.write(chunk.replace(b"\n", b"\r\n") if streams.tty else chunk)
        finally:
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)

    async def _type_into(
        self, pod: FollowedPod, found: Pod, status: ContainerStatus, streams: CommandStreams
    ) -> None:
        """Be at the input of a shell that a container runs, which ends with it."""
        watched = WatchedInput(streams)
        container = _container(found, status.name)
        once = container.stdin_once
        # Whoever goes takes the input along, unless others may come to it.
        code = 0 if once else None
        try:
            ended = await self.exec(pod, status.name, shell_of(container), watched)
            code = ended if once or not watched.ended else None
        finally:
            if code is not None and not pod.gone:
                self._exits.note(found, status.container_id, code)

    async def exec(
        self, pod: FollowedPod, container: str, command: Sequence[str], streams: CommandStreams
    ) -> int:
        """Run a command until it, or its container, ends; its exit code."""
        from kubewright.cluster.kubelet.executions import execute  # noqa: PLC0415 - few programs do

        found = _check_running(pod, container)
        spec = _container(found, container)
        running = asyncio.create_task(execute(found, spec, _script(found, spec), command, streams))
        ending = asyncio.create_task(_ended(pod, container))
        try:
            await asyncio.wait((running, ending), return_when=asyncio.FIRST_COMPLETED)
            return running.result() if running.done() else _KILLED
        finally:
            for task in (running, ending):
                task.cancel()
            await asyncio.gather(running, ending, return_exceptions=True)

    async def _log(
        self, pod: FollowedPod, container: str, options: LogOptions
    ) -> AsyncGenerator[bytes, None]:
        found = Pod.from_dict(pod.object)
        spec = _container(found, container)
        script = _script(found, spec)
        run = run_of(found, container, previous=options.previous)
        log = ContainerLog(script, run, container=container, image=spec.image)
        now = self._clock()
        number = log.first(now, options.tail_lines)
        if log.over and options.tail_lines == 0:
            return
        while True:
            for chunk in _chunks(log.lines(number, now), options):
                yield chunk
            if not options.follow or log.over or pod.gone:
                return
            number = max(number, log.written(now))
            due = log.next_at(now)
            await pod.changed(within=None if due is None else (due - now).total_seconds())
            now = self._clock()
            run = run_goes_on(Pod.from_dict(pod.object), container, run, now)
            log = ContainerLog(script, run, container=container, image=spec.image)


def _chunks(lines: Iterator[Line], options: LogOptions) -> Iterator[bytes]:
    """The lines that are wanted, many at once."""
    parts: list[bytes] = []
    size = 0
    for line in lines:
        if options.since is not None and line.at < options.since:
            continue
        parts.append(line.encode(timestamp=options.timestamps))
        size += len(parts[-1])
        if size >= _CHUNK:
            yield b"".join(parts)
            parts.clear()
            size = 0
    if parts:
        yield b"".join(parts)


async def _limited(chunks: AsyncGenerator[bytes, None], limit: int | None) -> AsyncIterator[bytes]:
    """The first bytes of a log, or all without a limit."""
    async with aclosing(chunks):
        async for chunk in chunks:
            if limit is None:
                yield chunk
                continue
            yield chunk[:limit]
            limit -= len(chunk)
            if limit <= 0:
                return


async def _take_all(streams: CommandStreams) -> None:
    while await streams.read():
        pass


async def _ended(pod: FollowedPod, container: str) -> None:
    """Wait until a container that runs does not."""
    status = status_of(Pod.from_dict(pod.object), container)
    while status is not None and status.state.running is not None and not pod.gone:
        run = status.container_id
        await pod.changed()
        status = status_of(Pod.from_dict(pod.object), container)
        if status is not None and status.container_id != run:
            return


def _check_running(pod: FollowedPod, container: str) -> Pod:
    """Raises InternalError for a container in which nothing can be run, in the words of upstream."""
    found = Pod.from_dict(pod.object)
    status = status_of(found, container)
    if status is None or status.state.running is None:
        raise internal_error(f"unable to upgrade connection: container not found ({go_quote(container)})")
    return found


def _container(pod: Pod, name: str) -> Container | EphemeralContainer:
    spec = pod.spec
    every: list[Container | EphemeralContainer] = [*spec.containers, *spec.init_containers]
    every += spec.ephemeral_containers
    return next((each for each in every if each.name == name), Container(name=name))


def _script(pod: Pod, container: Container | EphemeralContainer) -> ContainerScript:
    annotations = pod.metadata.annotations
    if isinstance(container, EphemeralContainer):
        return script_of_ephemeral(annotations, container.name)[0]
    initializes = container in pod.spec.init_containers and not is_sidecar(container)
    return script_of(annotations, container.name, Role(initializes, restarts=True))[0]
