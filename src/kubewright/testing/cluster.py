"""`Cluster`: an API server for the length of a test, in the event loop of the test or in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from kubewright.server.preload import preload_http

# Loaded here and not when a cluster starts, which would hold up the event loop of the test.
with preload_http():
    from kubewright.cluster.server import ClusterServer

if TYPE_CHECKING:
    from kubewright.cluster.options import ClusterOptions
    from kubewright.config import Config

__all__ = ["Cluster"]


class Cluster(ClusterServer):
    """A cluster of its own: a real API over HTTPS, which kubectl can talk to too.

    `url`, `token`, `kubeconfig` and the files `ca_file`, `client_cert_file` and `client_key_file` say how to
    reach it. Any number may run at once, in one process or in many.
    """

    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def config(self) -> Config:
        """How a client reaches it: `Client(cluster.config)`."""
        from kubewright.config import config_from_kubeconfig  # noqa: PLC0415 - kubectl needs none

        return config_from_kubeconfig(Path(self.kubeconfig).read_text())

    @classmethod
    @contextmanager
    def in_thread(cls, **options: Unpack[ClusterOptions]) -> Iterator[Cluster]:
        """A cluster that runs in a thread with an event loop of its own, until the block is left."""
        cluster = cls(**options)
        running = _Running(cluster)
        thread = threading.Thread(target=running.run, name="kubewright-cluster", daemon=True)
        thread.start()
        running.started.wait()
        if running.error is not None:
            thread.join()
            raise running.error
        try:
            yield cluster
        finally:
            running.stop()
            thread.join()

    def compact(self, revision: int) -> None:
        """Forget the history before a revision, so that whoever is behind must list anew (410).

        For clusters that run in a thread.
        """
        loop = self._loop
        assert loop is not None  # noqa: S101 - it runs in a thread
        asyncio.run_coroutine_threadsafe(self.registry.storage.compact(revision), loop).result()


class _Running:
    """A cluster in a thread: how the thread says that it runs, and is told to stop."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self.started = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        asyncio.run(self._serve())

    def stop(self) -> None:
        assert self._loop is not None and self._stopped is not None  # noqa: PT018, S101 - it was started
        self._loop.call_soon_threadsafe(self._stopped.set)

    async def _serve(self) -> None:
        self._loop = self._cluster._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        try:
            async with self._cluster:
                self.started.set()
                await self._stopped.wait()
        except BaseException as error:
            if self.started.is_set():
                raise
            self.error = error
        finally:
            self.started.set()
            await _cut_connections(self._loop)


async def _cut_connections(loop: asyncio.AbstractEventLoop) -> None:
    """Close what clients have not got beyond the handshake of TLS: nobody else knows of these connections."""
    for transport in list(getattr(loop, "_transports", {}).values()):
        transport.abort()
    for _ in range(5):
        await asyncio.sleep(0)
