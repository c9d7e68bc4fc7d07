"""What a server asks of the kubelets of its nodes, which are in the same process: logs and commands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final, Protocol

import msgspec

from kubewright.server.kinds.kind import Object
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import decode_stored
from kubewright.server.storage import Compacted, Entry, SlowWatcher, StorageClosed, Watch

__all__ = ["CommandStreams", "FollowedPod", "Kubelets", "LogOptions"]


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a log is wanted; None for no bound."""

    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since: datetime | None = None
    tail_lines: int | None = None
    limit_bytes: int | None = None


class CommandStreams(Protocol):
    """The input and the outputs of a command."""

    @property
    def has_stdin(self) -> bool:
        """Whether there is input at all."""
        ...

    @property
    def tty(self) -> bool:
        """Whether somebody sits at a terminal; then there is one output."""
        ...

    async def read(self) -> bytes:
        """Some input, as it came; nothing at its end, and where there is none."""
        ...

    async def write(self, data: bytes) -> None:
        """Write to stdout; waits while its reader is too slow."""
        ...

    async def write_error(self, data: bytes) -> None:
        """Write to stderr, which a terminal shows beside stdout."""
        ...


class Kubelets(Protocol):
    """The kubelets that a server can reach."""

    def serves(self, node: Object) -> bool:
        """Whether the kubelet of a node is among them."""
        ...

    def log(self, pod: FollowedPod, container: str, options: LogOptions) -> AsyncIterator[bytes]:
        """The log of a container. Raises BadRequest at once when it has none."""
        ...

    async def exec(
        self, pod: FollowedPod, container: str, command: Sequence[str], streams: CommandStreams
    ) -> int:
        """Run a command; its exit code. Raises InternalError when the container does not run."""
        ...

    async def attach(self, pod: FollowedPod, container: str, streams: CommandStreams) -> None:
        """Be at the input and the output of a container until it ends; raises as `exec` does."""
        ...


class FollowedPod:
    """A pod that somebody is connected to: what it is, and what becomes of it."""

    def __init__(self, store: Store, entry: Entry) -> None:
        """The pod as it was read just now; it is not followed before somebody waits."""
        self._key: Final = entry.key
        self._storage: Final = store.storage
        self._revision: Final = store.storage.revision
        self._events: Watch | None = None
        self.object: Object = decode_stored(entry.value)
        """The last that is known of it."""
        self.gone = False
        """Whether it was deleted, or the server stops."""

    async def changed(self, *, within: float | None = None) -> None:
        """Wait until the pod is another, or gone, or some seconds have passed."""
        if self.gone:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._next()

    def close(self) -> None:
        """Follow it no more: it is gone for whoever waits. May be called again."""
        self.gone = True
        if self._events is not None:
            self._events.close()

    async def _next(self) -> None:
        while True:
            try:
                if self._events is None:
                    self._events = self._storage.watch(self._key, after_revision=self._revision)
                batch = await anext(self._events)
            except (StopAsyncIteration, Compacted, SlowWatcher, StorageClosed):
                self.close()
                return
            # Other pods have names that begin with the name of this one.
            own = [event for event in batch if event.key == self._key]
            if any(event.type == "DELETED" for event in own):
                self.close()
                return
            if own:
                self.object = decode_stored(own[-1].value)
                return
