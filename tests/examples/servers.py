"""The clusters on which examples run: the one in this process, and a real kube-apiserver."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from kubewright.machinery import yaml
from kubewright.testing import Cluster
from tests.examples.programs import ROOT, WITHIN

if TYPE_CHECKING:
    from tests.realcluster.server import RealServer

Server: TypeAlias = "Cluster | RealServer"
REAL = [pytest.param("real", marks=pytest.mark.real)]
BOTH = ["embedded", *REAL]


@contextmanager
def started(name: str) -> Iterator[Server]:
    """A cluster, for the length of a block."""
    if name == "real":
        from tests.realcluster.server import RealServer

        with RealServer(fsync=False) as real:
            yield real
    else:
        with Cluster.in_thread(controllers="none") as cluster:
            yield cluster


def ended(module: str, *arguments: str, **environment: str) -> list[str]:
    """What a program prints that ends by itself, and well."""
    done = _run(module, arguments, environment)
    assert (done.returncode, done.stderr) == (0, "")
    return list(done.stdout.splitlines())


def refused(module: str, *arguments: str, **environment: str) -> str:
    """The one sentence with which a program ends."""
    done = _run(module, arguments, environment)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    return str(done.stderr).removeprefix("Error: ").rstrip()


def _run(module: str, arguments: tuple[str, ...], environment: dict[str, str]) -> Any:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=WITHIN,
    )


@contextmanager
def nobody() -> Iterator[str]:
    """The URL of a port at which nobody listens, and nobody will, for the length of a block."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"https://127.0.0.1:{bound.getsockname()[1]}"


def kubeconfig_of(kubeconfig: str, folder: Path, *, url: str = "", user: str = "") -> str:
    """A kubeconfig like another one, that leads elsewhere, or in which somebody else asks."""
    document: Any = yaml.load(Path(kubeconfig).read_bytes())
    if url:
        document["clusters"][0]["cluster"]["server"] = url
    if user:
        document["users"][0]["user"]["as"] = user
    path = folder / "kubeconfig"
    path.write_text(yaml.dump(document))
    return str(path)
