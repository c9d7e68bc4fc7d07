"""Containers that run a shell for somebody to type into, as of `kubectl run -it NAME --image=IMAGE -- sh`.

They wait for whoever attaches, and end with the shell: when `exit` is typed, or Ctrl-D at a terminal, and
where the input is open for one attachment alone (`stdinOnce`) also when it ends or that one goes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from kubewright.controllers.requests import Request
from kubewright.models.core_v1 import Container, EphemeralContainer, Pod
from kubewright.server.handlers.subresources.kubelets import CommandStreams

__all__ = ["ATTACHED_WITHIN", "SHELLS", "Exits", "WatchedInput", "has_script", "shell_of", "waits_for_input"]

SHELLS: Final = frozenset({"sh", "ash", "bash"})
"""The names of the one that there is."""

ATTACHED_WITHIN: Final = 20.0
"""The seconds that a shell with a script waits for whoever attaches, before it runs without.

Clients attach as soon as they see that it runs, which takes a busy machine some seconds; who waits for its
end instead, as `kubectl wait` does for 30 seconds, is to see it.
"""

_OPTIONS: Final = frozenset({"-l", "-i", "-e", "-x", "--login"})
"""Of a shell that reads what to do from its input."""


def shell_of(container: Container | EphemeralContainer) -> list[str]:
    """The shell that a container runs, for whoever types into it; nothing where it runs something else.

    One that was added to look at the others runs a shell if nothing else is said, as images for that do.
    """
    if not container.stdin:
        return []
    command = [*container.command, *container.args]
    if not command and isinstance(container, EphemeralContainer):
        command = ["sh"]
    return command if command and posixpath.basename(command[0]) in SHELLS else []


def has_script(shell: Sequence[str]) -> bool:
    """Whether a shell knows what to do without any input."""
    return not _OPTIONS.issuperset(shell[1:])


def waits_for_input(container: Container | EphemeralContainer) -> bool:
    """Whether a container does nothing before somebody attaches, and ends with what is done then.

    That is a shell without a script; with one, if the input is for one attachment, which is about to come, or
    if it was added to look at the others. Other scripts run for as long as their pod wants them to.
    """
    shell = shell_of(container)
    soon = container.stdin_once is True or isinstance(container, EphemeralContainer)
    return bool(shell) and (soon or not has_script(shell))


class WatchedInput:
    """The streams of a command, and whether its input has ended by itself. See `CommandStreams`."""

    def __init__(self, streams: CommandStreams) -> None:
        self._streams: Final = streams
        self.has_stdin: Final = streams.has_stdin
        self.tty: Final = streams.tty
        self.ended = False

    async def read(self) -> bytes:
        """Some input; nothing at its end."""
        data = await self._streams.read()
        self.ended = self.ended or not data
        return data

    async def write(self, data: bytes) -> None:
        """Write to stdout."""
        await self._streams.write(data)

    async def write_error(self, data: bytes) -> None:
        """Write to stderr."""
        await self._streams.write_error(data)


class Exits:
    """Shells that have ended, until the kubelet has told that their containers have."""

    def __init__(self) -> None:
        self.wake: Callable[[Request], object] = lambda _: None
        """Has a pod looked at."""
        self._codes: Final[dict[Request, dict[str, int]]] = {}
        """By the pod and the id of the container, which is another for each start and each pod of a name."""
        self._attached: Final[dict[str, int]] = {}
        """How many are at the input of a container, by its id."""

    @contextmanager
    def attaching(self, pod: Pod, container_id: str) -> Iterator[None]:
        """While somebody is at the input of a container."""
        self._attached[container_id] = self._attached.get(container_id, 0) + 1
        try:
            yield
        finally:
            left = self._attached.pop(container_id) - 1
            if left:
                self._attached[container_id] = left
            self.wake(Request.of(pod))

    @property
    def attached(self) -> Collection[str]:
        """The ids of containers whose input somebody is at."""
        return self._attached.keys()

    def note(self, pod: Pod, container_id: str, code: int) -> None:
        """A shell has ended with an exit code."""
        self._codes.setdefault(Request.of(pod), {})[container_id] = code
        self.wake(Request.of(pod))

    def of(self, pod: Request) -> Mapping[str, int]:
        """The exit codes of a pod, by the ids of containers."""
        return dict(self._codes.get(pod, {}))

    def forget(self, pod: Request, told: Mapping[str, int] | None = None) -> None:
        """Forget those that were told, which may be none; all that there are of a pod that is gone."""
        codes = self._codes.pop(pod, {})
        left = {each: code for each, code in codes.items() if told is not None and each not in told}
        if left:
            self._codes[pod] = left
