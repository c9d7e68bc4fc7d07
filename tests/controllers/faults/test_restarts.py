"""API servers that are killed and started again, while an operator works and others write."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.config import Config, config_from_kubeconfig
from kubewright.machinery.errors import ApiError, NotFound, TransportError
from tests.client.peers import run
from tests.controllers.faults.operators import Operator, World, check_log, define, operating, quick
from tests.controllers.running import until
from tests.controllers.servers import App
from tests.realcluster.server import RealServer
from tests.server.processes import ServerProcess

WRITERS = 4


class Restartable(NamedTuple):
    """A server that can be killed, and started again with what it has stored."""

    config: Config
    kill: Callable[[], None]
    start: Callable[[], None]


@contextmanager
def embedded(folder: Path) -> Iterator[Restartable]:
    """`kubewright server` with a data directory."""
    with ExitStack() as stack:
        running: list[ServerProcess] = []

        def start() -> None:
            port = int(running[-1].url.rpartition(":")[2]) if running else 0
            process = ServerProcess(folder / "files", data_dir=folder / "data", port=port)
            running.append(stack.enter_context(process))

        def kill() -> None:
            running[-1].kill()

        start()
        config = config_from_kubeconfig(Path(running[0].kubeconfig).read_text())
        yield Restartable(config, kill, start)


class RestartableRealServer(RealServer):
    """A kube-apiserver that can be killed and started again; etcd goes on."""

    _command: Sequence[str] = ()

    def _launch(self, program: str, command: Sequence[str]) -> None:
        super()._launch(program, command)
        if program == "kube-apiserver":
            self._command = command

    def kill(self) -> None:
        """kill -9."""
        process: subprocess.Popen[bytes] = self._running["kube-apiserver"]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def start(self) -> None:
        """As it was started first."""
        self._launch("kube-apiserver", self._command)
        self._await_ready("kube-apiserver", int(self.url.rpartition(":")[2]), "/readyz")


@contextmanager
def real(folder: Path) -> Iterator[Restartable]:
    with RestartableRealServer(fsync=False) as server:
        yield Restartable(server.config, server.kill, server.start)


class Writer:
    """Writes Apps of its own names, and knows what the server has acknowledged of them."""

    def __init__(self, apps: Api[App], number: int) -> None:
        self._apps = apps
        self._number = number
        self._random = Random(number)  # noqa: S311 - the same in every run
        self.acknowledged: dict[str, int | None] = {}
        """The size of each App, None for one that was deleted; not those of which the last write is open."""
        self.since_kill = 0
        self.unanswered = 0

    async def write(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._one()

    async def _one(self) -> None:
        name = f"w{self._number}-{self._random.randrange(6)}"
        before = self.acknowledged.pop(name, None)
        size = self._random.randrange(1000)
        try:
            if before is not None and self._random.random() < 0.3:
                await self._delete(name)
                self.acknowledged[name] = None
            else:
                app = App.from_dict({"metadata": {"name": name}, "spec": {"size": size}})
                await self._apps.apply(app, manager="writer", force=True)
                self.acknowledged[name] = size
            self.since_kill += 1
        except (TransportError, ApiError):
            self.unanswered += 1
            await asyncio.sleep(0.05)

    async def _delete(self, name: str) -> None:
        try:
            await self._apps.delete(name)
        except NotFound:
            # By a delete before, of which no answer came.
            return

    async def check(self) -> None:
        """See that the server has what it acknowledged."""
        for name, size in self.acknowledged.items():
            try:
                found: int | None = (await self._apps.get(name)).spec.size
            except NotFound:
                found = None
            assert found == size, f"{name} was acknowledged with {size} and has {found}"


SERVERS = {"embedded": embedded, "real": real}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "kills"), [("embedded", 4), pytest.param("real", 2, marks=pytest.mark.real)]
)
def test_restarts_under_load(
    which: str, kills: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing that was acknowledged is lost, and all is as it should be soon after the last restart."""

    async def test(server: Restartable) -> None:
        async with Client(server.config) as direct, Client(server.config) as client:
            namespace, operator = await define(direct), Operator()
            async with operating(client, operator, namespace) as manager:
                world = World(direct, namespace, operator, manager)
                await world.create("steady", size=1)
                await world.healed()
                writers = [Writer(world.apps, number) for number in range(WRITERS)]
                async with asyncio.TaskGroup() as tasks:
                    writing = [tasks.create_task(writer.write()) for writer in writers]
                    for _ in range(kills):
                        for writer in writers:
                            writer.since_kill = 0
                        await until(lambda: min(each.since_kill for each in writers) >= 15, "they write")
                        await asyncio.to_thread(server.kill)
                        await asyncio.to_thread(server.start)
                    for task in writing:
                        task.cancel()
                assert any(writer.unanswered for writer in writers)
                await world.healed()
                for writer in writers:
                    await writer.check()
                # It still hears of everything.
                await world.change("steady", size=2)
                await world.healed()

    with SERVERS[which](tmp_path) as server, quick(), caplog.at_level(logging.INFO):
        run(lambda: test(server), within=600)
    # Objects also go while they are reconciled.
    check_log(caplog, retries=60)
