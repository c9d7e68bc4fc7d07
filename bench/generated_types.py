"""Import times of the types that `kubewright generate types` makes of CRDs, each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.importing import milliseconds
from bench.row import Row
from kubewright.codegen.crd_files import write_files
from kubewright.codegen.crd_types import type_files
from tests.codegen.crd_fixtures import FAMILIES

__all__ = ["rows"]

BOUND: Final = 300.0
"""What issue 6 allows for all types of a project's CRDs, in milliseconds."""

_ALSO: Final = (
    "Field, IntOrString, PrinterColumn, Quantity, Resource, Rule, Scale, Struct, Time, Unstructured"
)
_KUBEWRIGHT: Final = f"from kubewright import {_ALSO}, custom_resource, rule"


def rows() -> list[Row]:
    """The rows about generated types: of each project, all modules, with kubewright and beyond it."""
    with TemporaryDirectory() as folder:
        for family, definitions in FAMILIES.items():
            write_files(Path(folder) / f"kinds_{family}", type_files(definitions, note=_ignore))
        return [row for family in FAMILIES for row in _family(Path(folder), family)]


def _family(folder: Path, family: str) -> list[Row]:
    package = folder / f"kinds_{family}"
    modules = [f"kinds_{family}.{path.stem}" for path in sorted(package.glob("*_v*.py"))]
    statement = f"import {', '.join(modules)}"
    # The first process leaves bytecode, which is what a program that is installed has.
    subprocess.run(
        [sys.executable, "-c", statement],
        check=True,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""},
    )
    path = f"sys.path.insert(0, {str(folder)!r})"
    whole = milliseconds(statement, before=f"import sys; {path}")
    beyond = milliseconds(statement, before=f"import sys; {path}; {_KUBEWRIGHT}")
    return [
        Row(f"import types of {family}", "0.3 s", "ms", whole, BOUND, least=1),
        Row(f"import types of {family} beyond kubewright", "0.3 s", "ms", beyond, BOUND, least=1),
    ]


def _ignore(_sentence: str) -> None:
    """Notes are for people who generate."""
