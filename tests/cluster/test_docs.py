"""docs/cluster.md is true: its program runs, and its tables name what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from kubewright.cluster.kubelet.script import PREFIX, Role, script_of
from kubewright.cluster.selection import CONTROLLERS

PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()


def test_the_program() -> None:
    program = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "3\n"


def test_every_controller_is_named() -> None:
    assert [entry.name for entry in CONTROLLERS if f"`{entry.name}`" not in PAGE] == []


def test_every_word_of_the_script_can_be_read() -> None:
    table = PAGE[PAGE.index("| `kubelet.kubewright.dev/…`") :]
    words = re.findall(r"^\| `([a-z-]+): ([^`]+)` \|", table, re.MULTILINE)
    assert len(words) >= 7
    for word, text in words:
        script, problems = script_of({PREFIX + word: text.strip('"')}, "main", Role(False, True))
        assert problems == []
        assert script != script_of({}, "main", Role(False, True))[0], word
