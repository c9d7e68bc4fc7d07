"""Commands and ports of pods, without `await`."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

from kubewright.client.streams.forwarding import Connection as AsyncConnection
from kubewright.client.streams.forwarding import PortForward as AsyncPortForward
from kubewright.client.streams.session import Output
from kubewright.client.streams.session import Session as AsyncSession
from kubewright.sync.loop import LoopThread

__all__ = ["Connection", "PortForward", "Session"]


class Session:
    """A command that runs in a container; see `kubewright.client.streams.session.Session`."""

    def __init__(self, session: AsyncSession, loop: LoopThread) -> None:
        self._session: Final = session
        self._loop: Final = loop

    @property
    def exit_code(self) -> int | None:
        """How the command ended; None while it runs."""
        return self._session.exit_code

    def write(self, data: bytes | str) -> None:
        """Send input."""
        self._loop.run(self._session.write(data))

    def close_stdin(self) -> None:
        """Say that there is no more input."""
        self._loop.run(self._session.close_stdin())

    def resize(self, width: int, height: int) -> None:
        """Say how large the terminal is."""
        self._loop.run(self._session.resize(width, height))

    def __iter__(self) -> Iterator[Output]:
        return self._loop.iterate(aiter(self._session))

    def wait(self) -> int:
        """The exit code, when the command has ended; its output is skipped."""
        return self._loop.run(self._session.wait())


class Connection:
    """A connection to a port of a pod; see `kubewright.client.streams.forwarding.Connection`."""

    def __init__(self, connection: AsyncConnection, loop: LoopThread) -> None:
        self._connection: Final = connection
        self._loop: Final = loop

    def read(self, limit: int = 65536) -> bytes:
        """What has come, as soon as anything has; empty at the end."""
        return self._loop.run(self._connection.read(limit))

    def __iter__(self) -> Iterator[bytes]:
        return self._loop.iterate(aiter(self._connection))

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._loop.run(self._connection.write(data))

    def close(self) -> None:
        """End the connection. May be called again."""
        self._loop.run(self._connection.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class PortForward:
    """Ports of a pod; see `kubewright.client.streams.forwarding.PortForward`."""

    def __init__(self, forward: AsyncPortForward, loop: LoopThread) -> None:
        self._forward: Final = forward
        self._loop: Final = loop

    def open(self, port: int | None = None) -> Connection:
        """A connection to a port of the pod; without a number, to the only one."""
        return Connection(self._loop.run(self._forward.open(port)), self._loop)

    def local_port(self, port: int | None = None) -> int:
        """The port of 127.0.0.1 that leads to a port of the pod."""
        return self._forward.local_port(port)
