"""What a run has measured so far: on the screen row by row, and in a file that is complete at any time."""

from __future__ import annotations

import json
import platform
import sys
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CalledProcessError
from typing import Final

from bench.row import Row, line, table

__all__ = ["Report"]

_STDERR_SHOWN: Final = 4_000
"""The last characters shown of what a failed process printed: a Python traceback fits."""


class Report:
    """Collects rows and failures; each is printed, and the file written, as soon as it is added."""

    def __init__(self, path: Path, *, judged: bool = True) -> None:
        """`judged` is whether missed ratios count."""
        self.rows: Final[list[Row]] = []
        self.failures: Final[dict[str, str]] = {}
        """What went wrong, by subject."""
        self._path: Final = path
        self._judged: Final = judged
        self._started: Final = datetime.now(UTC)

    def add(self, row: Row) -> None:
        """Take in a row that was measured."""
        if not self._judged:
            row = replace(row, least=None)
        self.rows.append(row)
        print(line(row), flush=True)
        self._write()

    def fail(self, subject: str, error: Exception) -> None:
        """Take in that a subject broke."""
        self.failures[subject] = f"{type(error).__name__}: {error}"
        traceback.print_exception(error)
        if isinstance(error, CalledProcessError) and error.stderr:
            # The process was captured, so that its own words would be lost.
            text = error.stderr if isinstance(error.stderr, str) else error.stderr.decode(errors="replace")
            print(text[-_STDERR_SHOWN:], file=sys.stderr)
        print(f"bench/{subject} FAILED: {self.failures[subject]}", file=sys.stderr, flush=True)
        self._write()

    @property
    def missed(self) -> list[Row]:
        """The rows whose ratio is too small."""
        return [row for row in self.rows if not row.reached]

    @property
    def exit_code(self) -> int:
        """0 when every subject was measured and every ratio reached."""
        return 1 if self.failures or self.missed else 0

    def text(self) -> str:
        """Return the table with everything that went wrong below it."""
        parts = [table(self.rows)]
        if self.missed:
            parts.append(f"{len(self.missed)} of {len(self.rows)} ratios missed")
        parts += [f"{subject} failed: {error}" for subject, error in self.failures.items()]
        return "\n\n".join(parts)

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        report = {
            "at": self._started.isoformat(timespec="seconds"),
            "python": platform.python_version(),
            "machine": platform.machine(),
            "judged": self._judged,
            "rows": [row.to_dict() for row in self.rows],
            "failures": self.failures,
        }
        self._path.write_text(json.dumps(report, indent=2) + "\n")
