"""Every subject of `make bench`, once and with the smallest counts, so that none stops working unnoticed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import SUBJECTS

pytestmark = [pytest.mark.real, pytest.mark.slow]

_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_it_is_measured(subject: str, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, "-m", "bench", "--tiny", "--results", str(results), subject]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(results.read_text())
    assert report["failures"] == {}
    assert report["rows"], done.stderr
