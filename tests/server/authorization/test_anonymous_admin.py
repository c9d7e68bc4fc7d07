"""A server that asks nobody anything, and says so."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterator

import pytest

from kubewright.server.admission.plugins import UnknownPlugin
from kubewright.testing import Cluster
from tests.conformance.authorization.policies import RBAC, as_user, ask, binding, role, rule, subject
from tests.conformance.client import Client
from tests.server.processes import COMMAND, PATIENCE


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none", anonymous_admin=True) as running:
        yield running


WHO = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


@pytest.mark.parametrize("token", [None, "not-a-token"], ids=["nothing", "a wrong token"])
def test_everybody_may_everything(cluster: Cluster, token: str | None) -> None:
    client = Client(cluster, token=token, authenticated=token is not None)
    assert client.get("/api/v1/secrets").status == 200
    assert client.get("/metrics").status in {200, 404}
    user = client.post(SELF, WHO).json()["status"]["userInfo"]
    assert user["username"] == "system:anonymous"
    assert "system:masters" in user["groups"]
    made = role(f"r{token}", rule("*", "*", "*"))
    assert client.post(f"{RBAC}/clusterroles", made).status == 201
    client.close()


def test_who_is_known_keeps_the_name(cluster: Cluster) -> None:
    client = Client(cluster)
    assert client.post(SELF, WHO).json()["status"]["userInfo"]["username"] != "system:anonymous"
    client.close()


def test_those_whom_others_act_for_may_everything_too(cluster: Cluster) -> None:
    client = Client(cluster, authenticated=False)
    headers = as_user("alice")
    assert client.get("/api/v1/secrets", headers=headers).status == 200
    bound = binding("b", "cluster-admin", subject("User", "alice"))
    assert client.post(f"{RBAC}/clusterrolebindings", bound, headers=headers).status == 201
    assert ask(client, "bob", verb="get", resource="pods") == {"allowed": True}
    client.close()


def test_it_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING, "kubewright.server"),
        Cluster.in_thread(controllers="none", anonymous_admin=True),
    ):
        pass
    (record,) = (each for each in caplog.records if each.name == "kubewright.server")
    assert record.getMessage().startswith("ANONYMOUS ADMIN: this server asks nobody who they are.")
    caplog.clear()
    with caplog.at_level(logging.WARNING, "kubewright.server"), Cluster.in_thread(controllers="none"):
        pass
    assert not [each for each in caplog.records if "ANONYMOUS" in each.getMessage()]


def test_the_command_says_so() -> None:
    arguments = [COMMAND, "server", "--anonymous-admin"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "ready: " not in process.stdout.readline():
            assert process.poll() is None
        process.terminate()
        _, said = process.communicate(timeout=PATIENCE)
    assert said.startswith("ANONYMOUS ADMIN: ")
    assert len(said.splitlines()) == 1


def test_the_command_refuses_plugins_that_nobody_knows() -> None:
    arguments = [COMMAND, "server", "--enable-admission-plugins=NamespaceLifecycle,Nonsense"]
    ended = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("Error: there is no admission plugin 'Nonsense'")


def test_plugins_that_nobody_knows() -> None:
    with pytest.raises(UnknownPlugin, match="there is no admission plugin 'Nonsense' that can be turned on"):
        Cluster(controllers="none", admission_plugins=["Nonsense"])
    Cluster(
        controllers="none", admission_plugins=["NamespaceLifecycle", "OwnerReferencesPermissionEnforcement"]
    )
