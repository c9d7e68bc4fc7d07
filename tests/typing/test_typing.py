"""Type checkers see what the documentation promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    "name",
    [
        "inference.py",
        "client_inference.py",
        "custom_resource_inference.py",
        "declaration_inference.py",
        "reconciler_inference.py",
    ],
)
def test_inference(name: str) -> None:
    """Strict, with unused ignores reported: the files' `type: ignore`s are mistakes that must be found."""
    command = [sys.executable, "-m", "mypy", "--strict", str(HERE / name)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parents[1])
    assert checked.returncode == 0, checked.stdout + checked.stderr
