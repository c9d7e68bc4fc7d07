"""The informer against client-go's: the first sync from a real kube-apiserver, replayed events, and lookups.

Both are fresh processes, measured in turns. CPU (user and system, of all threads) and wall time count from
just before the informer is started; the start of the program, imports and the making of the client do not.
Memory is that of the whole process, with nothing subtracted.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.pods import large_pod, pod
from bench.row import Row
from bench.scale import scaled
from bench.servers import memory
from tests.realcluster.binaries import MissingBinary
from tests.realcluster.server import RealServer

__all__ = ["rows"]

_HERE = Path(__file__).parent
_PEER = "client-go, protobuf"
_PAGED_PEER = f"{_PEER}, without streaming lists"
_PAGED = {"KUBE_FEATURE_WatchListClient": "false"}
"""Streaming lists are client-go's default; without them it needs less CPU and more memory."""

_SYNCED = scaled({10_000: 3, 50_000: 2}, tiny={40: 1, 60: 1})
"""How many pods are there at the first sync, and of how many rounds the best counts."""

_BATCH = scaled(500, tiny=10)
"""So many pods are alike but for their names: those of one app, on one node."""

_NAMESPACES = ("default", "kube-public", "kube-node-lease")
"""Those that every cluster has."""

_REPLAYED, _EVENTS, _REPLAYS = scaled((5_000, 50_000, 3), tiny=(10, 50, 1))
"""The pods of the replay, its events, and of how many rounds the best counts."""

_KEY_LIMIT = 5.0
"""The microseconds that a key may take."""

_TIMEOUT = 600.0
"""The seconds after which a process that is measured does not work."""

Costs = dict[str, float]
"""What a measured process prints."""


def rows() -> Iterator[Row]:
    """First syncs, lookups and replayed events; nothing where no Go is there to build the peer."""
    go = shutil.which("go")
    if go is None:
        print("bench/informers: left out, there is no Go to build client-go's informer with", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for program, source in (("load", "load"), ("informer", "clientgo/informer"), ("replay", "replay")):
            subprocess.run([go, "build", "-o", str(place / program), "."], cwd=_HERE / source, check=True)
        yield from _replay_rows(place)
        yield from _real_rows(place)


def _replay_rows(place: Path) -> list[Row]:
    ours, theirs = [], []
    with _replay_server(place) as kubeconfig:
        arguments = ("replay", kubeconfig, str(_EVENTS))
        for _ in range(_REPLAYS):
            # HTTP/2 is client-go's default, HTTP/1.1 is cheaper for a fast watch: the better of them counts.
            theirs.append(_theirs(place, *arguments))
            theirs.append(_theirs(place, *arguments, environment={"DISABLE_HTTP2": "1"}))
            ours.append(_ours(place, *arguments))
    handled = [round(each["events"]) for each in ours]
    print(f"bench/informers: ours handled {handled} of {_EVENTS:,} events", file=sys.stderr)

    def per_event(costs: Sequence[Costs]) -> float:
        return min(each["cpu"] / each["events"] for each in costs) * 1e6

    return [Row("informer: a watch event, CPU", _PEER, "µs", per_event(ours), per_event(theirs), 1)]


def _real_rows(place: Path) -> Iterator[Row]:
    """What needs a real kube-apiserver."""
    filled = 0
    try:
        with RealServer(fsync=False) as server:
            for count, rounds in _SYNCED.items():
                _fill(place, server, filled, count)
                filled = count
                yield from _sync_rows(place, server, count, rounds)
            yield from _lookup_rows(_ours(place, "lookups", server.kubeconfig, str(filled)), filled)
    except MissingBinary as error:
        print(f"bench/informers: first syncs and lookups are left out, {error}", file=sys.stderr)


def _sync_rows(place: Path, server: RealServer, count: int, rounds: int) -> list[Row]:
    arguments = ("sync", server.kubeconfig, str(count))
    measures: list[Callable[[], Costs]] = [
        lambda: _ours(place, *arguments),
        lambda: _theirs(place, *arguments),
        lambda: _theirs(place, *arguments, environment=_PAGED),
    ]
    found: list[list[Costs]] = [[] for _ in measures]
    for _ in range(rounds):
        for measure, costs in zip(measures, found, strict=True):
            # A server that has just answered collects its garbage, which would slow down whoever is next.
            memory(list(server.pids.values()))
            costs.append(measure())
    ours, theirs, paged = found
    return [*_compared(count, _PEER, ours, theirs), *_compared(count, _PAGED_PEER, ours, paged, bound=False)]


def _compared(
    count: int, peer: str, ours: Sequence[Costs], theirs: Sequence[Costs], *, bound: bool = True
) -> list[Row]:
    """The best of each figure; `bound`: the ratios must be reached."""

    def row(subject: str, unit: str, figures: tuple[float, float], least: float) -> Row:
        what = f"informer: first sync of {count:,} pods, {subject}"
        return Row(what, peer, unit, *figures, least if bound else None)

    def milliseconds(figure: str) -> tuple[float, float]:
        return _least(ours, figure) * 1e3, _least(theirs, figure) * 1e3

    # Of Go's two steady figures the smaller one, after a collection and with all free memory given back; ours
    # is what is resident without any help.
    steady = _least(ours, "steady"), min(_least(theirs, "steady"), _least(theirs, "steady_after_gc"))
    return [
        row("CPU", "ms", milliseconds("cpu"), 1 / 0.6),
        row("wall time", "ms", milliseconds("seconds"), 1),
        row("steady memory", "MB", steady, 1 / 0.6),
        row("peak memory", "MB", (_least(ours, "peak"), _least(theirs, "peak")), 1 / 0.5),
    ]


def _lookup_rows(found: Costs, count: int) -> list[Row]:
    few, many = found["few"], found["many"]
    return [
        Row(f"informer: a key of {count:,} pods", "the limit", "µs", found["key_us"], _KEY_LIMIT, 1),
        # What a pod of the answer costs must not grow with what is not in the answer. For a lookup that reads
        # the whole store the ratio would be few / many, 0.03 here; a quarter leaves room for noise.
        Row(
            f"informer: an index, per pod of {few:,.0f} found",
            f"of {many:,.0f} found",
            "ns",
            found["few_us"] / few * 1e3,
            found["many_us"] / many * 1e3,
            0.25,
        ),
    ]


def _least(costs: Sequence[Costs], figure: str) -> float:
    return min(each[figure] for each in costs)


def _theirs(place: Path, *arguments: str, environment: dict[str, str] | None = None) -> Costs:
    return _measured(_PEER, [str(place / "informer"), *arguments], environment or {})


def _ours(place: Path, *arguments: str) -> Costs:
    # With bytecode, as it is installed, even if the machine was told to write none.
    environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(place / "bytecode")}
    return _measured("ours", [sys.executable, "-m", "bench.informer_ours", *arguments], environment)


