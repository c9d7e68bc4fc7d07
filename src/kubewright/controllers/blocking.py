"""A watchdog for the event loop: which reconcile blocks it, where, and for how long.

A reconcile that sleeps or computes without awaiting stops everything else of its manager: other reconciles,
probes, the renewal of the lease. A thread asks the loop for a sign of life, and looks at what the loop's
thread is doing when there is none.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import sysconfig
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from kubewright.controllers.context import ReconcileLog
from kubewright.controllers.reconciling import RECONCILING, Reconciling

__all__ = [
    "BLOCKED_AFTER",
    "Block",
    "BlockedTime",
    "LoopWatchdog",
    "Silence",
    "block_at",
    "is_in_debugger",
    "report_begin",
    "report_end",
]

BLOCKED_AFTER: Final = 1.0
"""Seconds after which a block is reported: a kubelet waits one second for a probe by default."""

_LOOKS: Final = 4
"""Looks at the loop within the time after which a block is reported."""

_LATE: Final = 2.0
"""By which factor a look of the watchdog's own may be late before the whole process counts as stopped."""

_STOP_WITHIN: Final = 1.0
"""Seconds that the thread has to end; it may be stuck in a log that nobody reads."""

_DEBUGGERS: Final = ("pdb", "bdb", "pydevd", "_pydevd_bundle", "debugpy", "pudb", "ipdb")
"""Packages in whose code a thread waits for a person at a breakpoint."""

_log: Final = logging.getLogger("kubewright.controllers.blocking")


class BlockedTime:
    """How often and for how long the loop was blocked, by the name of the controller; "" for other code."""

    def __init__(self) -> None:
        self.blocks: Final[Counter[str]] = Counter()
        self.seconds: Final[defaultdict[str, float]] = defaultdict(float)

    def add(self, controller: str, seconds: float) -> None:
        """Count a block that is over."""
        self.blocks[controller] += 1
        self.seconds[controller] += seconds


