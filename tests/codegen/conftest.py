"""Packages that a test writes and imports, and their manifests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubewright.codegen.manifests import Manifests, manifests_of
from kubewright.codegen.project import load_project
from tests.codegen.manifest_project import write_package

__all__ = ["Load"]

Load = Callable[..., Manifests]
"""Writes a package of the modules that are given by name, and makes its manifests."""


@pytest.fixture
def imported() -> Iterator[None]:
    """Forgets the modules that a test imports, and where they are."""
    modules, path = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.startswith("manifests_of_"):
            del sys.modules[name]


@pytest.fixture
def load(tmp_path: Path, request: pytest.FixtureRequest, imported: None) -> Load:
    """Writes a package of the files that are given and makes its manifests."""
    package = f"manifests_of_{request.node.name.partition('[')[0]}"

    def made(setup: str = "", **files: str) -> Manifests:
        write_package(tmp_path, package, {f"{name}.py": text for name, text in files.items()})
        return manifests_of(load_project(tmp_path), setup=setup and f"{package}.{setup}")

    return made
