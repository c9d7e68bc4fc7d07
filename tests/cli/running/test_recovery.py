"""What a run waits for after a start that failed: the cluster and the kubeconfig, beside the code."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubewright.cli.running import recovery
from kubewright.cli.running.recovery import Reach
from kubewright.cli.running.supervisor import Plan, supervise
from kubewright.testing import Cluster
from tests.cli.run_process import left_in
from tests.cli.run_projects import plain_project

NEEDS_A_FILE = """
import pathlib, sys, time
with pathlib.Path("starts").open("a") as file:
    file.write("start\\n")
if not pathlib.Path("cluster-is-there").exists():
    sys.exit(1)
time.sleep(60)
"""

FAILED = "the program ended with exit code 1"
LONG = 600.0
"""Seconds of a pause that no test waits for."""


class Run:
    """A supervisor at work on a plain project, with a cluster that is in trouble when a test says so."""

    def __init__(self, folder: Path, program: str = NEEDS_A_FILE) -> None:
        self.folder = plain_project(folder / "project", program)
        self.kubeconfig = folder / "kubeconfig"
        self.told: list[str] = []
        self.trouble: str | None = None
        self.meant: str | None = None
        self.looked = 0
        self.clock: Callable[[], float] = time.monotonic
        self.asked = 0
        self.renewed = 0
        self.install = False
        self.environment = dict(os.environ)

    async def _trouble(self) -> str | None:
        self.asked += 1
        return self.trouble

    def _meant(self) -> str | None:
        self.looked += 1
        return self.meant

    def _renew(self) -> None:
        self.renewed += 1

    @property
    def starts(self) -> int:
        path = self.folder / "starts"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def mend(self) -> None:
        """Have the program work, and the cluster answer."""
        (self.folder / "cluster-is-there").touch()
        self.trouble = None

    async def until(self, is_so: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(30):
                while not is_so():  # noqa: ASYNC110 - another process does it
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(self.told) from None

    def during(
        self, test: Callable[[], Awaitable[None]], trouble: Callable[[], Awaitable[str | None]] | None = None
    ) -> None:
        """Do something while it supervises, and stop it."""
        reach = Reach(
            files=[self.kubeconfig],
            trouble=trouble or self._trouble,
            meant=self._meant,
            renew=self._renew,
        )
        plan = Plan(
            folder=self.folder,
            root=self.folder,
            package="demo",
            environment=self.environment,
            installing=self.environment,
            install=self.install,
            samples=False,
            reload=True,
            reach=reach,
        )

        async def main() -> None:
            task = asyncio.create_task(
                supervise(plan, hurry=asyncio.Event(), tell=self.told.append, clock=self.clock)
            )
            try:
                await test()
                assert not task.done()
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

        asyncio.run(main())
        assert left_in(self.folder) == {}


@contextmanager
def pauses(monkeypatch: pytest.MonkeyPatch, seconds: float) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setattr(recovery, "_FIRST_PAUSE", seconds)
        patched.setattr(recovery, "_LONGEST_PAUSE", seconds)
        yield


def test_a_cluster_that_is_back_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        await run.until(lambda: run.asked >= 4)
        assert run.starts == 1, "it was started although nothing had changed"
        run.trouble = "it is not ready"
        seen = run.asked
        await run.until(lambda: run.asked >= seen + 4)
        run.mend()
        await run.until(lambda: run.starts == 2)

    run = Run(tmp_path)
    run.trouble = "nobody listens"
    with pauses(monkeypatch, 0.05):
        run.during(test)
    assert run.told == [
        f"{FAILED}; it is started again when the cluster can be used, or a file changes: nobody listens",
        "the cluster still cannot be used: it is not ready",
        "the cluster can be used; starting again",
    ]
    assert run.renewed == 2, "what was made of the kubeconfig is not made anew"


def test_another_kubeconfig_is_tried_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)
        assert run.asked == 1
        run.kubeconfig.write_text("still broken")
        await run.until(lambda: run.asked == 2)
        run.mend()
        run.kubeconfig.write_text("good")
        await run.until(lambda: run.starts == 2)

    run = Run(tmp_path)
    run.kubeconfig.write_text("broken")
    run.trouble = "the kubeconfig is broken"
    with pauses(monkeypatch, LONG):
        run.during(test)
    assert run.told[1:] == ["the cluster can be used; starting again"]


def test_a_program_that_fails_on_a_cluster_that_answers_waits_for_a_kubeconfig_too(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)
        (run.folder / "cluster-is-there").touch()
        run.kubeconfig.write_text("another context")
        await run.until(lambda: run.starts == 2)

    run = Run(tmp_path)
    run.during(test)
    assert run.told == [
        f"{FAILED}; it is started again when a file changes",
        "the kubeconfig has changed; starting again",
    ]


def test_a_kubeconfig_does_not_disturb_a_program_that_runs(tmp_path: Path) -> None:
    """It is written whenever a token is renewed, or somebody chooses another context."""

    async def test() -> None:
        await run.until(lambda: run.starts == 1)
        run.kubeconfig.write_text("another context")
        # A change of the code is seen with the next look at all that is watched, and is the only one told.
        (run.folder / "demo" / "more.py").touch()
        await run.until(lambda: run.starts == 2)

    run = Run(tmp_path)
    run.mend()
    run.during(test)
    assert run.told == ["demo/more.py changed; starting again"]


def test_a_change_of_the_code_is_tried_while_the_cluster_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)
        (run.folder / "demo" / "more.py").touch()
        await run.until(lambda: run.starts == 2)
        await run.until(lambda: len(run.told) == 3)

    run = Run(tmp_path)
    run.trouble = "nobody listens"
    with pauses(monkeypatch, LONG):
        run.during(test)
    assert run.told[1] == "demo/more.py changed; starting again"
    assert run.told[0] == run.told[2]


def test_kinds_are_installed_when_the_cluster_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also where the cluster is said to answer, as one that has just come does before it has all rights."""

    async def test() -> None:
        # Each try to install fails, and is followed by a question whether the cluster is at fault.
        await run.until(lambda: run.asked >= 3)
        run.kubeconfig.write_text(good)
        await run.until(lambda: run.starts == 1)

    run = Run(tmp_path)
    run.install = True
    run.environment |= {"KUBECONFIG": str(run.kubeconfig), "HOME": str(tmp_path)}
    (run.folder / "cluster-is-there").touch()
    with Cluster.in_thread(controllers="none") as cluster, pauses(monkeypatch, 0.05):
        good = Path(cluster.kubeconfig).read_text()
        run.during(test)
    (told,) = run.told
    assert told.startswith("the program was not started, since its kinds could not be installed; ")
    assert told.endswith("; it is tried again from time to time, and when a file changes")
    shown = capfd.readouterr().err
    assert shown.count("Error: no cluster is configured") == 1, shown


