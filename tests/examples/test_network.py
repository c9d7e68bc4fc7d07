"""examples.network: the story it tells by itself, and its controller on a given cluster."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.network.client.sync import Clientset
from examples.network.types import Network, NetworkSpec
from kubewright import Invalid, ObjectMeta
from kubewright.crd import validate
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.sync import Client
from kubewright.testing import Cluster
from tests.examples.programs import running
from tests.examples.servers import BOTH, REAL, Server, ended, kubeconfig_of, nobody, refused, started

pytestmark = pytest.mark.slow

MODULE = "examples.network"
NAME = "networks.samplecrd.k8s.io"


@pytest.fixture(scope="module", params=BOTH)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with started(request.param) as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.config) as client:
        yield client


def test_by_itself() -> None:
    lines = ended(MODULE, KUBECONFIG="/no/such/file")
    wrong = 'create wrong: refused: Network.samplecrd.k8s.io "wrong" is invalid: spec.'
    assert lines == [
        f"{NAME} is installed",
        "create office",
        "  office: Allocated: 10.0.0.0/16 with the gateway 10.0.0.1",
        "create lab",
        "  lab: Allocated: fd00::/64 with the gateway fd00::1",
        "create branch, which overlaps office",
        "  branch: Overlaps: 10.0.128.0/24 overlaps 10.0.0.0/16 of default/office",
        f"{wrong}gateway: Invalid value: the gateway 10.0.0.1 does not lie in 10.1.0.0/16 (422 Invalid)",
        f'{wrong}cidr: Invalid value: "10.1.0.0": must be a CIDR, such as 10.0.0.0/16 (422 Invalid)',
        f'{wrong}gateway: Invalid value: "here": must be an IP address, such as 10.0.0.1 (422 Invalid)',
        "change the gateway of office",
        "  office: Allocated: 10.0.0.0/16 with the gateway 10.0.255.254",
        "  office-plan: 10.0.0.0 to 10.0.255.255, gateway 10.0.255.254",
        "delete office, whose finalizer gives its addresses back",
        "  branch: Allocated: 10.0.128.0/24 with the gateway 10.0.128.1",
    ]


def network(name: str, cidr: str, gateway: str) -> Network:
    return Network(metadata=ObjectMeta(name=name), spec=NetworkSpec(cidr=cidr, gateway=gateway))


def test_the_controller_on_a_cluster(server: Server, client: Client) -> None:
    networks = Clientset(client).samplecrd_v1.networks("default")
    for number in (signal.SIGINT, signal.SIGTERM):
        with running(MODULE, "--kubeconfig", server.kubeconfig, PYTHONUNBUFFERED="") as program:
            program.until(rf"^{NAME} is installed\nthe controller runs, until Ctrl-C\n")
            networks.create(network("a", "10.0.0.0/24", "10.0.0.1"))
            program.until(r"^default/a: Allocated: 10.0.0.0/24 with the gateway 10.0.0.1\n")
            networks.patch("a", {"spec": {"gateway": "10.0.0.2"}})
            program.until(r"^default/a: Allocated: 10.0.0.0/24 with the gateway 10.0.0.2\n")
            networks.delete("a")
            program.until(r"^default/a: its addresses are given back\n")
            networks.wait_for("a", "deleted", timeout=60)
            assert program.stop(number) == 0
            assert "Traceback" not in program.printed
    assert client.api(CustomResourceDefinition).get(NAME).spec.group == "samplecrd.k8s.io"


def test_the_controller_in_the_background(server: Server) -> None:
    with running(MODULE, "--kubeconfig", server.kubeconfig, in_background=True) as program:
        program.until(r"the controller runs, until Ctrl-C\n")
        assert program.stop(signal.SIGTERM) == 0


VERDICTS: list[tuple[str, str, str]] = [
    ("10.0.0.0/16", "10.0.255.255", ""),
    (
        "10.0.0.0/16",
        "10.1.0.0",
        "spec.gateway: Invalid value: the gateway 10.1.0.0 does not lie in 10.0.0.0/16",
    ),
    ("fd00::/64", "fd00::ffff:ffff:ffff:ffff", ""),
    ("fd00::/64", "fd00:0:0:1::", "does not lie in fd00::/64"),
    ("10.0.0.0/16", "fd00::1", "does not lie in 10.0.0.0/16"),
    ("10.0.0.0", "10.0.0.0", "spec.cidr: Invalid value: must be a CIDR, such as 10.0.0.0/16"),
    ("10.0.0.0/33", "10.0.0.0", "must be a CIDR"),
    ("10.0.0.0/16", "10.0.0", "spec.gateway: Invalid value: must be an IP address, such as 10.0.0.1"),
    ("10.0.0.0/16", "", "must be an IP address"),
]


@pytest.mark.parametrize(("cidr", "gateway", "sentence"), VERDICTS)
def test_a_gateway_lies_in_its_network(installed: Client, cidr: str, gateway: str, sentence: str) -> None:
    networks = Clientset(installed).samplecrd_v1.networks("default")
    made = network("a", cidr, gateway)
    if not sentence:
        validate(made)
        networks.create(made, dry_run=True)
        return
    said = []
    for tried in (lambda: networks.create(made, dry_run=True), lambda: validate(made)):
        with pytest.raises(Invalid) as caught:
            tried()
        said.append(str(caught.value))
        details = caught.value.status.details
        assert details is not None
        assert len(details.causes) == 1  # and no rule that could not be asked
        for part in sentence.split(": Invalid value: "):
            assert part in said[-1]
    assert said[0] == said[1]


@pytest.fixture(scope="module")
def installed(server: Server) -> Iterator[Client]:
    with Client(server.config) as client:
        definitions = client.api(CustomResourceDefinition)
        definitions.apply(Network.crd(), manager="kubewright-examples")
        definitions.wait_for(NAME, "Established", timeout=60)
        yield client


def test_missing_fields_are_refused(installed: Client) -> None:
    networks = Clientset(installed).samplecrd_v1.networks("default")
    with pytest.raises(Invalid, match=r"spec\.gateway: Required value"):
        networks.create({"metadata": {"name": "a"}, "spec": {"cidr": "10.0.0.0/16"}})
    with pytest.raises(Invalid, match=r"spec\.cidr: Required value"):
        networks.create({"metadata": {"name": "a"}, "spec": {"gateway": "10.0.0.0"}})


@pytest.mark.parametrize("server", REAL, indirect=True)
def test_no_rights(server: Server, tmp_path: Path) -> None:
    told = refused(MODULE, "--kubeconfig", kubeconfig_of(server.kubeconfig, tmp_path, user="nobody"))
    assert "is forbidden: User" in told


def test_no_cluster(tmp_path: Path) -> None:
    assert refused(MODULE, "--kubeconfig", "/no/such/file").startswith("there is no kubeconfig /no/such/file")
    with Cluster.in_thread(controllers="none") as cluster:
        with nobody() as url:
            told = refused(MODULE, "--kubeconfig", kubeconfig_of(cluster.kubeconfig, tmp_path, url=url))
        assert told.startswith(f"{url} cannot be reached")
        assert told.endswith("is the server up, and the right one?")
