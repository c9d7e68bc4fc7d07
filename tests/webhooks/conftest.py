"""Clusters that call webhooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.client import ServerUnderTest


@pytest.fixture(scope="package", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def server(request: pytest.FixtureRequest) -> Iterator[ServerUnderTest]:
    """The server in this process, and a real kube-apiserver on etcd, which `make test` leaves out."""
    if request.param == "real":
        yield request.getfixturevalue("real_server")
    else:
        from kubewright.testing import Cluster

        with Cluster.in_thread(controllers="none") as cluster:
            yield cluster
