"""What a run waits for after a start that failed: the cluster and the kubeconfig, beside the code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubewright.cli.connect import trouble_of
from kubewright.cli.running import recovery
from kubewright.cli.running.recovery import End, Reach, Recovery
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
        self.asked = 0
        self.renewed = 0
        self.install = False
        self.environment = dict(os.environ)

    async def _trouble(self) -> str | None:
        self.asked += 1
        return self.trouble

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
        reach = Reach(files=[self.kubeconfig], trouble=trouble or self._trouble, renew=self._renew)
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
            task = asyncio.create_task(supervise(plan, hurry=asyncio.Event(), tell=self.told.append))
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


def test_pauses_grow_until_something_works(monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[float] = []

    class Paused(Exception):
        pass

    def timeout(seconds: float) -> object:
        paused.append(seconds)
        raise Paused

    async def trouble() -> str | None:
        return None

    async def main() -> None:
        made = Recovery(Reach(files=[], trouble=trouble), lambda _: None)
        end = End(1, "refused", may_pass=True)
        for number in range(8):
            if number == 7:
                made.worked()
            with pytest.raises(Paused):
                await made.mended(end, {})

    monkeypatch.setattr(asyncio, "timeout", timeout)
    asyncio.run(main())
    assert paused == [1, 2, 4, 8, 16, 30, 30, 1]


def test_trouble_is_told_as_commands_tell_it(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"

    async def asked() -> str | None:
        return await trouble_of(str(path), None, instead="or do without")

    assert asyncio.run(asked()) == f"there is no kubeconfig {path}; correct the path"
    path.write_text("{")
    assert str(path) in (asyncio.run(asked()) or "")
    with Cluster.in_thread(controllers="none") as cluster:
        path.write_text(Path(cluster.kubeconfig).read_text())
        assert asyncio.run(asked()) is None
    told = asyncio.run(asked()) or ""
    assert told.endswith("; start it, choose another --context, or do without")
    assert "\n" not in told
