"""Type checkers are content with the programs of the guides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, programs

PAGES = [
    "controllers.md",
    "controllers-helpers.md",
    "from-client-go.md",
    "from-kopf.md",
    "from-official-client.md",
    "testing.md",
    "webhooks.md",
]


@pytest.mark.slow
def test_the_programs_are_typed(tmp_path: Path) -> None:
    files = []
    for page in PAGES:
        file = tmp_path / f"{page.removesuffix('.md').replace('-', '_')}.py"
        file.write_text("\n\n".join(programs(page)))
        files.append(file)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
