"""Ctrl-C while the command starts and ends: no traceback of ours, at no moment."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.run_projects import plain_project
from tests.server.processes import COMMAND, PATIENCE

SOURCES = Path(__file__).parents[2] / "src" / "kubewright"

HOOK = """
import atexit, os, signal, sys
at, count = int(os.environ["AT"]), -1
def hook(event, arguments):
    global count
    if event == "import" and (count >= 0 or arguments[0].startswith("kubewright.")):
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
if at < 0:
    atexit.register(lambda: print(count, "imports"))
"""
"""Presses Ctrl-C when a module is about to be imported: as many before, from the first of ours on."""

COMMANDS = [[sys.executable, "-m", "kubewright", "version"], [COMMAND, "version"]]


BEFORE_ALL = re.compile(
    rf'File "{re.escape(str(SOURCES))}/__(init|main)__\.py", line \d+, in <(module|dictcomp)>'
)
"""What runs before anything can be done about Ctrl-C, some microseconds long: it imports nothing."""


def ours(printed: str) -> list[str]:
    """The lines of tracebacks that are about our files; none are while Python itself starts."""
    return [line for line in re.findall(r'File "([^"]+)"', printed) if line.startswith(str(SOURCES))]


def interrupted_at(folder: Path, command: list[str], at: int) -> subprocess.CompletedProcess[str]:
    (folder / "sitecustomize.py").write_text(HOOK)
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(folder), "AT": str(at)},
    )


@pytest.mark.parametrize("command", COMMANDS, ids=["python -m", "script"])
def test_at_imports(tmp_path: Path, command: list[str]) -> None:
    whole = interrupted_at(tmp_path, command, -1)
    count = int(re.findall(r"^(\d+) imports$", whole.stdout, re.MULTILINE)[0])
    # The first ones, before which least is done about it, and some of all others.
    for at in (0, 1, 2, 3, *range(10, count, count // 4)):
        ended = interrupted_at(tmp_path, command, at)
        assert ended.returncode in (130, -signal.SIGINT), (at, ended)
        assert ours(ended.stderr) == [], (at, ended.stderr)
        if at > 3:
            assert ended.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=["python -m", "script"])
def test_at_any_moment(command: list[str]) -> None:
    begun = time.monotonic()
    subprocess.run(command, capture_output=True, check=True)
    takes = time.monotonic() - begun
    for _ in range(40):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(random.uniform(0, takes))  # noqa: S311 - no secret
            process.send_signal(signal.SIGINT)
            _, printed = process.communicate(timeout=PATIENCE)
        assert ours(BEFORE_ALL.sub("", printed)) == [], printed
        # 1 is what Python ends with while it starts by itself.
        assert process.returncode in (0, 1, 130, -signal.SIGINT)


LOADING = """
import os, signal, sys
def hook(event, arguments):
    if event == "import" and arguments[0] == "kubewright.cluster.server":
        os.kill(os.getpid(), int(os.environ["NUMBER"]))
sys.addaudithook(hook)
"""
"""Sends a signal while another thread loads aiohttp."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "arguments", [["run", "--embedded", "--in-memory"], ["server"]], ids=["run", "server"]
)
def test_while_two_threads_load(tmp_path: Path, arguments: list[str], number: signal.Signals) -> None:
    folder = plain_project(tmp_path / "project", "")
    (tmp_path / "sitecustomize.py").write_text(LOADING)
    ended = subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "NUMBER": str(int(number))},
    )
    # By the signal itself. Were anything raised, the lock of imports might stay taken: it hung that way once.
    assert ended.returncode == -number
    assert ended.stderr == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", ["", "class It:\n    made = Made()\n"], ids=["module", "class"])
def test_while_code_of_a_project_is_loaded(tmp_path: Path, number: signal.Signals, where: str) -> None:
    program = f"""
import signal
class Made:
    def __set_name__(self, owner, name):
        signal.raise_signal({int(number)})
{where or f"signal.raise_signal({int(number)})"}
"""
    # It is no error of the project, though the one that meets it may say so.
    folder = plain_project(tmp_path, "")
    (folder / "demo" / "__init__.py").write_text(program)
    ended = subprocess.run(
        [COMMAND, "manifests"], capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=folder
    )
    assert ended.returncode == 128 + number
    assert ended.stderr.strip() == ""


def test_who_ignores_it_goes_on(tmp_path: Path) -> None:
    command = ["/bin/sh", "-c", f"trap '' INT; exec {sys.executable} -m kubewright version"]
    ended = interrupted_at(tmp_path, command, 8)
    assert ended.returncode == 0
    assert ended.stdout.startswith("kubewright ")
