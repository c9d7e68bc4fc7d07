"""The API server against kube-apiserver with etcd: both started anew, the same load from the same program."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.pods import large_pod, small_pod
from bench.row import Row
from tests.realcluster.binaries import MissingBinary
from tests.realcluster.server import RealServer

_HERE = Path(__file__).parent
_LISTED = 10_000
_CREATES = 4_000
_GETS = 20_000
_WATCHERS, _EVENTS = 100, 1_000
_ROUNDS = 3
"""Each rate is the best of so many."""


_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"

_IDLE = 0.05
"""The share of a core up to which processes count as idle; kube-apiserver and etcd never stand still."""

_IDLE_FOR = 2.0
"""The seconds that they must have been so; their timers run every second."""

_IDLE_WITHIN = 30.0
"""The seconds after which nobody waits any longer."""


class Target(NamedTuple):
    """A server under load: how to reach it, how long it took to be ready, and its processes."""

    url: str
    ca: str
    cert: str
    key: str
    started: float
    pids: Sequence[int]


def rows() -> list[Row]:
    """Start, memory, creates, GETs, lists and watches; nothing where no Go is there to build the peer."""
    if shutil.which("go") is None:
        print("bench/server: left out, there is no Go to build kube-apiserver with", file=sys.stderr)
        return []
    with ExitStack() as stack:
        load = _built(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        measured = {}
        try:
            with _real() as real:
                theirs = _measured(load, real, h2=True)
        except MissingBinary as error:
            print(f"bench/server: left out, {error}", file=sys.stderr)
            return []
        with _embedded(load) as ours:
            measured = _measured(load, ours)
        with _embedded(load, "--data-dir") as durable:
            on_disk = _rate(load, durable, "creates", small_pod("NAME"), count=_CREATES)
    return _rows(measured, theirs, on_disk)


def _rows(ours: dict[str, float], theirs: dict[str, float], on_disk: float) -> list[Row]:
    peer = "kube-apiserver + etcd"

    def slower(subject: str, name: str, unit: str, least: float) -> Row:
        return Row(subject, peer, unit, ours[name], theirs[name], least)

    def faster(subject: str, name: str, unit: str, least: float) -> Row:
        # As milliseconds for a thousand, so that less is better as in all rows.
        return Row(subject, peer, unit, 1e6 / ours[name], 1e6 / theirs[name], least)

    return [
        slower("server: start to ready", "start", "s", 8),
        slower("server: idle memory", "memory", "MB", 3),
        faster("server: 1,000 creates of pods, 64 in flight", "creates", "ms", 2),
        faster("server: 1,000 creates of config maps", "small_creates", "ms", 2),
        faster("server: 1,000 GETs of a pod, 64 in flight", "gets", "ms", 2),
        slower(f"server: list of {_LISTED:,} pods", "list", "s", 1),
        slower(f"server: {_WATCHERS} watchers x {_EVENTS:,} events, p99", "watch", "ms", 1),
        Row("server: 1,000 creates with --data-dir", peer, "ms", 1e6 / on_disk, 1e6 / theirs["creates"], 1),
    ]


def _measured(load: Path, target: Target, *, h2: bool = False) -> dict[str, float]:
    pods = "/api/v1/namespaces/default/pods"
    found = {"start": target.started, "memory": _memory(target.pids)}
    found["creates"] = _rate(load, target, "creates", small_pod("NAME"), count=_CREATES, h2=h2)
    found["small_creates"] = _rate(
        load, target, "creates", _config_map(), count=_CREATES, path=_maps("default"), h2=h2
    )
    _load(load, target, "creates", "-path", pods, "-count", "1", body=large_pod("one"), h2=h2)
    found["gets"] = _rate(load, target, "gets", None, count=_GETS, path=f"{pods}/one", h2=h2)
    found["watch"] = _load(
        load,
        target,
        "watch",
        *("-path", _maps("kube-public"), "-count", str(_EVENTS), "-watchers", str(_WATCHERS)),
        body=_config_map(),
        # Every watch has a connection of its own: on one, a hundred streams wait for each other.
        h2=False,
    )["p99_ms"]
    listed = "/api/v1/namespaces/kube-system/pods"
    _load(load, target, "creates", "-path", listed, "-count", str(_LISTED), body=large_pod("NAME"), h2=h2)
    found["list"] = _load(load, target, "list", "-path", listed, "-count", "5", h2=h2)["seconds"]
    return found


def _maps(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


def _rate(
    load: Path,
    target: Target,
    what: str,
    body: dict[str, object] | None,
    *,
    count: int,
    path: str = "/api/v1/namespaces/default/pods",
    h2: bool = False,
) -> float:
    """The best rate per second; for the peer by either protocol, whichever is faster."""
    protocols = (True, False) if h2 else (False,)
    found = [
        _load(load, target, what, "-path", path, "-count", str(count), body=body, h2=protocol)["per_second"]
        for protocol in protocols
        for _ in range(_ROUNDS)
    ]
    return max(found)


def _load(
    load: Path,
    target: Target,
    what: str,
    *arguments: str,
    body: dict[str, object] | None = None,
    h2: bool = False,
) -> dict[str, float]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(body, file)
        file.flush()
        command = [str(load), "-url", target.url, "-ca", target.ca, "-cert", target.cert, "-key", target.key]
        command += [*arguments, "-body", file.name, *(["-h2"] if h2 else []), what]
        done = subprocess.run(command, check=True, capture_output=True, timeout=600)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _built(folder: Path) -> Path:
    program = folder / "load"
    subprocess.run(
        [str(shutil.which("go")), "build", "-o", str(program), "."], cwd=_HERE / "load", check=True
    )
    return program


@contextmanager
def _real() -> Iterator[Target]:
    begin = time.monotonic()
    with RealServer() as server:
        started = time.monotonic() - begin
        files = (server.ca_file, server.client_cert_file, server.client_key_file)
        yield Target(server.url, *files, started, list(server.pids.values()))


@contextmanager
def _embedded(load: Path, *options: str) -> Iterator[Target]:
    with tempfile.TemporaryDirectory() as folder:
        # As installed: with the bytecode that a machine may have been told not to write.
        environment = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        with _started(Path(folder) / "first", options, environment) as first:
            _send_each(load, first)
        with _started(Path(folder) / "measured", options, environment) as target:
            yield target


@contextmanager
def _started(folder: Path, options: Sequence[str], environment: dict[str, str]) -> Iterator[Target]:
    folder.mkdir()
    config = folder / "kubeconfig"
    command = [sys.executable, "-m", "kubewright", "server", "--kubeconfig", str(config)]
    if options:
        command += [*options, str(folder / "data")]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        line = next(line for line in process.stdout if line.startswith("ready"))
        started = time.monotonic() - start
        files = _credentials(config, folder)
        yield Target(line.split()[1], *files, started, [process.pid])
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _send_each(load: Path, target: Target) -> None:
    """Send each of the measured requests once, so that the bytecode of all that serves them is there."""
    pods = "/api/v1/namespaces/default/pods"
    _load(load, target, "creates", "-path", pods, "-count", "1", body=small_pod("NAME"))
    _load(load, target, "creates", "-path", pods, "-count", "1", body=large_pod("one"))
    _load(load, target, "creates", "-path", _maps("default"), "-count", "1", body=_config_map())
    _load(load, target, "gets", "-path", f"{pods}/one", "-count", "1")
    _load(load, target, "list", "-path", pods, "-count", "1")
    watch = ("-path", _maps("kube-public"), "-count", "1", "-watchers", "1")
    _load(load, target, "watch", *watch, body=_config_map())


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


def _memory(pids: Sequence[int]) -> float:
    """The resident memory of processes, in MB, once they are idle."""
    _wait_until_idle(pids)
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _wait_until_idle(pids: Sequence[int]) -> None:
    """Wait until processes have not worked for a while; when they never rest, say so and go on."""
    deadline = time.monotonic() + _IDLE_WITHIN
    while time.monotonic() < deadline:
        before = _cpu_seconds(pids)
        time.sleep(_IDLE_FOR)
        if _cpu_seconds(pids) - before <= _IDLE * _IDLE_FOR:
            return
    print(
        f"bench/server: still busy after {_IDLE_WITHIN:.0f} s; memory is measured all the same",
        file=sys.stderr,
    )


def _cpu_seconds(pids: Sequence[int]) -> float:
    """The CPU time that processes have used so far."""
    # After the name, which may have spaces in it: utime and stime are fields 14 and 15 of proc(5).
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def _config_map() -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "NAME"}, "data": {"key": "value"}}
