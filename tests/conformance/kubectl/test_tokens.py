"""kubectl with tokens, certificates, and in the name of others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conformance.callers import certificate, claims_of
from tests.conformance.client import ServerUnderTest
from tests.conformance.kubectl.output import table
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.waiting import eventually


@pytest.fixture
def stranger(server: ServerUnderTest, kubectl: Kubectl, tmp_path: Path) -> Kubectl:
    """kubectl that knows the server and has no credentials."""
    cluster = {"server": server.url, "certificate-authority": server.ca_file}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": cluster}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": ""}}],
        "current-context": "c",
    }
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(config))
    return replace(kubectl, kubeconfig=str(file))


def test_create_token(kubectl: Kubectl, stranger: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    token = kubectl("create", "token", "robot", "--duration=20m").strip()
    claims = claims_of(token)[1]
    assert claims["exp"] - claims["iat"] == 1200
    said = dict(table(stranger("auth", "whoami", f"--token={token}"))[1:])
    assert said["Username"] == f"system:serviceaccount:{kubectl.namespace}:robot"
    assert said["UID"] == claims["kubernetes.io"]["serviceaccount"]["uid"]
    assert said["Extra: authentication.kubernetes.io/credential-id"] == f"[JTI={claims['jti']}]"
    refused = stranger.fails("get", "pods", f"--token={token}")
    assert f'User "system:serviceaccount:{kubectl.namespace}:robot" cannot list resource "pods"' in refused


def test_create_token_for_somebody_else(kubectl: Kubectl, stranger: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    kubectl("create", "secret", "generic", "s")
    token = kubectl(
        "create", "token", "robot", "--audience=vault", "--bound-object-kind=Secret", "--bound-object-name=s"
    ).strip()
    claims = claims_of(token)[1]
    assert (claims["aud"], claims["kubernetes.io"]["secret"]["name"]) == (["vault"], "s")
    refused = stranger.fails("get", "pods", f"--token={token}")
    assert "You must be logged in to the server" in refused


def test_a_certificate(server: ServerUnderTest, stranger: Kubectl, tmp_path: Path) -> None:
    pair = certificate(server, tmp_path, "jane", ["blue"])
    arguments = [f"--client-certificate={pair[0]}", f"--client-key={pair[1]}"]
    said = dict(table(stranger("auth", "whoami", *arguments))[1:])
    assert (said["Username"], said["Groups"]) == ("jane", "[blue system:authenticated]")


def test_as_a_service_account(kubectl: Kubectl) -> None:
    robot = f"system:serviceaccount:{kubectl.namespace}:robot"
    said = dict(table(kubectl("auth", "whoami", f"--as={robot}"))[1:])
    assert said["Groups"] == (
        f"[system:serviceaccounts system:serviceaccounts:{kubectl.namespace} system:authenticated]"
    )
    kubectl("create", "role", "reader", "--verb=list", "--resource=configmaps")
    subject = f"--serviceaccount={kubectl.namespace}:robot"
    kubectl("create", "rolebinding", "reader", "--role=reader", subject)
    eventually(
        lambda: kubectl.outcome("get", "configmaps", f"--as={robot}").code == 0, "the role is not in force"
    )
    assert f'User "{robot}" cannot list resource "secrets"' in kubectl.fails(
        "get", "secrets", f"--as={robot}"
    )


def test_as_a_group_alone(kubectl: Kubectl) -> None:
    assert "without impersonating a user" in kubectl.fails("get", "pods", "--as-group=blue")


def test_by_name_and_password(stranger: Kubectl) -> None:
    """Nobody is known by these; without any, kubectl would ask for them."""
    arguments = ("--username=admin", "--password=x")
    assert stranger("get", "--raw", "/readyz", *arguments) == "ok"
    assert 'User "system:anonymous" cannot list resource "pods"' in stranger.fails("get", "pods", *arguments)
