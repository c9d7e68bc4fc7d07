"""The two servers, and a fresh namespace for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.custom_resources import Widgets, define, new_group, widgets_definition
from tests.conformance.namespaces import Namespace, new_namespace
from tests.conformance.waiting import eventually


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, on kubewright's server, what differs on purpose; see docs/server-differences.md."""
    left_out = [item for item in items if _differs(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _differs(item: pytest.Item) -> bool:
    parameters = getattr(item, "callspec", None)
    on_ours = parameters is not None and parameters.params.get("server") == "embedded"
    return on_ours and item.get_closest_marker("differs") is not None


@pytest.fixture(scope="session", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def server(request: pytest.FixtureRequest) -> Iterator[ServerUnderTest]:
    """The server in this process, and a real kube-apiserver on etcd, which `make test` leaves out."""
    if request.param == "real":
        real: ServerUnderTest = request.getfixturevalue("real_server")
        bootstrapped(real)
        yield real
    else:
        from kubewright.testing import Cluster

        with Cluster.in_thread(controllers="none") as cluster:
            yield cluster


def bootstrapped(server: ServerUnderTest) -> None:
    """Waits until the roles that a server makes for all are in force: it is ready when they are written."""
    nobody = Client(server, authenticated=False)
    eventually(lambda: nobody.get("/version").status == 200, "the roles are not in force")
    nobody.close()


@pytest.fixture(scope="session")
def client(server: ServerUnderTest) -> Iterator[Client]:
    """Sends requests as the administrator."""
    made = Client(server)
    yield made
    made.close()


@pytest.fixture
def namespace(client: Client) -> Namespace:
    """A namespace that nobody else uses. It is not deleted: the server ends with the session."""
    return new_namespace(client)


@pytest.fixture(scope="session")
def widgets(client: Client) -> Widgets:
    """Custom resources with all there is; defined once, as the first create of each definition is slow."""
    return define(client, widgets_definition(new_group()))
