"""The Makefile: what it shows while it gets ready."""

from __future__ import annotations

import os
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
    """Packages are some 100 MB: the first `make demo` takes a while, and must show why."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o755)

    def get_ready() -> str:
        command = ["make", ".venv/.ready", f"PYTHON={sys.executable}"]
        # The tests themselves are run by make, whose variables this one must not inherit.
        env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        return subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True, timeout=60
        ).stdout

    lines = get_ready().splitlines()
    assert lines[0].startswith("installing what this needs into .venv")
    assert "Collecting msgspec" in lines
    assert "installing" not in get_ready()