class Silence:
    """For how long the loop has not answered, counted in looks at it.

    A look that comes late counts for the pause before it, or for as long as the loop's thread has computed
    meanwhile, if that is more. The watchdog did not run either then: the process was stopped (SIGSTOP, a
    suspended machine) or got no processor, for which the loop is not to blame; or the loop's thread held the
    interpreter's lock, for which it is.
    """

    def __init__(self, pause: float) -> None:
        """`pause` is what lies between two looks, in seconds."""
        self._pause: Final = pause
        self.seconds = 0.0

    def look(self, elapsed: float, *, computed: float = 0.0) -> float:
        """Add a look that came so many seconds after the last one; the seconds of silence so far."""
        is_late = elapsed > self._pause * _LATE
        self.seconds += min(elapsed, max(self._pause, computed)) if is_late else elapsed
        return self.seconds

    def restart(self) -> float:
        """Count from now on; returns the seconds so far."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds


class Block(NamedTuple):
    """What blocks the loop."""

    controller: str
    """Empty for what is not a reconcile."""
    what: str
    place: str
    extra: dict[str, str]


_UNSEEN: Final = Block("", "code that held the interpreter's lock", "", {})


class LoopWatchdog:
    """Reports when the event loop in which it was started does not run for some time.

    What it guarantees: a block of less than `after` seconds is never reported, and one of twice that always
    is. The line is written while the loop is blocked, so that one that is blocked for ever is reported, and
    another one when it goes on. A block that holds the interpreter's lock is reported when it is over,
    without its place. What the loop is not to blame for is not reported (see `Silence`), nor is a thread that
    waits at a breakpoint.
    """

    def __init__(
        self, after: float, blocked: BlockedTime, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._after: Final = after
        self._pause: Final = after / _LOOKS
        self._blocked: Final = blocked
        self._clock: Final = clock
        self._computed: Callable[[], float] = _no_time
        self._stopped: Final = threading.Event()
        self._answered: Final = threading.Event()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the running event loop for the length of a block."""
        loop = asyncio.get_running_loop()
        self._computed = _thread_time()
        thread = threading.Thread(
            target=self._watch,
            args=(loop, threading.get_ident()),
            name="kubewright event loop watchdog",
            daemon=True,
        )
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            self._answered.set()
            thread.join(_STOP_WITHIN)

    def _watch(self, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        # Half of the time lies between questions: a block of twice the time has one from start to end.
        while not self._stopped.wait(self._after / 2):
            self._answered.clear()
            try:
                loop.call_soon_threadsafe(self._answered.set)
            except RuntimeError:  # The loop is closed.
                return
            self._wait(loop, thread)

    def _wait(self, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        """Wait for an answer, and report when it does not come."""
        silence = Silence(self._pause)
        block: Block | None = None
        before, computed_before = self._clock(), self._computed()
        while True:
            is_answered = self._answered.wait(self._pause)
            if self._stopped.is_set():
                return
            now, computed = self._clock(), self._computed()
            seconds = silence.look(now - before, computed=computed - computed_before)
            before, computed_before = now, computed
            if is_answered:
                break
            if seconds < self._after:
                continue
            frame = sys._current_frames().get(thread)
            if is_in_debugger(frame):
                silence.restart()
                continue
            current = block_at(loop, frame)
            if block is not None and block.what != current.what:
                # The next one blocks as well, before the loop has come to the answer.
                self._end(block, silence.restart())
                block = None
            elif block is None:
                block = current
                report_begin(block, seconds, frame)
        if block is not None or silence.seconds >= self._after:
            self._end(block or _UNSEEN, silence.seconds)

    def _end(self, block: Block, seconds: float) -> None:
        self._blocked.add(block.controller, seconds)
        report_end(block, seconds)


def _no_time() -> float:
    return 0.0


def _thread_time() -> Callable[[], float]:
    """A function that tells for how long the calling thread has computed; 0 where no other can know."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None:
        return _no_time
    clock = clock_of(threading.get_ident())

    def read() -> float:
        try:
            return time.clock_gettime(clock)
        except OSError:  # The thread has ended.
            return 0.0

    return read


def report_begin(block: Block, seconds: float, frame: FrameType | None) -> None:
    """Log that the loop is blocked, with the stack of its thread."""
    told = (
        f"blocks the event loop, for {seconds:.1f} seconds so far, at {block.place}; await what waits, and "
        "run what computes with asyncio.to_thread"
    )
    _report(block, told, seconds, None if frame is None else _stack(frame))


def _stack(frame: FrameType) -> str:
    """The calls that lead to a frame, without those of the event loop itself."""
    calls = traceback.extract_stack(frame)
    loop = [number for number, call in enumerate(calls) if call.filename.startswith(_ASYNCIO)]
    own = [number for number in loop if calls[number].name == "_run"]
    return "".join(traceback.format_list(calls[own[-1] + 1 :] if own else calls)).rstrip()


def report_end(block: Block, seconds: float) -> None:
    """Log that the loop goes on."""
    place = f", last seen at {block.place}" if block.place else ""
    _report(block, f"blocked the event loop for {seconds:.1f} seconds{place}", seconds, None)


def _report(block: Block, told: str, seconds: float, stack: str | None) -> None:
    if not _log.isEnabledFor(logging.WARNING):
        return
    extra: dict[str, object] = {**block.extra, "blocked_seconds": round(seconds, 3)}
    if block.controller:
        extra["short_message"] = told
    # By hand, since the stack is that of another thread.
    record = _log.makeRecord(
        _log.name,
        logging.WARNING,
        __file__,
        0,
        "%s %s",
        (block.what, told),
        None,
        func=None,
        extra=extra,
        sinfo=stack,
    )
    _log.handle(record)


def block_at(loop: asyncio.AbstractEventLoop, frame: FrameType | None) -> Block:
    """What the thread of a loop is doing, whose innermost frame is given."""
    task = asyncio.current_task(loop)
    reconciling = None if task is None else _reconciling(task, frame)
    if reconciling is not None:
        what = f"{reconciling.controller}: the reconcile of {reconciling.object}"
        return Block(reconciling.controller, what, _place(frame), reconciling.extra())
    what = "a callback" if task is None else f"the task {task.get_name()!r}"
    return Block("", what, _place(frame), {})


def _reconciling(task: asyncio.Task[Any], frame: FrameType | None) -> Reconciling | None:
    """The reconcile to which the running task belongs."""
    if sys.version_info >= (3, 12):
        return task.get_context().get(RECONCILING)
    # Python 3.11 does not tell the context of a task, so the worker is looked for among its callers. Tasks
    # that a reconcile has started are not known by it.
    while frame is not None:
        if frame.f_code.co_qualname == "Controller._one":
            log = frame.f_locals.get("log")
            return log.reconciling if isinstance(log, ReconcileLog) else None
        frame = frame.f_back
    return None


def _place(frame: FrameType | None) -> str:
    """Where a thread is: the innermost line that is not Python's own or of an installed package."""
    if frame is None:
        return "an unknown place"
    innermost = frame
    each: FrameType | None = frame
    while each is not None:
        if not each.f_code.co_filename.startswith(_LIBRARIES):
            innermost = each
            break
        each = each.f_back
    code = innermost.f_code
    return f"{code.co_filename}:{innermost.f_lineno} in {code.co_qualname}"


def _folders() -> Iterator[str]:
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        if path := sysconfig.get_path(name):
            yield path + os.sep
    yield str(Path(__file__).parents[1]) + os.sep
    yield "<frozen "


_ASYNCIO: Final = str(Path(asyncio.__file__).parent) + os.sep
"""Where the code of the event loop is, with which every stack begins."""

_LIBRARIES: Final = tuple(_folders())
"""Where the code is that a program has not written itself: of Python, of packages, and of this one."""


def is_in_debugger(frame: FrameType | None) -> bool:
    """Whether a thread waits for a person at a breakpoint."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _DEBUGGERS:
            return True
        frame = frame.f_back
    return False
