"""Runs the program of a project until it is stopped, and starts it again when its code changes."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kubewright.cli.project_folder import SAMPLES
from kubewright.cli.running.processes import Child
from kubewright.cli.running.recovery import End, Reach, Recovery
from kubewright.cli.running.sources import Snapshot, Sources, snapshot_of
from kubewright.machinery.errors import KubewrightError

if TYPE_CHECKING:
    from kubewright.cli.running.webhooks import LocalWebhooks

__all__ = ["Plan", "supervise"]

T = TypeVar("T")

_SETTLED_IN: Final = 10.0
"""Seconds after which a program that fails has not failed to start: it is started again, as its pod would be.
A leader that loses its Lease has led for as long.
"""

_REFUSED: Final = 1
"""The exit code of `kubewright install` where the code is not at fault, but the cluster, or a right in it."""

_MOST_NAMED: Final = 3
"""How many files that have changed are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run, and how."""

    folder: Path
    """Of the project."""
    root: Path
    """Where its package is imported from."""
    package: str
    arguments: Sequence[str] = ()
    """Of the program."""
    environment: Mapping[str, str]
    """Of the program."""
    installing: Mapping[str, str]
    """The environment of what installs definitions and samples, with rights that the program may not have."""
    install: bool
    samples: bool
    reload: bool
    webhooks: LocalWebhooks | None = None
    """What shows when the program serves its webhooks; None where it serves none."""
    reach: Reach | None = None
    """How the cluster is reached; None where nobody looks after it."""

    @property
    def sources(self) -> Sources:
        """What is watched."""
        return Sources(self.root, self.folder / "pyproject.toml", *self.sample_folder)

    @property
    def sample_folder(self) -> tuple[Path, ...]:
        """That of the samples, if they are wanted."""
        return (self.folder / SAMPLES,) if self.samples else ()


async def supervise(
    plan: Plan,
    *,
    hurry: asyncio.Event,
    tell: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Run a program; returns its exit code when it has ended and is not to be started again.

    With `reload` that never happens. Cancelled, it stops the program in good order, unless `hurry` is set.
    """
    return await _Supervisor(plan, hurry, tell, clock).run()


class _Supervisor:
    def __init__(
        self, plan: Plan, hurry: asyncio.Event, tell: Callable[[str], None], clock: Callable[[], float]
    ) -> None:
        self._plan: Final = plan
        self._hurry: Final = hurry
        self._tell: Final = tell
        self._clock: Final = clock
        self._sources: Final = plan.sources
        self._applied: Snapshot | None = None
        """The samples as they were when they were last applied."""
        self._recovery: Final = Recovery(plan.reach, tell)
        self._complained = ""
        """What the last installation had to say, which is not said again by the next one."""

    async def run(self) -> int:
        """Round after round, until the program ends for good."""
        while True:
            before = await asyncio.to_thread(self._sources.snapshot)
            configured = await self._recovery.starting()
            end = await self._unless_changed(self._round(), before)
            if end is None:
                continue
            if not self._plan.reload:
                return end.code
            settled = end.code != 0 and end.lasted >= _SETTLED_IN
            await self._unless_changed(self._recovery.mended(end, configured, settled=settled), before)

    async def _unless_changed(self, work: Coroutine[Any, Any, T], before: Snapshot) -> T | None:
        """The result of some work, or None when a file changed before it was done; then it is cancelled."""
        working = asyncio.create_task(work, name="round")
        tasks: list[asyncio.Task[Any]] = [working]
        if self._plan.reload:
            tasks.append(asyncio.create_task(self._sources.changed(before), name="looks at files"))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            self._tell_changed(tasks[1].result())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._recovery.code_changed()
        self._complained = ""
        return None

    async def _round(self) -> End:
        """Install, and run the program until it ends by itself."""
        plan = self._plan
        if not plan.folder.is_dir():  # As while another branch is checked out, or a disk is away.
            return self._not_started(f", since the folder {plan.folder} is gone")
        if plan.reach is not None and plan.reach.renew is not None:
            try:
                plan.reach.renew()
            except KubewrightError as error:
                return self._not_started(f": {error}")
        if plan.install and (code := await self._step()):
            told = "the program was not started, since its kinds could not be installed"
            return End(code, told, may_pass=code == _REFUSED)
        before = await plan.webhooks.versions() if plan.webhooks is not None else frozenset()
        program = self._child(["-m", plan.package, *plan.arguments], plan.environment)
        async with program:
            began = self._clock()
            applying = asyncio.create_task(self._apply_samples(before), name="samples")
            try:
                code = await program.ended()
                return End(code, f"the program {_ended(code)}", self._clock() - began)
            finally:
                applying.cancel()
                await asyncio.gather(applying, return_exceptions=True)

    def _not_started(self, why: str) -> End:
        """The end of a round in which nothing ran that could have said why."""
        told = f"the program was not started{why}"
        if not self._plan.reload:  # else it is told with what it waits for
            self._tell(told)
        return End(1, told)

    async def _apply_samples(self, before: frozenset[tuple[str, str]]) -> None:
        """Apply the samples if they have changed, once other webhooks can answer than those of before."""
        samples = snapshot_of(*self._plan.sample_folder)
        if not self._plan.samples or samples == self._applied:
            return
        if self._plan.webhooks is not None:
            await self._plan.webhooks.served(before)
        if await self._step("--samples") == 0:
            self._applied = samples
        else:
            self._tell(f"the samples in {SAMPLES} were not applied; they are tried again when one changes")

    async def _step(self, *options: str) -> int:
        """Have definitions installed by the code as it is now, and tell of what changed in the cluster."""
        child = self._child(
            ["-m", "kubewright", "install", "--package", self._plan.package, *options],
            self._plan.installing,
            captured=True,
        )
        try:
            async with child:
                printed = await child.output()
                code = await child.ended()
        finally:  # also when it was stopped, as by Ctrl-C: what it says may be why
            self._show_complaints(child)
        for line in printed.decode("utf-8", "replace").splitlines():
            if not line.endswith(" unchanged"):
                self._tell(line)
        return code

    def _show_complaints(self, child: Child) -> None:
        """Print what a child had to say, unless the one before it said the same."""
        complaint = child.complaints.decode("utf-8", "replace")
        if complaint == self._complained:
            return
        self._complained = complaint
        with suppress(OSError):  # A terminal that is gone is no reason to end.
            if child.left_out:
                click.echo(f"(the first {child.left_out} bytes of this are left out)", err=True)
            click.echo(complaint, err=True, nl=bool(complaint) and not complaint.endswith("\n"))

    def _child(
        self, arguments: Sequence[str], environment: Mapping[str, str], *, captured: bool = False
    ) -> Child:
        return Child(
            arguments,
            folder=self._plan.folder,
            environment=environment,
            hurry=self._hurry,
            tell=self._tell,
            captured=captured,
        )

    def _tell_changed(self, paths: Sequence[str]) -> None:
        names = [os.path.relpath(path, self._plan.folder) for path in paths[:_MOST_NAMED]]
        more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
        self._tell(f"{', '.join(names)}{more} changed; starting again")


def _ended(code: int) -> str:
    if code > 128:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(code - 128).name}"
    return f"ended with exit code {code}" if code else "has ended"
