"""Type checkers know that who waits for a condition gets the object, and who waits for its end gets none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_what_waiting_returns() -> None:
    """Strict, with unused ignores reported: the file's `type: ignore`s are mistakes that must be found."""
    command = [sys.executable, "-m", "mypy", "--strict", str(HERE / "waiting_inference.py")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parents[1])
    assert checked.returncode == 0, checked.stdout + checked.stderr
