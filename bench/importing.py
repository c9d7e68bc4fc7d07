"""Import times, each in a fresh process; and the start of the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Final

from bench.row import Row
from bench.scale import scaled

__all__ = ["rows"]

ROUNDS: Final = scaled(7, tiny=1)

COMMAND_BOUND: Final = 150.0
"""Milliseconds that the command has from its start to its end for its help, and for a completion."""


def rows() -> list[Row]:
    """The rows about importing."""
    theirs = milliseconds("import kubernetes")
    return [
        Row(
            "import kubewright", "import kubernetes", "ms", milliseconds("import kubewright"), theirs, least=4
        ),
        Row(
            "from kubewright.models.core_v1 import Pod",
            "import kubernetes",
            "ms",
            milliseconds("from kubewright.models.core_v1 import Pod"),
            theirs,
        ),
        Row("import kubewright's whole machinery", "import kubernetes", "ms", milliseconds(_ALL), theirs),
        Row("kubewright --help", "0.15 s", "ms", _command("--help"), COMMAND_BOUND, least=1),
        Row("TAB after `kubewright install --con`", "0.15 s", "ms", _completion(), COMMAND_BOUND, least=1),
    ]


_ALL: Final = "import kubewright; [getattr(kubewright, name) for name in kubewright.__all__]"


def milliseconds(statement: str, *, before: str = "pass") -> float:
    """The best of several fresh processes, without the interpreter's own start; the first leaves bytecode.

    What is done `before` the statement is not measured.
    """
    timed = f"start = now(); {statement}; print((now() - start) * 1e3)"
    program = f"from time import perf_counter as now; {before}; {timed}"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    return min(_printed([sys.executable, "-c", program], environment) for _ in range(ROUNDS))


def _command(*arguments: str, **more: str) -> float:
    """The best of several runs of the installed command, with the interpreter's own start."""
    command = [str(Path(sys.executable).with_name("kubewright")), *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **more}
    took = []
    for _ in range(ROUNDS):
        start = perf_counter()
        subprocess.run(command, capture_output=True, check=True, env=environment)
        took.append((perf_counter() - start) * 1e3)
    return min(took)


def _completion() -> float:
    """As the script of `kubewright completion bash` asks."""
    words = {"COMP_LINE": "kubewright install --con", "COMP_WORDBREAKS": " :"}
    return _command(_KUBEWRIGHT_COMPLETE="bash_complete", **words)


def _printed(command: list[str], environment: dict[str, str]) -> float:
    return float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
