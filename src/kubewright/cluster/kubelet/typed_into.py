"""Containers that run a shell for somebody to type into, as of `kubectl run -it NAME --image=IMAGE -- sh`.

They wait for whoever attaches, and end with the shell: when `exit` is typed, when the input ends, and where
the input is open for one attachment alone (`stdinOnce`) also when that one goes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import Final

from kubewright.controllers.requests import Request
from kubewright.models.core_v1 import Container, EphemeralContainer, Pod
from kubewright.server.handlers.subresources.kubelets import CommandStreams

__all__ = ["SHELLS", "Exits", "WatchedInput", "shell_of", "waits_for_input"]

SHELLS: Final = frozenset({"sh", "ash", "bash"})
"""The names of the one that there is."""

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


def waits_for_input(container: Container) -> bool:
    """Whether a container does nothing before somebody attaches.

    That is a shell without a script; with one, if the input is for one attachment, which is about to come.
    """
    shell = shell_of(container)
    return bool(shell) and (container.stdin_once is True or _OPTIONS.issuperset(shell[1:]))


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
        self._codes: Final[dict[str, dict[str, int]]] = {}
        """By the uid of the pod and the id of the container, which is another for each start."""

    def note(self, pod: Pod, container_id: str, code: int) -> None:
        """A shell has ended with an exit code."""
        self._codes.setdefault(pod.metadata.uid, {})[container_id] = code
        self.wake(Request.of(pod))

    def of(self, uid: str) -> Mapping[str, int]:
        """The exit codes of a pod, by the ids of containers."""
        return dict(self._codes.get(uid, {}))

    def forget(self, uid: str, told: Mapping[str, int] | None = None) -> None:
        """Forget those that were told; all that there are of a pod that is gone."""
        left = {each: code for each, code in self._codes.pop(uid, {}).items() if told and each not in told}
        if left:
            self._codes[uid] = left
