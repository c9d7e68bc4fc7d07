"""The servers that are measured: kube-apiserver with etcd, and kubewright's, each in processes of its own."""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from bench.scale import scaled
from tests.realcluster.server import RealServer

__all__ = ["Embedded", "Target", "cpu_seconds", "memory", "real"]

_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"

_IDLE = 0.05
"""The share of a core up to which processes count as idle; kube-apiserver and etcd never stand still."""

_IDLE_FOR = scaled(2.0, tiny=0.1)
"""The seconds that they must have been so; their timers run every second."""

_IDLE_WITHIN = scaled(30.0, tiny=0.2)
"""The seconds after which nobody waits any longer."""


class Target(NamedTuple):
    """A server under load: how to reach it, how long it took to be ready, and its processes."""

    url: str
    ca: str
    cert: str
    key: str
    started: float
    pids: Sequence[int]


@contextmanager
def real() -> Iterator[Target]:
    """kube-apiserver and etcd, started for the length of a block."""
    begin = time.monotonic()
    with RealServer() as server:
        started = time.monotonic() - begin
        files = (server.ca_file, server.client_cert_file, server.client_key_file)
        yield Target(server.url, *files, started, list(server.pids.values()))


class Embedded:
    """kubewright's server as it is installed: with bytecode, even if the machine was told to write none.

    `warm` is called with a first server, so that the bytecode of all that serves the measured requests is
    there.
    """

    def __init__(self, warm: Callable[[Target], None]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._environment = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
        self._environment["PYTHONPYCACHEPREFIX"] = str(Path(self._folder.name) / "bytecode")
        self._warm = warm
        self._count = 0

    def __enter__(self) -> Self:
        with self.start() as first:
            self._warm(first)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    @contextmanager
    def start(self, *, on_disk: bool = False) -> Iterator[Target]:
        """A server for the length of a block."""
        self._count += 1
        folder = Path(self._folder.name) / str(self._count)
        folder.mkdir()
        config = folder / "kubeconfig"
        command = [
            sys.executable,
            "-m",
            "kubewright",
            "server",
            "--controllers=none",
            "--kubeconfig",
            str(config),
        ]
        if on_disk:
            command += ["--data-dir", str(folder / "data")]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self._environment)
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith("ready"))
            started = time.monotonic() - begin
            yield Target(line.split()[1], *_credentials(config, folder), started, [process.pid])
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _credentials(config: Path, folder: Path) -> tuple[str, str, str]:
    text = config.read_text()
    paths = []
    for name in ("certificate-authority", "client-certificate", "client-key"):
        found = re.search(rf"{name}-data: (\S+)", text)
        assert found is not None
        path = folder / name
        path.touch(0o600)
        path.write_bytes(base64.b64decode(found[1]))
        paths.append(str(path))
    return paths[0], paths[1], paths[2]


def memory(pids: Sequence[int]) -> float:
    """The resident memory of processes, in MB, once they are idle."""
    _wait_until_idle(pids)
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _wait_until_idle(pids: Sequence[int]) -> None:
    """Wait until processes have not worked for a while; when they never rest, say so and go on."""
    deadline = time.monotonic() + _IDLE_WITHIN
    while time.monotonic() < deadline:
        before = cpu_seconds(pids)
        time.sleep(_IDLE_FOR)
        if cpu_seconds(pids) - before <= _IDLE * _IDLE_FOR:
            return
    print(
        f"bench/server: still busy after {_IDLE_WITHIN:.0f} s; memory is measured all the same",
        file=sys.stderr,
    )


def cpu_seconds(pids: Sequence[int]) -> float:
    """The CPU time that processes have used so far."""
    # After the name, which may have spaces in it: utime and stime are fields 14 and 15 of proc(5).
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")
