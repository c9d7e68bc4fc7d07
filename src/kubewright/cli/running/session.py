"""One `kubewright run`: what it starts, in which order, what it tells, and how signals end it."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self

import click

from kubewright.cli.connect import meant_by, trouble_of
from kubewright.cli.running.access import Account, acting_as, with_context
from kubewright.cli.running.folder import RunFolder
from kubewright.cli.running.recovery import Reach
from kubewright.cli.running.supervisor import Plan, supervise
from kubewright.config.loading import find_kubeconfig
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.printable import one_line

if TYPE_CHECKING:
    from kubewright.cli.running.project import Program
    from kubewright.cli.running.webhooks import LocalWebhooks
    from kubewright.cluster.options import ClusterOptions

__all__ = ["RunError", "Session"]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a service manager, and a terminal that was closed."""


class RunError(KubewrightError):
    """A program cannot be run; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What was asked for."""

    program: Program
    arguments: tuple[str, ...]
    cluster: ClusterOptions | None
    """The cluster to start; None for one that is there."""
    kubeconfig: str | None
    context: str | None
    account: Account | None
    install: bool
    samples: bool
    reload: bool
    webhooks: Literal["local", "off"]
    environment: Mapping[str, str]
    """Of all that is started."""

    async def run(self) -> int:
        """Run until the end; returns an exit code: that of the program, or 0 when a signal stopped it.

        After a first signal the program stops in good order, and then the cluster. A second one kills the
        program; a third ends this process at once.
        """
        hurry = asyncio.Event()
        with _Stopping(hurry) as stopping:
            running = asyncio.create_task(self._run(stopping.folder, hurry), name="kubewright run")
            stopping.task = running
            try:
                return await running
            except asyncio.CancelledError:
                if not stopping.count:
                    raise
                return stopping.code

    async def _run(self, folder: Path, hurry: asyncio.Event) -> int:
        async with AsyncExitStack() as stack:
            kubeconfig, context = self.kubeconfig, self.context
            if self.cluster is not None:
                kubeconfig, context = await self._start(self.cluster, stack), None
            plan = await self._plan(folder, kubeconfig, context)
            self._introduce(plan)
            return await supervise(plan, hurry=hurry, tell=_tell)

    async def _start(self, options: ClusterOptions, stack: AsyncExitStack) -> str:
        """Start the cluster, say how it is reached, and give its kubeconfig back."""
        from kubewright.cluster.server import ClusterServer  # noqa: PLC0415 - for embedded clusters alone
        from kubewright.server.collecting import collect_at_rest  # noqa: PLC0415 - as above

        began = time.monotonic()
        server = await stack.enter_async_context(ClusterServer(**options))
        stack.enter_context(collect_at_rest(asyncio.get_running_loop()))
        data_dir = options.get("data_dir")
        if data_dir is not None:
            _hide(Path(data_dir))
        where = "" if data_dir is not None else " in memory,"
        _say(f"cluster: {server.url},{where} ready in {time.monotonic() - began:.1f} s")
        _say(f"export KUBECONFIG={shlex.quote(server.kubeconfig)}")
        return server.kubeconfig

    async def _plan(self, folder: Path, kubeconfig: str | None, context: str | None) -> Plan:
        paths = [str(self.program.root), *filter(None, [self.environment.get("PYTHONPATH")])]
        # Who installs the definitions is told of the webhooks as well: those are about to be served.
        installing = {
            **self.environment,
            "PYTHONPATH": os.pathsep.join(paths),
            "WEBHOOKS": self.webhooks,
        }
        if kubeconfig is not None or context is not None:
            installing["KUBECONFIG"] = with_context(folder, kubeconfig, context)
        environment = dict(installing)
        renew: Callable[[], str] | None = None
        if self.account is not None:
            await _check_account(self.account, kubeconfig, context)
            renew = partial(acting_as, self.account, folder, kubeconfig, context)
            environment["KUBECONFIG"] = renew()
            environment["POD_NAMESPACE"] = self.account.namespace
        return Plan(
            folder=self.program.folder,
            root=self.program.root,
            package=self.program.package,
            arguments=self.arguments,
            environment=environment,
            installing=installing,
            install=self.install,
            samples=self.samples,
            reload=self.reload,
            webhooks=self._local_webhooks(kubeconfig, context),
            reach=Reach(
                files=find_kubeconfig(kubeconfig)[1],
                trouble=partial(trouble_of, kubeconfig, context),
                meant=partial(meant_by, kubeconfig, context),
                renew=renew,
            ),
        )

    def _local_webhooks(self, kubeconfig: str | None, context: str | None) -> LocalWebhooks | None:
        if not (self.samples and self.program.has_webhooks and self.webhooks == "local"):
            return None
        from kubewright.cli.running.webhooks import LocalWebhooks  # noqa: PLC0415 - for this alone

        return LocalWebhooks(kubeconfig, context, admission=self.program.has_admission)

    def _introduce(self, plan: Plan) -> None:
        again = ""
        if plan.reload:
            again = f", started again when one of {len(plan.sources.snapshot())} files changes"
        account = f" as {self.account.user}" if self.account is not None else ""
        _say(f"program: python -m {self.program.package}{account}{again}")
        if self.program.has_webhooks and self.webhooks == "off":
            _tell(
                "the project's webhooks are not served; --webhooks local serves them to an API server on "
                "this machine"
            )


