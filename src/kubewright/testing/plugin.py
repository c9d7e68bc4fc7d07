"""The pytest plugin: the fixture `kube`, a client of a fresh cluster for each test that asks for it.

    async def test_scale_up(kube):
        await kube.core_v1.config_maps("default").create(...)

Async tests that use it are run here, each in an event loop of its own, unless another plugin (pytest-asyncio,
anyio) runs them. Beside it there are `kube_sync`, the same for tests that do not await, and `kube_cluster`,
the cluster itself, for kubectl and other clients.

Options of the cluster stand in a mark, at a test, a class or a module:

    @pytest.mark.kube(controllers="none")         # nothing happens to what the test writes
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.sync import Client as BlockingClient
    from kubewright.testing.cluster import Cluster

__all__ = ["kube", "kube_cluster", "kube_sync", "pytest_configure", "pytest_pyfunc_call"]


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line(
        "markers", "kube(**options): options of the cluster of the fixture kube, such as controllers='none'"
    )


@pytest.fixture
def kube_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster that nobody else uses, in a thread beside the test; it is gone with the test."""
    from kubewright.testing.cluster import Cluster  # noqa: PLC0415 - most test runs never need it

    options: dict[str, Any] = {}
    for mark in request.node.iter_markers("kube"):
        # The nearest comes first, and has the say.
        options = {**mark.kwargs, **options}
    with Cluster.in_thread(**options) as cluster:
        yield cluster


@pytest.fixture
def kube(request: pytest.FixtureRequest, kube_cluster: Cluster) -> Client:
    """A client of a cluster that nobody else uses; it is closed when the test ends."""
    from kubewright.client.client import Client  # noqa: PLC0415 - as above

    client = Client(kube_cluster.config)
    if iscoroutinefunction(request.node.obj):
        # Whoever runs the test: the client is closed in the event loop in which it was used.
        request.node.obj = _closing(request.node.obj, client)
    return client


@pytest.fixture
def kube_sync(kube_cluster: Cluster) -> Iterator[BlockingClient]:
    """The same without `await`."""
    from kubewright.sync import Client  # noqa: PLC0415 - as above

    with Client(kube_cluster.config) as client:
        yield client


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an async test that uses `kube` and that nobody else runs."""
    if "kube" not in pyfuncitem.fixturenames or not iscoroutinefunction(pyfuncitem.obj):
        return None
    if any(pyfuncitem.get_closest_marker(name) is not None for name in ("asyncio", "anyio", "trio")):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(pyfuncitem.obj(**arguments))
    return True


def _closing(test: Callable[..., Awaitable[object]], client: Client) -> Callable[..., Awaitable[None]]:
    @wraps(test)
    async def run(*args: Any, **kwargs: Any) -> None:
        try:
            await test(*args, **kwargs)
        finally:
            await client.close()

    return run
