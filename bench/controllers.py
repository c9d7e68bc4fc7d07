"""Controllers against one on controller-runtime that does the same, and against limits of their own.

Both operators run against a fresh kube-apiserver with as many workers, and without a limit of requests. A
third program creates the objects while they run, and watches until each has the status that they write, so
that time is counted outside of both. Memory is that of the whole process, with nothing subtracted.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from typing import NamedTuple

from bench.controller_ours import Widget
from bench.loading import build_load, send_load
from bench.row import Row
from bench.scale import scaled
from bench.servers import Target, cpu_seconds, memory
from kubewright.client.client import Client
from kubewright.client.request import JSON, MERGE_PATCH
from kubewright.client.tls import ssl_context
from kubewright.config import Config, config_from_kubeconfig
from kubewright.models.core_v1 import ConfigMap
from tests.realcluster.binaries import MissingBinary
from tests.realcluster.server import RealServer

__all__ = ["rows"]

_HERE = Path(__file__).parent
_PEER = "controller-runtime"

_OBJECTS, _WORKERS, _ROUNDS = scaled((10_000, 10, 2), tiny=(20, 2, 1))
"""The objects that are created at once, the workers of each, and of how many rounds the best counts."""

_RESYNC_LIMIT = 1.0
"""The CPU seconds that a resync of that many objects may take which finds nothing to do."""

_REACTIONS, _REACTION_LIMIT, _REACTION_ROUNDS = scaled((500, 5.0, 5), tiny=(5, 5.0, 1))
"""How many changes are made one by one, the milliseconds in which 99 of 100 reconciles begin, and of how many
rounds the best counts: a machine that wakes up late from its rest is not what is measured."""

_IDLE = 0.01
"""The seconds between such changes, in which all that the last one caused has ended."""

_SETTLED = scaled(2.0, tiny=0.2)
"""The seconds after which a process is where it will stay: ready with its workers, or with its memory."""

_TIMEOUT = 600.0
"""The seconds after which a process that is measured does not work."""

_PATH = f"/apis/{Widget.gvk.group}/{Widget.gvk.version}/namespaces/default/widgets"

Costs = dict[str, float]
"""Of one round: seconds, CPU seconds and memory in MB."""


class Operator(NamedTuple):
    """How an operator is started: what stands before the kubeconfig and the number of workers."""

    who: str
    command: Sequence[str]
    environment: dict[str, str]


def rows() -> Iterator[Row]:
    """Reactions; and where there is Go, which builds the peer: objects created at once, and resyncs."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        reactions = [_reaction_row(place) for _ in range(_REACTION_ROUNDS)]
        yield min(reactions, key=lambda row: row.ours)
        go = shutil.which("go")
        if go is None:
            print("bench/controllers: left out what needs Go: the peer and kube-apiserver", file=sys.stderr)
            return
        theirs = place / "operator"
        subprocess.run([go, "build", "-o", str(theirs), "."], cwd=_HERE / "controllerruntime", check=True)
        operators = (_ours(place, "run"), Operator(_PEER, [str(theirs)], {}))
        try:
            yield from _real_rows(place, operators)
        except MissingBinary as error:
            print(f"bench/controllers: left out what needs a kube-apiserver, {error}", file=sys.stderr)


def _real_rows(place: Path, operators: tuple[Operator, Operator]) -> list[Row]:
    load = build_load(place)
    found: list[list[Costs]] = [[], []]
    cpu = 0.0
    for number in range(_ROUNDS):
        for operator, costs in zip(operators, found, strict=True):
            # Each time a fresh one: a server that has had many objects is slower.
            with RealServer(fsync=False) as server:
                asyncio.run(_define(server.config))
                costs.append(_round(load, server, operator))
                asyncio.run(_check(server.config))
                if number == _ROUNDS - 1 and operator is operators[0]:
                    arguments = [*_ours(place, "resync").command, server.kubeconfig, str(_OBJECTS)]
                    cpu = json.loads(_output(arguments, operator.environment))["cpu"]
    resync = f"controller: resync of {_OBJECTS:,} objects that are as they should be, CPU"
    return [*_compared(*found), Row(resync, "the limit", "s", cpu, _RESYNC_LIMIT, 1)]


def _compared(ours: Sequence[Costs], theirs: Sequence[Costs]) -> list[Row]:
    def least(costs: Sequence[Costs], *figures: str) -> float:
        return min(each[figure] for each in costs for figure in figures)

    what = f"controller: {_OBJECTS:,} objects at once, a child and a status each"
    # Of Go's two steady figures the smaller one, after a collection and with all free memory given back; ours
    # is what is resident without any help.
    steady = least(ours, "steady"), least(theirs, "steady", "steady_after_gc")
    return [
        Row(f"{what}, wall time", _PEER, "s", least(ours, "seconds"), least(theirs, "seconds"), 1),
        Row(f"{what}, CPU", _PEER, "s", least(ours, "cpu"), least(theirs, "cpu")),
        Row(f"{what}, peak memory", _PEER, "MB", least(ours, "peak"), least(theirs, "peak"), 1),
        Row(f"{what}, steady memory", _PEER, "MB", *steady, 1),
    ]


