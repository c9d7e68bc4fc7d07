"""The programs in the README work as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)

BODY = """
body = b'''{"items":[{"metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[
{"name":"main","image":"web:1","resources":{"requests":{"memory":"64Mi"}}}]}}]}'''
"""
TEXT = """
text = "apiVersion: example.com/v1\\nkind: Widget\\nmetadata: {name: w}\\nspec: {size: 3}\\n"
"""


def run(program: str) -> str:
    """What a program prints."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_the_first_program() -> None:
    assert run(BODY + PROGRAMS[0] + "print(memory)") == "shop/web web:1\n64Mi\n"


def test_a_cluster() -> None:
    assert run(PROGRAMS[1]) == "200\n"


def test_a_custom_resource() -> None:
    assert run(TEXT + PROGRAMS[2]).endswith("spec:\n  size: 3\n  colors:\n  - red\n\n")


def test_there_are_no_other_programs() -> None:
    assert len(PROGRAMS) == 3
