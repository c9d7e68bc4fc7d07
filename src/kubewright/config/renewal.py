"""One run of something slow for all who wait for it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Final

from kubewright.config.errors import ConfigError

if TYPE_CHECKING:
    import asyncio

__all__ = ["Renewal"]


class _Run:
    """A run, how many wait for it, and whether it was ended from outside."""

    def __init__(self, task: asyncio.Task[None]) -> None:
        self.task: Final = task
        self.waiters = 0
        self.closed = False


class Renewal:
    """Runs a coroutine function once at a time in each event loop; whoever comes meanwhile waits for it.

    The run belongs to those who wait: it goes on while there is one, and the last one that is cancelled
    cancels it and sees it end. An error goes to all of them.
    """

    def __init__(self, renew: Callable[[], Coroutine[object, object, None]]) -> None:
        self._renew: Final = renew
        self._runs: Final[dict[asyncio.AbstractEventLoop, _Run]] = {}

    async def done(self) -> None:
        """Start a run, or join the one that is under way, and wait for its end. Raises what it raises."""
        import asyncio  # noqa: PLC0415 - brings ssl and subprocess along, which reading a kubeconfig does not need

        loop = asyncio.get_running_loop()
        run = self._runs.get(loop)
        if run is None:
            run = self._runs[loop] = _Run(loop.create_task(self._renew()))
            run.task.add_done_callback(lambda task: self._ended(loop, task))
        run.waiters += 1
        try:
            await asyncio.wait([run.task])
        except asyncio.CancelledError:
            if run.waiters == 1 and not run.task.done():
                self._forget(loop, run.task)
                await _cancelled(run.task)
            raise
        finally:
            run.waiters -= 1
        if run.closed:
            raise ConfigError("the client was closed while its credentials were renewed; open another")
        run.task.result()

    async def close(self) -> None:
        """End the run of this event loop; those who wait for it get a ConfigError."""
        import asyncio  # noqa: PLC0415 - as above

        loop = asyncio.get_running_loop()
        run = self._runs.get(loop)
        if run is not None:
            run.closed = True
            self._forget(loop, run.task)
            await _cancelled(run.task)

    def _ended(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
        self._forget(loop, task)
        # Asked for, so that an error is not reported as unseen when all who waited were cancelled.
        if not task.cancelled():
            task.exception()

    def _forget(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
        """Nobody may join a run that has ended or is about to; a newer one stays."""
        run = self._runs.get(loop)
        if run is not None and run.task is task:
            del self._runs[loop]


async def _cancelled(task: asyncio.Task[None]) -> None:
    import asyncio  # noqa: PLC0415 - as above

    task.cancel()
    await asyncio.wait([task])
