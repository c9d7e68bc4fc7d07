"""examples.project: the story it tells, by itself and on a given cluster, which it leaves as it was."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from examples.project.types import Project
from kubewright import NotFound
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.sync import Client
from kubewright.testing import Cluster, FaultProxy
from tests.examples.programs import running
from tests.examples.servers import BOTH, REAL, Server, ended, kubeconfig_of, nobody, refused, started

pytestmark = pytest.mark.slow

MODULE = "examples.project"
NAME = "projects.examples-gzh.com"
WHY = (
    'Project.examples-gzh.com "nothing" is invalid: spec.replicas: Invalid value: 0: '
    "spec.replicas in body should be greater than or equal to 1 (422 Invalid)"
)
INSTALLED = f"install: {NAME} is established"
FOUND = f"install: {NAME} is there already, and stays as it is"
STORY = [
    "create: default/website, replicas: 2",
    "create: default/database, replicas: 1",
    f"create: the server refuses replicas: 0, with {WHY}",
    f"create: so does the type, before it is sent: {WHY}",
    "list: database, replicas: 1",
    "list: website, replicas: 2",
    "watch: ADDED website, replicas: 2",
    "watch: MODIFIED website, replicas: 5",
    "watch: DELETED website, replicas: 5",
    "watch: ADDED website, replicas: 3",
    "cache: synced with database, website",
    "cache: database changed, replicas: 1 -> 4",
    "cache: replicas of all: 7",
    "clean up: database, website deleted",
]
REMOVED = f"clean up: {NAME} is deleted"


@pytest.fixture(scope="module", params=BOTH)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with started(request.param) as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """After the test there is no definition, as before it."""
    with Client(server.config) as client:
        yield client
        definitions = client.api(CustomResourceDefinition)
        try:
            definitions.delete(NAME)
        except NotFound:
            return
        definitions.wait_for(NAME, "deleted", timeout=60)


def test_by_itself() -> None:
    assert ended(MODULE, KUBECONFIG="/no/such/file") == [INSTALLED, *STORY, REMOVED]


def test_on_a_cluster_which_it_leaves_as_it_was(server: Server, client: Client) -> None:
    assert ended(MODULE, "--kubeconfig", server.kubeconfig) == [INSTALLED, *STORY, REMOVED]
    client.api(CustomResourceDefinition).wait_for(NAME, "deleted", timeout=60)


def test_what_was_there_before_stays(server: Server, client: Client) -> None:
    definitions, projects = client.api(CustomResourceDefinition), client.api(Project, "default")
    definitions.create(Project.crd())
    definitions.wait_for(NAME, "Established", timeout=60)
    mine = projects.create({"metadata": {"name": "mine"}, "spec": {"replicas": 9}})
    assert ended(MODULE, "--kubeconfig", server.kubeconfig) == [FOUND, *STORY]
    assert [project.metadata.uid for project in projects.list()] == [mine.metadata.uid]
    projects.create({"metadata": {"name": "database"}, "spec": {"replicas": 9}})
    told = refused(MODULE, "--kubeconfig", server.kubeconfig)
    assert told == 'projects.examples-gzh.com "database" already exists (409 AlreadyExists)'
    assert sorted(project.metadata.name for project in projects.list()) == ["database", "mine"]


def test_it_cleans_up_when_it_is_interrupted(server: Server, client: Client, tmp_path: Path) -> None:
    with FaultProxy(server.url) as proxy, ExitStack() as stack:
        # It is slow, so that what is done here comes first.
        proxy.delay(0.3)
        kubeconfig = kubeconfig_of(server.kubeconfig, tmp_path, url=proxy.url)
        program = stack.enter_context(running(MODULE, "--kubeconfig", kubeconfig, PYTHONUNBUFFERED=""))
        program.until(r"^create: default/database.*\n")
        # What the story changes last is so already, so that it waits for a change that never comes.
        client.api(Project, "default").patch("database", {"spec": {"replicas": 4}})
        proxy.delay(0)
        program.until(r"^cache: synced with database, website\n")
        assert program.stop(signal.SIGTERM) == 0
        rest = program.until(r"clean up: projects.*\n")
        # The change may be told of before it is interrupted.
        assert rest.splitlines()[-2:] == ["clean up: database, website deleted", REMOVED]
        assert "Traceback" not in program.printed
    client.api(CustomResourceDefinition).wait_for(NAME, "deleted", timeout=60)


def test_another_namespace(server: Server, client: Client) -> None:
    told = refused(MODULE, "--kubeconfig", server.kubeconfig, "--namespace", "nowhere")
    assert told == 'namespaces "nowhere" not found (404 NotFound)'
    client.api(CustomResourceDefinition).wait_for(NAME, "deleted", timeout=60)


@pytest.mark.parametrize("server", REAL, indirect=True)
def test_no_rights(server: Server, tmp_path: Path) -> None:
    told = refused(MODULE, "--kubeconfig", kubeconfig_of(server.kubeconfig, tmp_path, user="nobody"))
    assert told.startswith("customresourcedefinitions.apiextensions.k8s.io is forbidden: User")


def test_no_cluster(tmp_path: Path) -> None:
    assert refused(MODULE, "--kubeconfig", "/no/such/file").startswith("there is no kubeconfig /no/such/file")
    with Cluster.in_thread(controllers="none") as cluster:
        assert "nope" in refused(MODULE, "--context", "nope", KUBECONFIG=cluster.kubeconfig)
        with nobody() as url:
            told = refused(MODULE, "--kubeconfig", kubeconfig_of(cluster.kubeconfig, tmp_path, url=url))
        assert told.startswith(f"{url} cannot be reached")
        assert told.endswith("is the server up, and the right one?")
