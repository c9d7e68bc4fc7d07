"""The tests of docs/testing.md pass as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_tests_of_the_page(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("\n\n".join(PROGRAMS))
    # In a process of its own: what it imports is imported anew after it, which cryptography cannot bear.
    pytester.runpytest_subprocess().assert_outcomes(passed=7)
