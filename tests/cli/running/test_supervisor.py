"""The supervisor: when a program is started again, and what is told of it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kubewright.cli.running import supervisor
from kubewright.cli.running.recovery import Reach
from kubewright.cli.running.supervisor import Plan, supervise
from kubewright.machinery.errors import KubewrightError
from tests.cli.run_process import left_in, processes_in
from tests.cli.run_projects import plain_project

WORKS = """
import os, pathlib, time
with pathlib.Path("starts").open("a") as file:
    file.write("start\\n")
time.sleep(60)
"""


class Run:
    """A supervisor at work on a plain project."""

    def __init__(self, folder: Path, program: str, **options: object) -> None:
        plain_project(folder, program)
        given: dict[str, object] = {"install": False, "samples": False, "reload": True, **options}
        self.folder = folder
        self.told: list[str] = []
        self.clock: Callable[[], float] = time.monotonic
        self.plan = Plan(
            folder=folder,
            root=folder,
            package="demo",
            environment=dict(os.environ),
            installing=dict(os.environ),
            **given,  # type: ignore[arg-type]
        )

    async def supervise(self) -> int:
        return await supervise(self.plan, hurry=asyncio.Event(), tell=self.told.append, clock=self.clock)

    def write(self, program: str) -> None:
        (self.folder / "demo" / "__main__.py").write_text(program)

    @property
    def starts(self) -> int:
        path = self.folder / "starts"
        return len(path.read_text().splitlines()) if path.exists() else 0

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not is_so():  # noqa: ASYNC110 - another process does it
                await asyncio.sleep(0.02)

    def during(self, test: Callable[[], Awaitable[None]]) -> None:
        """Do something while it supervises, and stop it."""

        async def main() -> None:
            task = asyncio.create_task(self.supervise())
            try:
                await test()
                assert not task.done()
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

        asyncio.run(main())
        assert left_in(self.folder) == {}


def test_without_reload_its_exit_code_is_that_of_the_program(tmp_path: Path) -> None:
    program = "import sys; sys.exit(len(sys.argv[1:]))"
    run = Run(tmp_path, program, reload=False, arguments=["--a", "b", "c"])
    assert asyncio.run(run.supervise()) == 3
    assert run.told == []


def test_without_reload_it_is_told_why_nothing_was_started(tmp_path: Path) -> None:
    async def trouble() -> str | None:
        return None

    def renew() -> None:
        raise KubewrightError("nobody may act for it")

    reach = Reach(files=[], trouble=trouble, renew=renew)
    run = Run(tmp_path / "a", WORKS, reload=False, reach=reach)
    assert asyncio.run(run.supervise()) == 1
    assert (run.told, run.starts) == (["the program was not started: nobody may act for it"], 0)
    run = Run(tmp_path / "b", WORKS, reload=False)
    run.folder.rename(tmp_path / "away")
    assert asyncio.run(run.supervise()) == 1
    assert run.told == [f"the program was not started, since the folder {run.folder} is gone"]


def test_a_program_that_cannot_start_waits_for_a_change(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)
        assert run.told == ["the program ended with exit code 1; it is started again when a file changes"]
        run.write(WORKS)
        await run.until(lambda: run.starts == 1)
        assert run.told[1:] == ["demo/__main__.py changed; starting again"]

    run = Run(tmp_path, "raise SystemExit(1)")
    run.during(test)


def test_one_that_has_ended_by_itself_too(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)

    run = Run(tmp_path, "")
    run.during(test)
    assert run.told == ["the program has ended; it is started again when a file changes"]


def test_a_folder_that_is_away_for_a_while(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.starts == 1)
        folder.rename(tmp_path / "away")
        await run.until(lambda: len(run.told) == 2)
        (tmp_path / "away").rename(folder)
        await run.until(lambda: run.starts == 2)

    folder = tmp_path / "project"
    run = Run(folder, WORKS)
    run.during(test)
    assert run.told[1] == (
        f"the program was not started, since the folder {folder} is gone; "
        "it is started again when a file changes"
    )


def test_one_that_was_killed_is_told_as_such(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)

    run = Run(tmp_path, "import os; os.kill(os.getpid(), 11)")
    run.during(test)
    assert run.told == ["the program was ended by SIGSEGV; it is started again when a file changes"]


def test_one_that_fails_after_a_while_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        await run.until(lambda: run.starts >= 3)

    monkeypatch.setattr(supervisor, "_SETTLED_IN", 0.0)
    run = Run(tmp_path, WORKS.replace("time.sleep(60)", "raise SystemExit(1)"))
    run.during(test)
    assert set(run.told) == {"the program ended with exit code 1; it is started again"}


class SlowCluster:
    """Webhooks of a cluster that takes a minute to answer."""

    def __init__(self) -> None:
        self.now = 0.0

    async def versions(self) -> frozenset[tuple[str, str]]:
        self.now += 60
        return frozenset()


def test_what_comes_before_its_start_does_not_make_it_one_that_has_worked(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)
        assert run.told == ["the program ended with exit code 1; it is started again when a file changes"]

    cluster = SlowCluster()
    run = Run(tmp_path, "raise SystemExit(1)", webhooks=cluster)
    run.clock = lambda: cluster.now
    run.during(test)


def test_a_change_stops_it_and_starts_the_new_one(tmp_path: Path) -> None:
    async def test() -> None:
        for number in range(1, 4):
            await run.until(lambda number=number: run.starts == number)  # type: ignore[misc]
            assert len(processes_in(tmp_path)) == 2  # it, and what hands on its signals
            run.write(WORKS + "\n" * number)
        await run.until(lambda: run.starts == 4)

    run = Run(tmp_path, WORKS)
    run.during(test)
    assert run.told == ["demo/__main__.py changed; starting again"] * 3


def test_many_files_are_not_all_named(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.starts == 1)
        for name in "abcde":
            (tmp_path / "demo" / f"{name}.py").write_text("")
        await run.until(lambda: run.told)

    run = Run(tmp_path, WORKS)
    run.during(test)
    assert run.told[0] == "demo/a.py, demo/b.py, demo/c.py and 2 more changed; starting again"


COMPLAINS = """
import pathlib, sys, time
sys.stderr.write("a warning without an end")
sys.stderr.flush()
with pathlib.Path("installs").open("a") as file:
    file.write("install\\n")
