"""Conversion of custom resources: the handler that gives an API server's reviews to conversion functions."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import Final

from kubewright.crd.conversion_review import Versions, review, versions_of
from kubewright.machinery.resource import Resource
from kubewright.webhooks.http import HandlerFailed

__all__ = ["ConversionHandler"]

_THREADS: Final = 8
"""How many reviews are under way at once. Python runs one at a time anyway; there are more so that functions
which hang or wait hold up only some of the others."""

_HANGS_AFTER: Final = 30.0
"""Seconds after which a function is reported as one that hangs. API servers wait a minute for a conversion,
which is what their own clients give a request by default; admission webhooks have 30 seconds at most."""

_log: Final = logging.getLogger("kubewright.webhooks")


class _Job:
    """A review that a thread answers."""

    def __init__(self, work: Callable[[], bytes], returned: Callable[[_Job], None]) -> None:
        """`returned` is called in the event loop when it is done, whether somebody waits for it or not."""
        self._loop: Final = asyncio.get_running_loop()
        self._work: Callable[[], bytes] | None = work
        self._returned: Final = returned
        self.answer: Final[asyncio.Future[bytes]] = self._loop.create_future()
        self.began: float | None = None
        self.thread: Thread | None = None
        """Who does it, from when it is begun."""

    @property
    def is_running(self) -> bool:
        """Whether a thread is at it."""
        return self.thread is not None

    def give_up(self) -> None:
        """Do not begin with it, and let go of it."""
        self._work = None

    def run(self) -> None:
        """Do it, in the thread that calls. What it raises is for whoever waits for the answer."""
        self.thread, self.began = current_thread(), time.monotonic()
        work, self._work = self._work, None
        done: bytes | Exception = b""
        try:
            if work is not None:
                done = work()
        except Exception as error:
            done = error
        with suppress(RuntimeError):  # The loop is closed, and nobody waits.
            self._loop.call_soon_threadsafe(self._end, done)

    def where(self) -> str:
        """What it is at, for somebody who wonders why it does not end."""
        frame = sys._current_frames().get(self.thread.ident or 0) if self.thread is not None else None
        if frame is None:
            return "nowhere"
        return f"{frame.f_code.co_qualname} in {frame.f_code.co_filename}:{frame.f_lineno}"

    def _end(self, done: bytes | Exception) -> None:
        self.thread = None
        self._returned(self)
        if self.answer.done():
            return
        if isinstance(done, Exception):
            self.answer.set_exception(done)
        else:
            self.answer.set_result(done)


class ConversionHandler:
    """Answers ConversionReviews, each in a thread: functions may take long, and the loop waits for none.

    Python cannot stop a thread. A function that has not returned after 30 seconds is reported, with where it
    is, and keeps one of 8 threads until it does. When all of them are kept, further reviews are refused at
    once. None keeps the process from ending.
    """

    def __init__(self) -> None:
        self._versions: Versions = {}
        self._jobs: Final[SimpleQueue[_Job | None]] = SimpleQueue()
        self._threads: Final[list[Thread]] = []
        self._open: Final[set[_Job]] = set()
        """What waits for a thread, or has one."""
        self._hanging: Final[set[_Job]] = set()
        self._closed = False

    def add(self, *kinds: type[Resource]) -> None:
        """Convert between the versions of these kinds too. Raises DeclarationError; see `versions_of`."""
        # A new table, because threads read the present one.
        self._versions = {**self._versions, **versions_of(*kinds)}

    async def __call__(self, body: bytes, within: float | None = None) -> bytes:
        """Answer a review. Raises DecodeError for a body that is none, and HandlerFailed.

        No thread can be stopped, so that `within` changes nothing: callers stop waiting by themselves.
        """
        if self._closed:
            raise HandlerFailed(503, "the webhook server stops")
        if len(self._hanging) >= _THREADS:
            raise HandlerFailed(503, "the conversion functions hang; the log of the webhook says where")
        versions = self._versions
        job = _Job(lambda: review(versions, body), self._returned)
        self._open.add(job)
        timer = asyncio.get_running_loop().call_later(_HANGS_AFTER, self._look, job)
        if len(self._threads) < min(_THREADS, len(self._open)):
            self._start()
        self._jobs.put(job)
        try:
            return await job.answer
        finally:
            job.give_up()
            if not job.is_running:
                timer.cancel()
                self._open.discard(job)

    def close(self) -> None:
        """Begin no further conversion; those under way end by themselves."""
        self._closed = True
        for job in self._open:
            job.give_up()
            if not job.is_running:
                job.answer.cancel()
        for _ in self._threads:
            self._jobs.put(None)

    def _start(self) -> None:
        name = f"kubewright-conversion_{len(self._threads)}"
        # A daemon, for which the end of the process does not wait.
        thread = Thread(target=_work, args=(self._jobs,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _look(self, job: _Job) -> None:
        """Report a function that is still at it."""
        if job.is_running:
            self._hanging.add(job)
            _log.error(
                "a conversion has not returned after %g seconds, and keeps one of %d threads until it does, "
                "as %d do now: it is at %s",
                _HANGS_AFTER,
                _THREADS,
                len(self._hanging),
                job.where(),
            )

    def _returned(self, job: _Job) -> None:
        self._open.discard(job)
        if job in self._hanging:
            self._hanging.discard(job)
            took = time.monotonic() - (job.began or 0.0)
            _log.warning("a conversion has returned after %.0f seconds", took)


def _work(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        job.run()
