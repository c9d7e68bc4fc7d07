"""The two servers, and a proxy before them that breaks connections.

Where a test is about something that only one of them can be made to do, it has the embedded one alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kubewright.testing import Cluster, FaultProxy
from tests.informers.faults.connecting import Server


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """The embedded server."""
    with Cluster.in_thread(controllers="none") as made:
        yield made


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def server(request: pytest.FixtureRequest) -> Server:
    """The embedded server, and a real kube-apiserver on etcd."""
    found: Server = request.getfixturevalue("cluster" if request.param == "embedded" else "real_server")
    return found


@pytest.fixture
def proxy(request: pytest.FixtureRequest) -> Iterator[FaultProxy]:
    """Before the server that the test has."""
    name = "server" if "server" in request.fixturenames else "cluster"
    with FaultProxy(request.getfixturevalue(name).url) as made:
        yield made
