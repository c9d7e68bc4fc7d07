"""Large requests: computed in a worker thread and limited in number, so that the event loop serves others.

A request is large by the bytes of its body or of the stored object that it changes. Reading, merging and
validating three megabytes takes seconds; whatever of that is a pure function runs in one worker thread of the
process. The interpreter lock changes hands every few milliseconds, so with one worker the event loop gets at
least every second turn. Large requests that wait keep their bodies only; how many have been decoded at the
same time is limited as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Final, TypeVar

from kubewright.server.errors import too_many_requests

__all__ = ["LARGE", "LARGE_YAML", "LargeRequests", "run_in_worker"]

_T = TypeVar("_T")

LARGE: Final = 64 * 1024
"""From how many bytes on a body or a stored object is large. The slowest single step with so many bytes of
JSON, a merge of managed fields, was measured at 15 ms; handing work to a thread costs 0.1 ms."""

LARGE_YAML: Final = 16 * 1024
"""The same for bodies in YAML, which take four times as long to read: 15 ms."""

_AT_ONCE: Final = 4
"""How many large requests are worked on at the same time. Decoded, three megabytes can take 200 MB."""

_WAITING: Final = 64
"""How many more may wait, with three megabytes each; further ones are refused with 429."""


class LargeRequests:
    """Limits how many large requests a server works on at the same time."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until a large request may be worked on. Raises TooManyRequests when too many wait already."""
        if self._waiting >= _WAITING:
            raise too_many_requests(
                "too many large requests are being served, please try again later", retry_after=1
            )
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._free.release()


async def run_in_worker(work: Callable[[], _T]) -> _T:
    """Run a function in the worker thread, after all that came before it, and return or raise what it does.

    It must not use the event loop, nor objects that other requests use.
    """
    return await asyncio.get_running_loop().run_in_executor(_worker(), work)


@lru_cache(1)
def _worker() -> ThreadPoolExecutor:
    # One for the process, however many servers it runs: they share the interpreter lock.
    return ThreadPoolExecutor(1, thread_name_prefix="kubewright-large")