time.sleep(60)
"""


@pytest.mark.parametrize("change", [True, False], ids=["a change", "Ctrl-C"])
def test_what_an_installation_says_is_shown_when_it_is_stopped(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], change: bool
) -> None:
    async def test() -> None:
        installs = tmp_path / "installs"
        for number in range(1, 3 if change else 2):
            await run.until(
                lambda number=number: (  # type: ignore[misc]
                    installs.exists() and len(installs.read_text().splitlines()) == number
                )
            )
            if change and number == 1:
                (tmp_path / "demo" / "more.py").touch()

    run = Run(tmp_path, WORKS, install=True)
    (tmp_path / "demo" / "__init__.py").write_text(COMPLAINS)
    run.during(test)
    shown = capfd.readouterr().err
    # Each time, since other code may say the same for another reason.
    assert shown.splitlines().count("a warning without an end") == (2 if change else 1), shown


def test_an_installation_that_says_too_much_is_cut(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = Run(tmp_path, WORKS, install=True, reload=False)
    says = "import os\nos.write(2, b'first' + b'.' * 100_000 + b'last')\nos._exit(3)\n"
    (tmp_path / "demo" / "__init__.py").write_text(says)
    assert asyncio.run(run.supervise()) == 3
    note, shown, rest = capfd.readouterr().err.split("\n")
    assert note == f"(the first {100_009 - 65_536} bytes of this are left out)"
    assert shown == "." * (65_536 - 4) + "last"
    assert rest == ""
