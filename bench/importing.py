"""Import times, each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

from bench.row import Row

__all__ = ["rows"]

ROUNDS: Final = 7


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


def _printed(command: list[str], environment: dict[str, str]) -> float:
    return float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
