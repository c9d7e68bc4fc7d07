"""The client against other clients, all on one server in one run: lists, GETs and creates of pods."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from bench.pods import large_pod, small_pod
from bench.row import Row
from bench.scale import scaled

_HERE = Path(__file__).parent
_LISTED = scaled(10_000, tiny=20)
_CALLS = scaled(3_000, tiny=10)
_FLIGHT = 32
_ROUNDS = scaled(3, tiny=1)
"""Each figure is the best of so many; of the slowest clients one is enough."""

PEERS = {
    "official": ("kubernetes", "kubernetes"),
    "asyncio_official": ("kubernetes_asyncio", "kubernetes_asyncio"),
    "lightkube_client": ("lightkube", "lightkube"),
    "kr8s_client": ("kr8s", "kr8s"),
}
"""The modules of `bench.clients`, the package that each needs, and what the table calls it."""


class Cost(NamedTuple):
    """What a client needed."""

    seconds: float
    cpu: float
    memory: float


def rows() -> Iterator[Row]:
    """Lists, memory, CPU, GETs and creates."""
    peers = {name: title for name, (package, title) in PEERS.items() if find_spec(package) is not None}
    for name, (package, _) in PEERS.items():
        if name not in peers:
            print(f"bench/client: {package} is left out, it is not installed", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder)) as kubeconfig:
        place = Path(folder)
        (place / "large.json").write_text(json.dumps(large_pod("listed")))
        (place / "small.json").write_text(json.dumps(small_pod("made")))
        _measure("ours", kubeconfig, "kube-system", "creates", _LISTED, place / "large.json")
        yield from _rows(peers, kubeconfig, place)


def _rows(peers: dict[str, str], kubeconfig: Path, place: Path) -> Iterator[Row]:
    lists = {name: _best("ours" if name == "ours" else name, kubeconfig, "list") for name in ("ours", *peers)}
    ours = lists["ours"]
    for name, title in peers.items():
        least = {"official": 10.0, "lightkube_client": 3.0}.get(name)
        yield Row(f"client: list of {_LISTED:,} pods", title, "s", ours.seconds, lists[name].seconds, least)
    for name, title in peers.items():
        least = 4.0 if name in {"official", "lightkube_client"} else None
        yield Row("client: memory of that list", title, "MB", ours.memory, lists[name].memory, least)
    go = _client_go(kubeconfig, place)
    if go is not None:
        yield Row("client: CPU of that list", "client-go, protobuf", "s", ours.cpu, go.cpu, 1)
        yield Row("client: memory of that list", "client-go, protobuf", "MB", ours.memory, go.memory)
    # The creation of a pod costs our server more than our client, and so the server is measured; with config
    # maps the clients are.
    for what, title, least in (
        ("gets", "GETs", 3),
        ("maps", "creates", 3),
        ("pods", "creates of pods", None),
    ):
        rates = {name: _rate(name, kubeconfig, what, place) for name in ("ours", *peers)}
        best = min(peers, key=lambda name: rates[name], default=None)
        if best is not None:
            subject = f"client: {_CALLS:,} {title}, {_FLIGHT} in flight"
            yield Row(subject, f"{peers[best]}, the best", "s", rates["ours"], rates[best], least)


def _best(name: str, kubeconfig: Path, what: str) -> Cost:
    rounds = 1 if name in {"kr8s_client", "asyncio_official"} else _ROUNDS
    costs = [_measure(name, kubeconfig, "kube-system", what, _LISTED, Path("-")) for _ in range(rounds)]
    return Cost(*(min(values) for values in zip(*costs, strict=True)))


def _rate(name: str, kubeconfig: Path, what: str, place: Path) -> float:
    found = []
    for number in range(_ROUNDS):
        if what == "gets":
            cost = _measure(name, kubeconfig, "kube-system", what, _CALLS, Path("listed-7"))
        else:
            body = place / f"{name}-{number}.json"
            new_name = f"{name}-{number}".replace("_", "-")
            body.write_text(json.dumps(small_pod(new_name) if what == "pods" else _config_map(new_name)))
            cost = _measure(name, kubeconfig, "default", "creates", _CALLS, body)
        found.append(cost.seconds)
    return min(found)


def _config_map(name: str) -> dict[str, object]:
    data = {"mode": "production", "level": "info"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def _measure(name: str, kubeconfig: Path, namespace: str, what: str, count: int, subject: Path) -> Cost:
    arguments = [name, str(kubeconfig), namespace, what, str(count), str(_FLIGHT), str(subject)]
    done = subprocess.run(
        [sys.executable, "-m", "bench.clients", *arguments],
        check=True,
        capture_output=True,
        timeout=600,
        cwd=_HERE.parent,
    )
    found = json.loads(done.stdout)
    return Cost(found["seconds"], found["cpu"], found["memory"])


def _client_go(kubeconfig: Path, place: Path) -> Cost | None:
    go = shutil.which("go")
    if go is None:
        print("bench/client: client-go is left out, there is no Go to build it with", file=sys.stderr)
        return None
    program = place / "clientgo"
    subprocess.run([go, "build", "-o", str(program), "."], cwd=_HERE / "clientgo", check=True)
    costs = []
    for _ in range(_ROUNDS):
        done = subprocess.run(
            [str(program), str(kubeconfig), "kube-system"], check=True, capture_output=True, timeout=600
        )
        found = json.loads(done.stdout)
        assert found["count"] == _LISTED, found
        costs.append(Cost(found["seconds"], found["cpu"], found["memory"]))
    return Cost(*(min(values) for values in zip(*costs, strict=True)))


@contextmanager
def _server(folder: Path) -> Iterator[Path]:
    """An API server in a process of its own; gives the kubeconfig.

    Without controllers: they would collect the pods, whose nodes do not exist, and want the service accounts
    that the pods name.
    """
    config = folder / "kubeconfig"
    command = [sys.executable, "-m", "kubewright", "server", "--controllers=none"]
    command += ["--kubeconfig", str(config)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert process.stdout is not None
        next(line for line in process.stdout if line.startswith("ready"))
        yield config
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
