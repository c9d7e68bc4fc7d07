"""Processes that end for certain: when they are stopped, and also when whoever started them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["ProcessGroups"]

# Reads ids of process groups from a pipe that nobody else writes to. The pipe ends when its writer dies, even
# by SIGKILL; then all groups told of so far are killed and the directory is removed. `done`: nothing is left.
_GUARD = """
directory=$1
groups=
while read -r line; do
    if [ "$line" = done ]; then exit 0; fi
    groups="$groups -$line"
done
if [ -n "$groups" ]; then kill -s KILL -- $groups; fi
rm -rf -- "$directory"
"""

# Becomes the program once the guard knows of it, and ends when nobody lives to say so.
_START = 'read -r go && exec "$@" </dev/null'

_PATIENCE = 10.0
"""Seconds that a process has between SIGTERM and SIGKILL; etcd and kube-apiserver need about one."""


class ProcessGroups:
    """Starts programs, each the leader of its own process group, and ends them in the opposite order.

    A guard process outlives this one: when it dies without `stop`, the guard kills the groups and removes
    `directory`, where the programs keep their data.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._started: list[subprocess.Popen[bytes]] = []
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "guard", str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def start(self, command: Sequence[str], *, log: Path) -> subprocess.Popen[bytes]:
        """Starts a program with its output in `log`."""
        with log.open("ab") as output:
            process = subprocess.Popen(
                ["/bin/sh", "-c", _START, "start", *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._directory,
                start_new_session=True,
            )
        self._started.append(process)
        self._tell(str(process.pid))
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.close()
        return process

    def stop(self) -> None:
        """Ends everything that was started, with SIGTERM, then with SIGKILL; again, it does nothing."""
        while self._started:
            _end(self._started.pop())
        if self._guard.stdin is not None and not self._guard.stdin.closed:
            self._tell("done")
            self._guard.stdin.close()
            self._guard.wait()

    def _tell(self, line: str) -> None:
        assert self._guard.stdin is not None
        self._guard.stdin.write(line.encode() + b"\n")
        self._guard.stdin.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
