"""The pytest plugin: the fixture `kube`, a fresh cluster for each test that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kubewright.testing.cluster import Cluster

__all__ = ["kube"]


@pytest.fixture
def kube() -> Iterator[Cluster]:
    """A cluster that nobody else uses, in a thread beside the test; it is gone with the test."""
    from kubewright.testing.cluster import Cluster  # noqa: PLC0415 - most test runs never need it

    with Cluster.in_thread() as cluster:
        yield cluster