class _Stopping:
    """Signals during a block: the first cancels a task, the second hurries, the third ends the process.

    There is a `folder` for the length of the block, for all temporary files: however that ends, it does not
    stay.
    """

    def __init__(self, hurry: asyncio.Event) -> None:
        self._hurry: Final = hurry
        self._made: Final = RunFolder()
        self.folder: Final = self._made.path
        self.task: asyncio.Task[int] | None = None
        """Which the first signal cancels."""
        self.count = 0
        self.code = 0
        """To end with: 0 as long as all goes in good order, else what shells make of the signal."""

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, partial(self._signalled, number))
        return self

    def __exit__(self, *_: object) -> None:
        self._made.remove()
        for number in _SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(number)

    def _signalled(self, number: signal.Signals) -> None:
        self.count += 1
        if self.count == 1:
            _tell("stopping; Ctrl-C again kills the program")
            if self.task is not None:
                self.task.cancel()
            return
        self.code = 128 + number
        if self.count == 2:
            self._hurry.set()
        else:
            self._made.remove()
            os._exit(self.code)


def _hide(data_dir: Path) -> None:
    """Keep a cluster's keys and secrets out of version control, also where a project has no scaffold."""
    with suppress(OSError), (data_dir / ".gitignore").open("x") as file:
        file.write("*\n")


async def _check_account(account: Account, kubeconfig: str | None, context: str | None) -> None:
    from kubewright.client.client import Client  # noqa: PLC0415 - for this alone
    from kubewright.config import load_config  # noqa: PLC0415 - as above
    from kubewright.machinery.errors import Forbidden, NotFound  # noqa: PLC0415 - as above
    from kubewright.models.core_v1 import ServiceAccount  # noqa: PLC0415 - as above

    async with Client(load_config(kubeconfig=kubeconfig, context=context)) as client:
        try:
            await client.api(ServiceAccount, account.namespace).get(account.name)
        except NotFound:
            raise RunError(
                f"there is no service account {account.name} in the namespace {account.namespace}; "
                "`kubewright deploy` makes that of the project"
            ) from None
        except Forbidden:
            return  # There is no right to look; nothing is known against it.


def _say(line: str) -> None:
    """What a script may want, on standard output."""
    # A terminal that is gone is no reason to leave processes behind.
    with suppress(OSError):
        # As bytes, since not every path is text.
        click.echo(os.fsencode(line))


def _tell(sentence: str) -> None:
    """What people want to know, between the lines of the program."""
    with suppress(OSError):
        # Names of files are in it, and what a cluster says.
        click.echo(f"{click.style('kubewright:', bold=True)} {one_line(sentence)}", file=sys.stderr)
