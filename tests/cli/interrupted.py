"""A program that runs a command again and again, each time with a signal at another moment.

    python -m tests.cli.interrupted ROUNDS FOLDER COMMAND...

The moments are calls that touch the file system, spread evenly over all that the command makes. FOLDER has
`before`, in a copy of which each run is made, and `after`, which the command makes of it. What is printed is
the number of runs that ended in the one and the other state, as JSON; one that ends in neither is an error.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from kubewright.cli import main
from tests.cli.scaffolds import contents

FILES = ("open", "os.", "shutil.", "tempfile.")


def run_forked(folder: Path, arguments: list[str], *, at: int, number: int) -> int:
    """Run a command in a process of its own, with a signal before call `at`; returns how many there were."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        with os.fdopen(reader) as ended:
            told = ended.read()
        os.waitpid(child, 0)
        return int(told or at)
    count = 0

    def hook(event: str, _arguments: object) -> None:
        nonlocal count
        if event.startswith(FILES):
            count += 1
            if count == at + 1:  # And not again for this very call.
                os.kill(os.getpid(), number)

    os.chdir(folder)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.addaudithook(hook)
    try:
        main(arguments)
    finally:
        os.write(writer, str(count).encode())
        os._exit(0)


def interrupt(rounds: int, folder: Path, arguments: list[str]) -> dict[str, int]:
    """How often an interrupted command has left everything as it was, and how often it has done all."""
    before, after, place = folder / "before", folder / "after", folder / "now"
    states = {"before": contents(before), "after": contents(after)}
    shutil.copytree(before, place)
    calls = run_forked(place, arguments, at=-1, number=signal.SIGINT)
    found = {"before": 0, "after": 0}
    for each in range(rounds):
        shutil.rmtree(place)
        shutil.copytree(before, place)
        at = each * (calls - 1) // (rounds - 1)  # the first call, the last one, and some between
        run_forked(place, arguments, at=at, number=[signal.SIGINT, signal.SIGTERM][each % 2])
        now = contents(place)
        state = next((name for name in states if states[name] == now), None)
        if state is None:
            changed = sorted({path for path, _ in now.items() ^ states["before"].items()})
            sys.exit(f"a signal before call {at} of {calls} has changed {changed}")
        found[state] += 1
    return found


if __name__ == "__main__":
    # Not to be counted: what is imported is so once, for all runs.
    from kubewright.cli import create, init, upgrade
    from kubewright.scaffold import kinds, project, render

    del create, init, upgrade, kinds, project, render
    sys.stdout.write(json.dumps(interrupt(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])))
