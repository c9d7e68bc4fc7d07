"""Runs of the command `kubewright`, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.server.processes import COMMAND, PATIENCE


def run_command(
    *arguments: str | Path,
    folder: str | Path | None = None,
    given: str | None = None,
    output: str | None = None,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """The command with these arguments, in a folder, with this on standard input; `output` is a file."""
    with Path(output or os.devnull).open("w") as file:
        return subprocess.run(
            [COMMAND, *map(str, arguments)],
            stdout=file if output else subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
            cwd=folder,
            input=given,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        )


def refusal(ended: subprocess.CompletedProcess[str], *, exit_code: int = 1) -> str:
    """The one sentence that a command refused with."""
    assert (ended.returncode, ended.stdout or "") == (exit_code, ""), ended
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Error: ")
    return line.removeprefix("Error: ")