def test_code_that_cannot_be_imported_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)
        (run.folder / "demo" / "__init__.py").write_text("")
        await run.until(lambda: run.starts == 1)

    run = Run(tmp_path)
    run.install = True
    (run.folder / "demo" / "__init__.py").write_text("import is broken")
    with Cluster.in_thread(controllers="none") as cluster, pauses(monkeypatch, 0.05):
        run.environment |= {"KUBECONFIG": cluster.kubeconfig}
        run.during(test)
    assert run.told[0].endswith("could not be installed; it is started again when a file changes")


def test_code_that_has_run_for_long_is_tried_again_while_its_cluster_comes_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster that restarts answers before it has all rights, and the code is the same as before."""

    async def test() -> None:
        await run.until(lambda: run.starts >= 4)
        run.mend()
        starts = run.starts
        await run.until(lambda: run.starts > starts)

    run = Run(tmp_path)
    times = iter([0.0, 60.0])
    run.clock = lambda: next(times, 60.0)
    with pauses(monkeypatch, 0.05):
        run.during(test)
    assert run.told == [
        f"{FAILED}; it is started again",
        f"{FAILED}; it is tried again from time to time, and when a file changes",
    ]


def test_code_that_has_changed_since_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        await run.until(lambda: len(run.told) == 2)
        (run.folder / "demo" / "more.py").touch()
        await run.until(lambda: len(run.told) == 4)

    run = Run(tmp_path)
    times = iter([0.0, 60.0])
    run.clock = lambda: next(times, 60.0)
    with pauses(monkeypatch, LONG):
        run.during(test)
    assert run.told[2:] == [
        "demo/more.py changed; starting again",
        f"{FAILED}; it is started again when a file changes",
    ]


DEV, PROD = "dev (https://dev:6443)", "prod (https://prod:6443)"
NOW_PROD = f"the kubeconfig now means {PROD}; save a file, or start run again, to use it"


@pytest.mark.parametrize("trouble", [None, "nobody listens"])
def test_another_cluster_is_never_chosen_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str | None
) -> None:
    async def test() -> None:
        await run.until(lambda: run.told)
        run.trouble = None  # as prod is in none
        run.meant = PROD
        run.kubeconfig.write_text("current-context: prod")
        await run.until(lambda: len(run.told) == 2)
        assert run.told[1] == NOW_PROD
        assert run.asked == 1, "the other cluster was asked"
        asked, looked = run.asked, run.looked
        run.kubeconfig.write_text("current-context: prod, and another token")
        await run.until(lambda: run.looked > looked)
        assert (run.starts, run.asked, run.told[2:]) == (1, asked, [])
        (run.folder / "demo" / "more.py").touch()
        await run.until(lambda: run.starts == 2)
        await run.until(lambda: len(run.told) == 4)

    run = Run(tmp_path)
    run.trouble, run.meant = trouble, DEV
    with pauses(monkeypatch, LONG):
        run.during(test)
    assert run.told[2] == "demo/more.py changed; starting again"
    assert run.told[3] == f"{FAILED}; it is started again when a file changes", "prod is what it uses now"


def test_nor_after_a_program_that_has_run_for_long(tmp_path: Path) -> None:
    async def test() -> None:
        await run.until(lambda: run.starts == 1)
        run.meant = PROD
        (run.folder / "fails").touch()
        await run.until(lambda: run.told)
        looked = run.looked
        run.meant = None
        run.kubeconfig.write_text("broken")
        await run.until(lambda: run.looked > looked)
        assert (run.starts, run.told) == (1, [f"{FAILED}, and {NOW_PROD}"])
        run.meant = DEV
        run.kubeconfig.write_text("current-context: dev")
        await run.until(lambda: run.starts == 2)

    fails = """
import pathlib, sys, time
with pathlib.Path("starts").open("a") as file:
    file.write("start\\n")
while not pathlib.Path("fails").exists():
    time.sleep(0.02)
pathlib.Path("fails").unlink()
sys.exit(1)
"""
    run = Run(tmp_path, fails)
    run.meant = DEV
    times = iter([0.0, 60.0])
    run.clock = lambda: next(times, 60.0)
    run.during(test)
    assert run.told[1:] == [f"the kubeconfig means {DEV} again; starting again"]
