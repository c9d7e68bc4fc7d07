"""The commands of docs/projects.md make what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubewright.cli import main
from tests.docs.pages import DOCS

PAGE = (DOCS / "projects.md").read_text()
MAKE, VERSIONS, _ = re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
(TREE,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def commands(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def carry_out(command: str) -> None:
    """Do what a line of the page says, in the present folder."""
    word, *arguments = command.split()
    if word == "cd":
        os.chdir(arguments[0])
    elif arguments[0] == "manifests":
        # In a process of its own: it imports the project, and each time what is there then.
        subprocess.run([sys.executable, "-m", word, *arguments], check=True, capture_output=True)
    else:
        assert word == "kubewright"
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output


def shown(tree: str) -> set[str]:
    """The files of a tree that is drawn with indentation."""
    paths, folder = set(), ""
    for line in tree.splitlines()[1:]:
        name = line.split()[0]
        if line.startswith("    "):
            paths.add(folder + name)
        elif name.endswith("/"):
            folder = name
        else:
            paths.add(name)
    return paths


def test_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in commands(MAKE):
        carry_out(command)
    project = tmp_path / "operator-demo"
    there = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    kept = {path for path in there if path.startswith(".kubewright/scaffold/")}
    made = {path for path in there - kept if "__pycache__" not in path}
    (wheel,) = (path for path in made if path.startswith("vendor/"))
    assert shown(TREE) == made - {wheel} | {"vendor/kubewright-0.1.0-py3-none-any.whl"}
    for command in commands(VERSIONS):
        carry_out(command)
    assert (project / "src/operator_demo/api/v2/custompod.py").is_file()


def test_the_files_that_are_to_be_edited() -> None:
    for path in re.findall(r"`((?:api|controllers|webhooks|config|tests)/[\w/.]+)`", PAGE):
        assert any(
            f"/{each}".startswith(("/" + path, "/src/operator_demo/" + path)) for each in shown(TREE)
        ), path
