"""kubewright as users have it: built, and installed by pip into an environment of its own.

A test folder gets the fixture by importing it in its conftest.py. It is made once a run, however many workers
there are, and takes its packages from the registry that pip is set to.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["ROOT", "WITHIN", "Installed", "environment", "install", "installed"]

ROOT = Path(__file__).parents[2]
WITHIN = 300.0
"""Seconds that pip may take, on a busy machine behind a slow line."""
TOOLS = ("build", "hatchling")
"""What makes distributions; they are no part of what developers install."""
FURTHER = ("pytest",)
"""What users install beside kubewright, as the tutorial says."""


@dataclass(frozen=True)
class Installed:
    """What was built, and where it is installed."""

    wheel: Path
    sdist: Path
    folder: Path
    """The virtual environment."""

    @property
    def command(self) -> str:
        """The command `kubewright`."""
        return str(self.folder / "bin" / "kubewright")

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a shell in which the environment is active."""
        return environment(self.folder)


def environment(folder: Path) -> dict[str, str]:
    """The variables of a shell in which a virtual environment is active, and which knows no checkout."""
    found = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "PYTHON", "KUBE", "COV")) and name != "VIRTUAL_ENV"
    }
    return {**found, "VIRTUAL_ENV": str(folder), "PATH": f"{folder / 'bin'}{os.pathsep}{found['PATH']}"}


def install(folder: Path, *requirements: str | Path) -> None:
    """Make a virtual environment, and have pip install into it; versions are those that the project names."""
    # Its pip is ours: to copy one into it takes longer than all else.
    _run(sys.executable, "-m", "venv", "--without-pip", folder)
    pins = folder / "pins.txt"
    pins.write_text("\n".join(pinned((ROOT / "constraints.txt").read_text())))
    _pip("--python", folder / "bin" / "python", "install", "--constraint", pins, *requirements)


def pinned(constraints: str) -> list[str]:
    """The versions in a file of constraints, without the hashes.

    pip wants those of all or of none, and a wheel that was just built has none.
    """
    lines = constraints.replace("\\\n", " ").splitlines()
    return [line.partition(" --hash=")[0].strip() for line in lines if line.strip()]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The distributions of this tree, and a clean environment that has the wheel."""
    base = tmp_path_factory.getbasetemp()
    # Workers of one run share what is above their own folders.
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made, done = shared / "installed", shared / "installed.done"
    with _locked(shared / "installed.lock"):
        if not done.exists():
            _build(made / "dist", made / "tools")
            (wheel,) = (made / "dist").glob("*.whl")
            install(made / "venv", wheel, *FURTHER)
            done.touch()
    (wheel,), (sdist,) = (made / "dist").glob("*.whl"), (made / "dist").glob("*.tar.gz")
    return Installed(wheel, sdist, made / "venv")


def _build(dist: Path, tools: Path) -> None:
    """Build the sdist, and the wheel from the sdist."""
    _pip("install", "--target", tools, *TOOLS)
    command = ("build", "--no-isolation", "--outdir", dist, ROOT)
    _run(sys.executable, "-m", *command, variables={"PYTHONPATH": str(tools)})


def _pip(*arguments: str | Path) -> None:
    # What it starts to build something asks the registry as well, and as patiently.
    patience = {"PIP_RETRIES": "10", "PIP_DEFAULT_TIMEOUT": "60"}
    command = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    _run(*command, *arguments, variables=patience)


def _run(*command: str | Path, variables: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(variables or {})},
        timeout=WITHIN,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes, which ends with the process however it ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
