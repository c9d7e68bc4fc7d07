"""Runs another program, and kills it when whoever started this has died.

`python launch.py LIFELINE COMMAND...`: LIFELINE is the reading end of a pipe of which only whoever started
this has the other end, so that it is closed when they die, however that happens. Then the program is killed,
and with it all of the process group, which is this one's own. SIGTERM is handed on, and the exit code is the
program's, or 128 and the number of the signal that ended it.

It is run as a file, with nothing of this package imported, since it stands before each start of a program.
"""

from __future__ import annotations

import os
import signal
import sys
from _thread import start_new_thread
from contextlib import suppress

__all__: list[str] = []


def _main() -> int:
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(lifeline, False)  # The program knows nothing of it.
    program = os.fork()
    if not program:
        os.execv(command[0], command)  # noqa: S606 - it is what this is for
    signal.signal(signal.SIGTERM, lambda number, _frame: _send(program, number))
    closed: list[bytes] = []

    def watch() -> None:
        closed.append(os.read(lifeline, 1))
        _send(program, signal.SIGKILL)

    start_new_thread(watch, ())
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    if closed:
        os.killpg(os.getpgrp(), signal.SIGKILL)
    return 128 - code if code < 0 else code


def _send(program: int, number: int) -> None:
    with suppress(ProcessLookupError):  # It may have ended meanwhile.
        os.kill(program, number)


if __name__ == "__main__":
    # At once, since a thread waits for the pipe, and there is nothing to tidy up.
    os._exit(_main())
