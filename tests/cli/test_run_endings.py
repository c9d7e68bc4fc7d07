"""How `kubewright run` ends: by signals in every phase, and by its program. It leaves nothing behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

import kubewright
from tests.cli.run_process import RunProcess
from tests.cli.run_projects import CONTROLLER, plain_project, scaffolded_project
from tests.server.processes import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc"),
]

QUICK = ("--embedded", "--in-memory", "--controllers=none")

WORKS = "import os, time; print('up', os.getpid()); time.sleep(60)"

SOURCES = str(Path(kubewright.__file__).parent)

STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{WORKS}"


PYTHON_FAILED = 1
"""What Python itself ends with when Ctrl-C comes while it gets ready, before it runs anything of ours."""


def ends_well(run: RunProcess, number: signal.Signals) -> int:
    """Stop it, which takes no time and prints nothing strange; RunProcess looks for processes."""
    began = time.monotonic()
    code = run.stop(number)
    assert time.monotonic() - began < PATIENCE / 2
    # Before a line of ours runs, Python has its own way to end.
    assert "Traceback" not in run.printed or SOURCES not in run.printed
    assert "Exception" not in run.printed
    return code


class TestSignals:
    @pytest.mark.parametrize("seconds", [0.2, 0.4, 0.6, 0.9, 1.2])
    def test_while_it_starts(self, tmp_path: Path, seconds: float) -> None:
        (tmp_path / "temporary").mkdir()
        folder = plain_project(tmp_path / "project", WORKS)
        with RunProcess(folder, *QUICK, TMPDIR=str(tmp_path / "temporary")) as run:
            time.sleep(seconds)
            code = ends_well(run, signal.SIGINT)
            # Until anything is done at all it ends as every program does.
            assert code in (0, 130, -signal.SIGINT) or (
                code == PYTHON_FAILED and run.printed.startswith("Fatal Python error: init_")
            )
        assert list((tmp_path / "temporary").iterdir()) == []

    def test_while_it_installs_and_while_the_program_starts(self, tmp_path: Path) -> None:
        folder = scaffolded_project(tmp_path)
        for phase in ("^program: ", "custompods.zhhnzw.mock.com created$", "reconciled in"):
            with RunProcess(folder, "--embedded", "--samples", "--controllers=none") as run:
                run.until(phase)
                assert ends_well(run, signal.SIGINT) == 0

    def test_while_it_starts_again(self, tmp_path: Path) -> None:
        folder = scaffolded_project(tmp_path)
        with RunProcess(folder, "--embedded", "--samples", "--controllers=none") as run:
            run.until("reconciled in")
            (folder / CONTROLLER).write_text((folder / CONTROLLER).read_text() + "\n")
            run.until("changed; starting again")
            assert ends_well(run, signal.SIGINT) == 0

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_while_it_runs(self, tmp_path: Path, number: signal.Signals) -> None:
        with RunProcess(plain_project(tmp_path, WORKS), *QUICK, "--no-install") as run:
            run.until("^up")
            assert ends_well(run, number) == 0

    def test_a_second_one_kills_a_program_that_does_not_stop(self, tmp_path: Path) -> None:
        with RunProcess(plain_project(tmp_path, STUBBORN), *QUICK, "--no-install") as run:
            run.until("^up")
            run.send(signal.SIGINT)
            run.until("^kubewright: stopping; Ctrl-C again kills the program$")
            assert ends_well(run, signal.SIGINT) == 130
            # Which is told when one that was asked once was waited for.
            assert "the program has not stopped" not in run.printed

    def test_killed_it_leaves_a_folder_that_the_next_one_takes_away(self, tmp_path: Path) -> None:
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        folder = plain_project(tmp_path / "project", STUBBORN)
        with RunProcess(folder, *QUICK, "--no-install", TMPDIR=str(temporary)) as run:
            run.until("^up")
            run.send(signal.SIGKILL)
            run.ended()
        (left,) = temporary.iterdir()
        assert left.name.startswith("kubewright-run-")
        os.utime(left, (time.time() - 3600,) * 2)
        with RunProcess(folder, *QUICK, "--no-install", TMPDIR=str(temporary)) as run:
            run.until("^up")
            assert not left.exists()
            run.send(signal.SIGINT)
            run.until("^kubewright: stopping")
            assert ends_well(run, signal.SIGINT) == 130
        assert list(temporary.iterdir()) == []


class TestPrograms:
    def test_without_reload_it_ends_with_its_program(self, tmp_path: Path) -> None:
        program = """
import os, sys
names = ("LOG_LEVEL", "LOG_FORMAT", "WEBHOOKS", "PYTHONPATH")
print(sys.argv[1:], *(os.environ[name] for name in names), sys.stdin.read(), flush=True)
sys.exit(3)
"""
        folder = plain_project(tmp_path, program)
        with RunProcess(folder, *QUICK, "--no-reload", "--no-install", "--", "--leader-elect", "x") as run:
            assert run.ended() == 3
            assert run.printed.splitlines()[-1].split("] ")[1].split() == [
                *("info,kubewright.controllers.reconciles=debug", "text", "local", str(tmp_path)),
            ]
            assert "['--leader-elect', 'x']" in run.printed
            assert "program: python -m demo\n" in run.printed

    def test_code_that_cannot_be_imported(self, tmp_path: Path) -> None:
        folder = plain_project(tmp_path, "import nowhere_at_all")
        with RunProcess(folder, *QUICK, "--no-reload", "--no-install") as run:
            assert run.ended() == 1
            run.until("ModuleNotFoundError: No module named 'nowhere_at_all'")
