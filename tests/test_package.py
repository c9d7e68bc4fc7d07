"""The package as a whole: its public names, its command, its examples."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kubewright

ROOT = Path(__file__).parents[1]


def test_public_names_are_there_and_said_to_type_checkers() -> None:
    for name in kubewright.__all__:
        assert getattr(kubewright, name) is not None
    tree = ast.parse(Path(kubewright.__file__).read_text())
    imported = {
        alias.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported - {None} == set(kubewright.__all__)
    assert set(dir(kubewright)) == set(kubewright.__all__)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'kubewright' has no attribute 'Klient'"):
        _ = kubewright.Klient


def test_the_command() -> None:
    for command in (["-m", "kubewright", "version"], ["-m", "kubewright", "--version"]):
        printed = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, check=True
        ).stdout
        assert printed == f"kubewright {kubewright.__version__}\n"


def test_the_tour() -> None:
    command = [sys.executable, "-m", "examples.tour"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "cpu: 250m + 100m = 350m" in printed
    assert "written back: shop/web:1.1, and still {'kept': True}" in printed
    assert 'conflict with "team": .spec.replicas' in printed
    assert "applied, it gives the same object: True" in printed


def test_the_first_steps() -> None:
    command = [sys.executable, "-m", "examples.first_steps"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert printed.splitlines() == [
        "Kubernetes 1.36",
        "applied default/web: 2 replicas of web:1",
        'refused: Apply failed with 1 conflict: conflict with "team": .spec.replicas (409 Conflict)',
        "ADDED: 2 replicas, labels {}",
        "MODIFIED: 4 replicas, labels {}",
        "MODIFIED: 4 replicas, labels {'tier': 'front'}",
        "DELETED: 4 replicas, labels {'tier': 'front'}",
        'deployments.apps "web" not found (404 NotFound)',
    ]


@pytest.mark.parametrize(
    "package", ["kubewright", "kubewright.controllers", "kubewright.crd", "kubewright.webhooks"]
)
def test_no_module_stands_in_the_place_of_a_name(package: str) -> None:
    """A module that is imported becomes an attribute of its package, and hides what is called the same."""
    program = f"""
import importlib, pkgutil, types
package = importlib.import_module({package!r})
for each in pkgutil.iter_modules(package.__path__):
    if each.name not in ("cli", "__main__"):
        importlib.import_module(f"{package}.{{each.name}}")
print([name for name in package.__all__ if isinstance(getattr(package, name), types.ModuleType)])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
