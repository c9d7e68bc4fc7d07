"""docs/tutorial.md, done as it is printed: from the installed wheel, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.docs.terminals import Terminals
from tests.docs.walkthrough import Command, Interrupt, Listing, Shown, steps_of
from tests.packaging.installed import ROOT, Installed
from tests.realcluster.binaries import find_kubectl

PAGE = (ROOT / "docs" / "tutorial.md").read_text()
STEPS = steps_of(PAGE)
LEFT_OUT = {
    "python3 -m venv .venv": "the environment is made by the fixture",
    ". .venv/bin/activate": "as above",
    "pip install kubewright pytest": "it would take the released version, and not the wheel of this tree",
    "docker build ": "there is no Docker where tests run",
    "docker push ": "as above, and no registry",
}
"""What is not run, by what it begins with, and why."""
LONGEST_START = 30.0
"""Seconds that a project with a kind may take until its test passes, as the project promises."""
TOOLS = Path(sys.executable).parent


def is_left_out(command: str) -> bool:
    return any(command.startswith(each) for each in LEFT_OUT)


@pytest.mark.slow  # builds and installs the wheel, and starts clusters and operators
def test_the_tutorial(installed: Installed, tmp_path: Path) -> None:
    home, began, until_green = tmp_path / "home", time.monotonic(), list[float]()
    home.mkdir()
    project = home / "operator-demo"
    variables = {**installed.environment, "PATH": with_kubectl(installed, tmp_path / "bin")}
    with Terminals(home, variables) as terminals:
        for step in STEPS:
            match step:
                case Listing():
                    assert (project / step.path).is_file(), f"{step.path} is replaced, and was not there"
                    (project / step.path).write_text(step.text)
                case Shown():
                    terminals.shows(step)
                case Interrupt():
                    terminals.interrupt(step)
                case Command() if not is_left_out(step.text):
                    terminals.type(step)
                    if step.text == "pytest -q":
                        until_green.append(time.monotonic() - began)
    assert until_green[0] < LONGEST_START
    assert_clean(project, installed)


def with_kubectl(installed: Installed, folder: Path) -> str:
    """A PATH on which there is a kubectl, of the environment that has kubewright."""
    folder.mkdir()
    (folder / "kubectl").symlink_to(find_kubectl())
    return f"{installed.environment['PATH']}{os.pathsep}{folder}"


def assert_clean(project: Path, installed: Installed) -> None:
    """The project that the tutorial leads to passes the linters, as its Makefile runs them."""
    python = str(installed.folder / "bin" / "python")
    for command in (
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy", "--python-executable", python],
    ):
        done = subprocess.run(
            [TOOLS / command[0], *command[1:]],
            cwd=project,
            env={**os.environ, "RUFF_NO_CACHE": "true"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_left_out_is_there() -> None:
    commands = [step.text for step in STEPS if isinstance(step, Command)]
    for each in LEFT_OUT:
        assert [command for command in commands if command.startswith(each)], each


def test_it_leads_from_init_to_undeploy() -> None:
    words = re.findall(r"^\$ kubewright (\w+(?: api| webhook)?)", PAGE, re.MULTILINE)
    for word in ("init", "create api", "create webhook", "manifests", "run", "server", "deploy", "undeploy"):
        assert word in words


def test_every_file_is_python() -> None:
    for step in STEPS:
        if isinstance(step, Listing):
            compile(step.text, step.path, "exec")
