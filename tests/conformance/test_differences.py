"""docs/server-differences.md names every difference that the tests leave out."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "server-differences.md").read_text()


def test_every_marker_is_explained() -> None:
    told = set(re.findall(r"\*\*([^*]+)\*\*", PAGE))
    marked = {
        word
        for path in HERE.rglob("*.py")
        for word in re.findall(r"mark\.differs\(\"([^\"]+)\"\)", path.read_text())
    }
    assert marked
    assert marked <= told
