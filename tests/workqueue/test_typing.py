"""Type checkers see the keys of queues."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_inference() -> None:
    """Strict, with unused ignores reported: the file's `type: ignore`s are mistakes that must be found."""
    command = [sys.executable, "-m", "mypy", "--strict", str(HERE / "inference.py")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parents[1])
    assert checked.returncode == 0, checked.stdout + checked.stderr
