"""kubectl for each server under test, and what the tests write files into."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conformance.client import ServerUnderTest
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace
from tests.realcluster.binaries import MissingBinary, find_kubectl


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where there is no kubectl, except in CI, which must have one, and those of
    `make test-real`, which builds one."""
    if os.environ.get("CI") or os.environ.get("KUBEBUILDER_ASSETS") or shutil.which("kubectl"):
        return
    reason = "left out: no kubectl on PATH; make test-real builds one"
    here = Path(__file__).parent
    for item in items:
        built = any(item.get_closest_marker(name) for name in ("real", "slow"))
        if item.path.is_relative_to(here) and not built:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def binary() -> Path:
    """kubectl: that of PATH, else one of the server's release, which takes minutes to build, once."""
    try:
        return find_kubectl()
    except MissingBinary as error:
        pytest.fail(str(error))


@pytest.fixture(scope="session")
def cluster_kubectl(
    binary: Path, server: ServerUnderTest, tmp_path_factory: pytest.TempPathFactory
) -> Kubectl:
    """kubectl as the administrator; its caches last as long as the server."""
    return Kubectl(binary, server.kubeconfig, tmp_path_factory.mktemp("home"))


@pytest.fixture
def kubectl(cluster_kubectl: Kubectl, namespace: Namespace) -> Kubectl:
    """kubectl in a namespace that nobody else uses."""
    return cluster_kubectl.in_namespace(namespace)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The files of a certificate and its key."""
    from tests.realcluster.credentials import write_credentials

    made = write_credentials(tmp_path_factory.mktemp("certificate"), token="unused")  # noqa: S106
    return made.client_cert, made.client_key
