"""Ctrl-C and SIGTERM at any moment of a command that changes files: it has done nothing, or all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.scaffolds import KIND, contents, delete_as_scaffold, new_project, run
from tests.server.processes import COMMAND, PATIENCE

OTHER = ("--group", "other", "--version", "v1", "--kind", "Other")
ROOT = Path(__file__).parents[2]


def prepare(folder: Path, command: list[str]) -> None:
    """A folder before a command and after it: for `init` an empty one, else that of a project."""
    (folder / "before").mkdir()
    if command[0] != "init":
        made = new_project(folder / "before", KIND)
        # Something for `upgrade`, and a person's work in it.
        delete_as_scaffold(made, "Dockerfile")
        (made / "README.md").write_text((made / "README.md").read_text() + "mine\n")
        made.rename(folder / "made")
        (folder / "before").rmdir()
        (folder / "made").rename(folder / "before")
    shutil.copytree(folder / "before", folder / "after")
    run(folder / "after", *command)


COMMANDS = [
    ["init", "--domain", "mock.com", "operator-demo"],
    ["init", "--domain", "mock.com", "--name", "operator-demo"],
    ["create", "api", *OTHER],
    ["upgrade"],
]


def interrupt(folder: Path, command: list[str], *, rounds: int) -> None:
    prepare(folder, command)
    ended = subprocess.run(
        [sys.executable, "-m", "tests.cli.interrupted", str(rounds), str(folder), *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        cwd=ROOT,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["before"] > 0
    assert found["after"] > 0


@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[2]], ids=["init", "create api"])
def test_signals_at_some_calls_of_the_file_system(tmp_path: Path, command: list[str]) -> None:
    interrupt(tmp_path, command, rounds=6)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=["init", "init here", "create api", "upgrade"])
def test_signals_at_many_calls_of_the_file_system(tmp_path: Path, command: list[str]) -> None:
    interrupt(tmp_path, command, rounds=12)


@pytest.mark.slow
@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[2]], ids=["init", "create api"])
def test_ctrl_c_at_moments_of_the_real_process(tmp_path: Path, command: list[str]) -> None:
    prepare(tmp_path, command)
    states = [contents(tmp_path / "before"), contents(tmp_path / "after")]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    takes = 0.0
    for each in range(-1, 15):
        place = tmp_path / f"now{each}"
        shutil.copytree(tmp_path / "before", place)
        begun = time.monotonic()
        process = subprocess.Popen(
            [COMMAND, *command],
            cwd=place,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        try:
            process.wait(PATIENCE if each == -1 else takes * each / 14)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        # 1 is what Python ends with while it starts.
        assert process.wait(PATIENCE) in (0, 1, 130, -signal.SIGINT)
        takes = takes or time.monotonic() - begun
        assert contents(place) in states, each
