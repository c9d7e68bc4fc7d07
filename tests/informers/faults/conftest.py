"""An embedded server, and a proxy before it that breaks connections."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kubewright.testing import Cluster, FaultProxy


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread() as made:
        yield made


@pytest.fixture
def proxy(cluster: Cluster) -> Iterator[FaultProxy]:
    with FaultProxy(cluster.url) as made:
        yield made
