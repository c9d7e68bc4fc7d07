"""The pages of docs/, and the programs in them."""

from __future__ import annotations

import ast
import re
from inspect import isawaitable
from pathlib import Path
from typing import Any

__all__ = ["DOCS", "ROOT", "programs", "run"]

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def programs(page: str) -> list[str]:
    """The programs of a page that use kubewright; those of other libraries are marked `py`, not `python`."""
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)


async def run(program: str, page: str, names: dict[str, Any]) -> None:
    """Run a program, in which `await` may stand anywhere, with the names of those before it."""
    code = compile(program, f"docs/{page}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    result = eval(code, names)  # noqa: S307 - it is our own page
    if isawaitable(result):
        await result
