"""A proxy before the server that a test has, which breaks connections."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kubewright.testing import Cluster, FaultProxy
from tests.controllers.servers import Server


@pytest.fixture
def proxy(server: Server) -> Iterator[FaultProxy]:
    """Before the server, the embedded or the real one."""
    with FaultProxy(server.url) as made:
        yield made


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """The embedded server."""
    with Cluster.in_thread(controllers="none") as made:
        yield made