def _measured(who: str, command: Sequence[str], environment: dict[str, str]) -> Costs:
    """What a process printed, which is also told on stderr."""
    done = subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        timeout=_TIMEOUT,
        cwd=_HERE.parent,
        env={**os.environ, **environment},
    )
    costs: Costs = json.loads(done.stdout)
    told = ", ".join(f"{name} {value:.5g}" for name, value in costs.items())
    print(f"bench/informers: {who}, {command[-3]} of {command[-1]}: {told}", file=sys.stderr)
    return costs


def _fill(place: Path, server: RealServer, first: int, count: int) -> None:
    """Creates pods until there are `count`."""
    body = place / "body.json"
    command = [str(place / "load"), "-url", server.url, "-ca", server.ca_file, "-h2"]
    command += ["-cert", server.client_cert_file, "-key", server.client_key_file]
    for batch in range(first // _BATCH, count // _BATCH):
        body.write_text(json.dumps(_filled_pod(batch)))
        path = f"/api/v1/namespaces/{_NAMESPACES[batch % len(_NAMESPACES)]}/pods"
        arguments = ["-path", path, "-count", str(_BATCH), "-body", str(body), "creates"]
        subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL, timeout=_TIMEOUT)


def _filled_pod(batch: int) -> dict[str, object]:
    """A pod of a batch, which has an app and a node of its own: what all share would be cheap to keep."""
    made = large_pod("NAME")
    metadata, spec = made["metadata"], made["spec"]
    assert isinstance(metadata, dict)
    assert isinstance(spec, dict)
    app = f"app-{batch}"
    metadata["labels"] |= {"app": app, "app.kubernetes.io/name": app, "pod-template-hash": f"{batch:010x}"}
    spec |= {"nodeName": f"node-{batch}", "serviceAccountName": app, "serviceAccount": app}
    return made


@contextmanager
def _replay_server(place: Path) -> Iterator[str]:
    """The replay server; gives its kubeconfig."""
    body, kubeconfig = place / "replayed.json", place / "replay.kubeconfig"
    body.write_text(json.dumps(pod(1, random.Random(42))))  # noqa: S311 - the same pod in every run
    command = [str(place / "replay"), "-pod", str(body), "-kubeconfig", str(kubeconfig)]
    command += ["-pods", str(_REPLAYED), "-count", str(_EVENTS)]
    # It ends when this pipe is closed, also by the death of this process.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line.startswith("ready"), line
            yield str(kubeconfig)
        finally:
            process.stdin.close()
