"""The Makefile: what it shows while it gets ready."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = """#!/bin/sh
# Stands for the Python of .venv: its pip reports what it does, unless it is asked not to.
case " $* " in *" --quiet "* | *" -q "*) exit 0 ;; esac
echo "Collecting msgspec"
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_getting_ready_shows_what_it_does(tmp_path: Path) -> None:
    """Packages are some 100 MB: whoever types `make demo` first waits, and must see for what."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o755)
    command = ["make", ".venv/.ready", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("installing what this needs into .venv")
    assert "Collecting msgspec" in lines
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert "installing" not in again.stdout