def _round(load: Path, server: RealServer, operator: Operator) -> Costs:
    """Have an operator running, create the objects, and wait until all are as they should be."""
    arguments = (server.kubeconfig, str(_WORKERS))
    with _started([*operator.command, *arguments], operator.environment) as process:
        # Its workers and the watches of a new kind are there a moment after its caches are.
        memory([process.pid, *server.pids.values()])
        used = cpu_seconds([process.pid])
        files = (server.ca_file, server.client_cert_file, server.client_key_file)
        target = Target(server.url, *files, 0.0, list(server.pids.values()))
        body = {"apiVersion": Widget.gvk.api_version, "kind": "Widget", "metadata": {"name": "NAME"}}
        found = send_load(
            load,
            target,
            "settles",
            *("-path", _PATH, "-count", str(_OBJECTS), "-settled", '"phase":"Ready"'),
            body={**body, "spec": {"size": 3}},
            h2=True,
        )
        time.sleep(_SETTLED)
        found["cpu"] = cpu_seconds([process.pid]) - used
        found["peak"], found["steady"] = _memory(process, "VmHWM"), _memory(process, "VmRSS")
        _ask(process)
        found["steady_after_gc"] = _memory(process, "VmRSS")
    told = ", ".join(f"{name} {value:.5g}" for name, value in found.items())
    print(f"bench/controllers: {operator.who}: {told}", file=sys.stderr)
    return found


async def _define(config: Config) -> None:
    """Have the kind served."""
    async with Client(config) as client:
        definitions = client.apiextensions_v1.custom_resource_definitions()
        made = await definitions.create(Widget.crd())
        await definitions.wait_for(made.metadata.name, "Established", timeout=60)


async def _check(config: Config) -> None:
    """Whether all objects and all children are there."""
    async with Client(config) as client:
        for kind in (Widget, ConfigMap):
            listed = client.api(kind, "default").metadata().list()
            there = sum([1 async for _ in listed])
            assert there >= _OBJECTS, f"there are {there} {kind.__name__}s, not {_OBJECTS}"


def _reaction_row(place: Path) -> Row:
    """From before a change is sent until its reconcile begins; the server is a process of its own."""
    config, operator = place / "kubeconfig", _ours(place, "react")
    command = [sys.executable, "-m", "kubewright", "server", "--controllers=none"]
    with _started([*command, "--kubeconfig", str(config)], operator.environment):
        asyncio.run(_define(_config_of(config)))
        with _started([*operator.command, str(config), str(_REACTIONS)], operator.environment) as process:
            sent = _change(_config_of(config))
            assert process.stdout is not None
            began = json.loads(process.stdout.readline())
    late = sorted((end - begin) * 1e3 for begin, end in zip(sent, began, strict=True))
    p50, p99 = late[len(late) // 2], late[len(late) * 99 // 100]
    print(
        f"bench/controllers: reactions in ms: p50 {p50:.2f}, p99 {p99:.2f}, most {late[-1]:.2f}",
        file=sys.stderr,
    )
    what = "controller: from a change on the embedded server to its reconcile, p99"
    return Row(what, "the limit", "ms", p99, _REACTION_LIMIT, 1)


def _change(config: Config) -> list[float]:
    """Change an object again and again; gives when each change was sent.

    By the plainest client that there is, so that what it does itself is hardly measured.
    """
    credential = asyncio.run(config.credentials.current())
    address = config.server.removeprefix("https://")
    connection = HTTPSConnection(address, context=ssl_context(config, credential.certificate))
    headers = {"Authorization": credential.authorization} if credential.authorization else {}

    def send(method: str, path: str, body: object, kind: str) -> None:
        connection.request(method, path, json.dumps(body), {**headers, "Content-Type": kind})
        answer = connection.getresponse()
        assert answer.status < 300, answer.read()
        answer.read()

    made = {"apiVersion": Widget.gvk.api_version, "kind": "Widget", "metadata": {"name": "one"}}
    send("POST", _PATH, {**made, "spec": {"size": 0}}, JSON)
    sent = []
    for size in range(1, _REACTIONS + 1):
        time.sleep(_IDLE)
        sent.append(time.monotonic())
        send("PATCH", f"{_PATH}/one", {"spec": {"size": size}}, MERGE_PATCH)
    connection.close()
    return sent


def _config_of(kubeconfig: Path) -> Config:
    return config_from_kubeconfig(kubeconfig.read_text())


def _ours(place: Path, what: str) -> Operator:
    # With bytecode, as it is installed, even if the machine was told to write none.
    environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(place / "bytecode")}
    return Operator("ours", [sys.executable, "-m", "bench.controller_ours", what], environment)


@contextmanager
def _started(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that says when it is ready, and ends with its input or when it is told to."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=_HERE.parent,
        env={**os.environ, **environment},
    )
    with process:
        assert process.stdin is not None
        try:
            _expect(process, lambda line: line.startswith("ready"))
            yield process
        finally:
            process.stdin.close()
            process.terminate()
            process.wait(_TIMEOUT)


def _ask(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    _expect(process, lambda line: line == "done\n")


def _expect(process: subprocess.Popen[str], is_it: Callable[[str], bool]) -> None:
    assert process.stdout is not None
    if not any(is_it(line) for line in process.stdout):
        raise RuntimeError(f"{process.args!r} ended before it was expected to")


def _output(command: Sequence[str], environment: dict[str, str]) -> str:
    return subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=_TIMEOUT,
        cwd=_HERE.parent,
        env={**os.environ, **environment},
    ).stdout


def _memory(process: subprocess.Popen[str], line: str) -> float:
    """A line of /proc/PID/status, in MB."""
    found = re.search(rf"{line}:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6
