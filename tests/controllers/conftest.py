"""The two servers, for what depends on how a server behaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.controllers.servers import Server


@pytest.fixture(scope="session", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The embedded server, and a real kube-apiserver on etcd."""
    if request.param == "real":
        yield request.getfixturevalue("real_server")
    else:
        from kubewright.testing import Cluster

        with Cluster.in_thread(controllers="none") as cluster:
            yield cluster
