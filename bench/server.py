"""The API server against kube-apiserver and etcd: measured in turns, so that noise hits both."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from bench.loading import build_load, send_load
from bench.pods import large_pod, small_pod
from bench.row import Row
from bench.scale import scaled
from bench.servers import Embedded, Target, memory, real
from tests.realcluster.binaries import MissingBinary

_LISTED = scaled(10_000, tiny=20)
_CREATES = scaled(4_000, tiny=20)
_GETS = scaled(20_000, tiny=20)
_WATCHERS, _EVENTS = scaled((100, 1_000), tiny=(5, 20))
_ROUNDS = scaled(3, tiny=1)
"""Each figure is the best of so many, of both servers."""

_PEER = "kube-apiserver + etcd"
_PODS = "/api/v1/namespaces/default/pods"


class Pair(NamedTuple):
    """The figures of the two servers."""

    ours: float
    theirs: float


def rows() -> Iterator[Row]:
    """Start, memory, creates, GETs, lists and watches; nothing where no Go is there to build the peer."""
    if shutil.which("go") is None:
        print("bench/server: left out, there is no Go to build kube-apiserver with", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        load = build_load(Path(folder))
        try:
            with Embedded(lambda target: _send_each(load, target)) as embedded:
                yield from _measured(load, embedded)
        except MissingBinary as error:
            print(f"bench/server: left out, {error}", file=sys.stderr)


def _measured(load: Path, embedded: Embedded) -> Iterator[Row]:
    def faster(subject: str, rates: Pair, least: float) -> Row:
        # As milliseconds for a thousand, so that less is better as in all rows.
        return Row(subject, _PEER, "ms", 1e6 / rates.ours, 1e6 / rates.theirs, least)

    yield Row("server: start to ready", _PEER, "s", *_starts(embedded), 8)
    with ExitStack() as stack:
        theirs = stack.enter_context(real())
        ours = stack.enter_context(embedded.start())
        idle = Pair(memory(ours.pids), memory(theirs.pids))
        yield Row("server: idle memory", _PEER, "MB", *idle, 3)
        for target in (ours, theirs):
            send_load(load, target, "creates", "-path", _PODS, "-count", "1", body=large_pod("one"))
        pods = _rates(load, ours, theirs, "creates", _PODS, _CREATES, small_pod("NAME"))
        yield faster("server: 1,000 creates of pods, 64 in flight", pods, 2)
        maps = _rates(load, ours, theirs, "creates", _maps("default"), _CREATES, _config_map())
        yield faster("server: 1,000 creates of config maps", maps, 2)
        gets = _rates(load, ours, theirs, "gets", f"{_PODS}/one", _GETS, None)
        yield faster("server: 1,000 GETs of a pod, 64 in flight", gets, 2)
        late = _in_turns(ours, theirs, lambda target: -_watch(load, target))
        watched = f"server: {_WATCHERS} watchers x {_EVENTS:,} events, p99"
        yield Row(watched, _PEER, "ms", -late.ours, -late.theirs, 1)
        yield Row(f"server: list of {_LISTED:,} pods", _PEER, "s", *_lists(load, ours, theirs), 1)
    with ExitStack() as stack:
        theirs = stack.enter_context(real())
        durable = stack.enter_context(embedded.start(on_disk=True))
        on_disk = _rates(load, durable, theirs, "creates", _PODS, _CREATES, small_pod("NAME"))
    yield faster("server: 1,000 creates with --data-dir", on_disk, 1)


def _starts(embedded: Embedded) -> Pair:
    """The seconds from nothing to ready."""
    found = []
    for _ in range(_ROUNDS):
        with real() as theirs:
            pass
        with embedded.start() as ours:
            pass
        found.append(Pair(ours.started, theirs.started))
    return Pair(*map(min, zip(*found, strict=True)))


def _in_turns(ours: Target, theirs: Target, measure: Callable[[Target], float]) -> Pair:
    """The best figure of each, where more is better."""
    found = [Pair(measure(ours), measure(theirs)) for _ in range(_ROUNDS)]
    return Pair(*map(max, zip(*found, strict=True)))


def _rates(
    load: Path, ours: Target, theirs: Target, what: str, path: str, count: int, body: dict[str, object] | None
) -> Pair:
    """The best rates per second; of the peer by either protocol, whichever is faster."""

    def rate(target: Target) -> float:
        protocols = (True, False) if target is theirs else (False,)
        arguments = ("-path", path, "-count", str(count))
        return max(
            send_load(load, target, what, *arguments, body=body, h2=protocol)["per_second"]
            for protocol in protocols
        )

    return _in_turns(ours, theirs, rate)


def _watch(load: Path, target: Target) -> float:
    """The milliseconds within which 99 of 100 events arrive."""
    arguments = ("-path", _maps("kube-public"), "-count", str(_EVENTS), "-watchers", str(_WATCHERS))
    # Every watch has a connection of its own: on one, a hundred streams wait for each other.
    return send_load(load, target, "watch", *arguments, body=_config_map())["p99_ms"]


def _lists(load: Path, ours: Target, theirs: Target) -> Pair:
    path = "/api/v1/namespaces/kube-system/pods"
    for target in (ours, theirs):
        arguments = ("-path", path, "-count", str(_LISTED))
        send_load(load, target, "creates", *arguments, body=large_pod("NAME"), h2=target is theirs)

    def seconds(target: Target) -> float:
        return -send_load(load, target, "list", "-path", path, "-count", "2", h2=target is theirs)["seconds"]

    found = _in_turns(ours, theirs, seconds)
    return Pair(-found.ours, -found.theirs)


def _maps(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


def _send_each(load: Path, target: Target) -> None:
    """Send each of the measured requests once, so that the bytecode of all that serves them is there."""
    pods = "/api/v1/namespaces/default/pods"
    send_load(load, target, "creates", "-path", pods, "-count", "1", body=small_pod("NAME"))
    send_load(load, target, "creates", "-path", pods, "-count", "1", body=large_pod("one"))
    send_load(load, target, "creates", "-path", _maps("default"), "-count", "1", body=_config_map())
    send_load(load, target, "gets", "-path", f"{pods}/one", "-count", "1")
    send_load(load, target, "list", "-path", pods, "-count", "1")
    watch = ("-path", _maps("kube-public"), "-count", "1", "-watchers", "1")
    send_load(load, target, "watch", *watch, body=_config_map())


def _config_map() -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "NAME"}, "data": {"key": "value"}}
