"""The README says how to install kubewright, in a way that works with this checkout."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_it_says_how_to_install_from_a_checkout() -> None:
    (line,) = re.findall(r"^\$ pip install (.*?)(?:  .*)?$", (ROOT / "README.md").read_text(), re.MULTILINE)
    found = re.fullmatch(r"'\.\[([a-z,]+)\]'", line)
    assert found, line
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "kubewright"
    assert set(found[1].split(",")) <= project["optional-dependencies"].keys()
