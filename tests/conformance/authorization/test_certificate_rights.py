"""Who may approve and sign certificate signing requests, and what nobody may ask for."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.conformance.authorization.policies import as_user, binding, create, in_force, role, rule, subject
from tests.conformance.client import Client, Response
from tests.conformance.namespaces import unique
from tests.conformance.statuses import assert_failure

GROUP = "certificates.k8s.io"
PATH = f"/apis/{GROUP}/v1/certificatesigningrequests"
RESOURCES = "certificatesigningrequests certificatesigningrequests/approval certificatesigningrequests/status"
CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client"


def pem(*organizations: str) -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, "me")]
    parts += [x509.NameAttribute(NameOID.ORGANIZATION_NAME, each) for each in organizations]
    made = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(parts)).sign(key, hashes.SHA256())
    return base64.b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()


def post(client: Client, signer: str, *organizations: str) -> Response:
    body = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": unique("request")},
        "spec": {"request": pem(*organizations), "signerName": signer, "usages": ["client auth"]},
    }
    return client.post(PATH, body)


def caller(client: Client, *rules: Any) -> str:
    user = unique("user")
    held = rule("get update patch", GROUP, RESOURCES)
    create(client, role(user, held, *rules), binding(user, user, subject("User", user)))
    in_force(client, user, verb="update", group=GROUP, resource="certificatesigningrequests")
    return user


def approve(client: Client, user: str, obj: Any) -> Response:
    condition = {"type": "Approved", "status": "True", "reason": "r", "message": "m"}
    body = {**obj, "status": {"conditions": [condition]}}
    return client.put(f"{PATH}/{obj['metadata']['name']}/approval", body, headers=as_user(user))


def sign(client: Client, user: str, obj: Any) -> Response:
    condition = {"type": "Failed", "status": "True", "reason": "r", "message": "m"}
    body = {**obj, "status": {"conditions": [condition]}}
    return client.put(f"{PATH}/{obj['metadata']['name']}/status", body, headers=as_user(user))


@pytest.mark.parametrize(("verb", "write"), [("approve", approve), ("sign", sign)])
@pytest.mark.parametrize(
    ("names", "may"),
    [
        ("", True),
        ("example.com/one", True),
        ("example.com/*", True),
        ("example.com/two", False),
        ("*", False),
    ],
    ids=["all", "named", "domain", "another", "star"],
)
def test_signers(client: Client, verb: str, write: Any, names: str, may: bool) -> None:
    user = caller(client, rule(verb, GROUP, "signers", names))
    obj = post(client, "example.com/one").json()
    response = write(client, user, obj)
    if may:
        assert response.status == 200, response.text
        return
    name = obj["metadata"]["name"]
    why = f'user not permitted to {verb} requests with signerName "example.com/one"'
    message = f'certificatesigningrequests.{GROUP} "{name}" is forbidden: {why}'
    details = {"name": name, "group": GROUP, "kind": "certificatesigningrequests"}
    assert_failure(response, 403, "Forbidden", message, details)


def test_a_status_that_does_not_change_takes_no_right(client: Client) -> None:
    user = caller(client)
    obj = post(client, "example.com/one").json()
    path = f"{PATH}/{obj['metadata']['name']}/status"
    assert client.put(path, obj, headers=as_user(user)).status == 200


def test_nobody_becomes_an_administrator(client: Client) -> None:
    response = post(client, CLIENT_SIGNER, "others", "system:masters")
    name = response.json()["details"]["name"]
    why = f"use of {CLIENT_SIGNER} signer with system:masters group is not allowed"
    message = f'certificatesigningrequests.{GROUP} "{name}" is forbidden: {why}'
    details = {"name": name, "group": GROUP, "kind": "certificatesigningrequests"}
    assert_failure(response, 403, "Forbidden", message, details)
    assert post(client, CLIENT_SIGNER, "others").status == 201
    assert post(client, "example.com/one", "system:masters").status == 201
