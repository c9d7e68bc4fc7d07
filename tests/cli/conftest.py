"""What tests of commands that bring a project to a cluster share, unless their file says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kubewright.sync import Client
from tests.cli.cluster_commands import Project, deployable, with_kubectl

_NAMES = (f"demo{number}" for number in count())
"""Each test has a project of its own, since all of a file share a server."""


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    from kubewright.testing import Cluster

    with Cluster.in_thread() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(server: Any) -> Iterator[Client]:
    with Client(server.config) as client:
        yield client


@pytest.fixture
def name() -> str:
    return next(_NAMES)


@pytest.fixture
def project(server: Any, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Project:
    with_kubectl(monkeypatch)
    return deployable(tmp_path, name, server.kubeconfig)
