"""The approval of certificate signing requests."""

from __future__ import annotations

import base64
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.conformance.client import Client
from tests.conformance.namespaces import unique
from tests.conformance.statuses import assert_invalid, cause

PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
KIND = "CertificateSigningRequest.certificates.k8s.io"


def request() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "me")])
    made = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    return base64.b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()


def created(client: Client) -> tuple[str, Any]:
    """A request: its path, and itself."""
    name = unique("request")
    body = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": {"request": request(), "signerName": "example.com/signer", "usages": ["client auth"]},
    }
    response = client.post(PATH, body)
    assert response.status == 201, response.text
    return f"{PATH}/{name}", response.json()


def condition(kind: str) -> dict[str, str]:
    return {"type": kind, "status": "True", "reason": "Tested", "message": "because"}


def test_who_asks_is_recorded(client: Client) -> None:
    _, made = created(client)
    assert made["spec"]["username"]
    assert {"system:masters", "system:authenticated"} <= set(made["spec"]["groups"])
    assert made["status"] == {}


def test_approval(client: Client) -> None:
    path, made = created(client)
    response = client.put(f"{path}/approval", {**made, "status": {"conditions": [condition("Approved")]}})
    assert response.status == 200
    (found,) = response.json()["status"]["conditions"]
    assert found.pop("lastUpdateTime")
    assert found.pop("lastTransitionTime")
    assert found == condition("Approved")


def test_approval_and_denial_exclude_each_other(client: Client) -> None:
    path, made = created(client)
    conditions = [condition("Approved"), condition("Denied")]
    response = client.put(f"{path}/approval", {**made, "status": {"conditions": conditions}})
    message = 'Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'
    expected = cause("FieldValueInvalid", message, "status.conditions")
    assert_invalid(response, KIND, made["metadata"]["name"], expected)


def test_the_status_does_not_approve(client: Client) -> None:
    path, made = created(client)
    response = client.put(f"{path}/status", {**made, "status": {"conditions": [condition("Approved")]}})
    message = 'Forbidden: updates may not add a condition of type "Approved"'
    expected = cause("FieldValueForbidden", message, "status.conditions")
    assert_invalid(response, KIND, made["metadata"]["name"], expected)
