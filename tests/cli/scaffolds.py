"""Runs of the commands that make and change projects, in this process."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from kubewright.cli import main
from kubewright.scaffold.pristine import copy_path, encode_copy

KIND = ("--group", "zhhnzw", "--version", "v1", "--kind", "CustomPod")


def run(folder: Path, *arguments: str, exit_code: int = 0) -> Result:
    """A command in a folder, which must end with this code."""
    with contextlib.chdir(folder):
        ended = CliRunner().invoke(main, arguments)
    assert ended.exit_code == exit_code, (ended.exit_code, ended.output)
    return ended


def answer(folder: Path, *arguments: str, exit_code: int = 0) -> dict[str, Any]:
    """What a command answers to a script."""
    ended = run(folder, *arguments, "--output", "json", exit_code=exit_code)
    assert ended.stderr == ""
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def refusal(folder: Path, *arguments: str, exit_code: int = 1) -> str:
    """The one sentence that a command refuses with, without a change of anything in the folder."""
    before = contents(folder)
    ended = run(folder, *arguments, exit_code=exit_code)
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Error: ")
    assert contents(folder) == before
    return line.removeprefix("Error: ")


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder, and the folders as well."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b"/"
        for path in folder.rglob("*")
    }


def new_project(folder: Path, *kinds: tuple[str, ...]) -> Path:
    """A project below a folder, with kinds."""
    run(folder, "init", "--domain", "mock.com", "operator-demo")
    for kind in kinds:
        run(folder / "operator-demo", "create", "api", *kind)
    return folder / "operator-demo"


def write_as_scaffold(project: Path, path: str, text: str) -> None:
    """Write a file of a project, and its pristine copy, as a scaffold that had this text for it."""
    for place, content in ((path, text.encode()), (copy_path(path), encode_copy(text))):
        (project / place).parent.mkdir(parents=True, exist_ok=True)
        (project / place).write_bytes(content)


def delete_as_scaffold(project: Path, path: str) -> None:
    """Delete a file of a project, and its pristine copy, as if the scaffold had no such file."""
    (project / path).unlink()
    (project / copy_path(path)).unlink()


def copied(project: Path, place: Path) -> Path:
    """A copy of a project, in place of an earlier one."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(project, place)
    return place
