"""Callers of all sorts: certificates of a server's authority, tokens with its key, odd headers."""

from __future__ import annotations

import base64
import datetime as dt
import http.client
import json
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from tests.conformance.client import PATIENCE, Client, Response, ServerUnderTest
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.waiting import eventually

__all__ = [
    "SELF",
    "Key",
    "Pair",
    "base64url",
    "certificate",
    "claims_of",
    "grant",
    "request_token",
    "review",
    "send",
    "service_account",
    "service_account_key",
    "sign",
    "signed",
    "token_of",
    "who",
]

SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
RBAC = "rbac.authorization.k8s.io"
UID = ObjectIdentifier("1.3.6.1.4.1.57683.2")

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
Pair = tuple[str, str]
"""The files of a certificate and its key."""


def send(
    server: ServerUnderTest,
    headers: Sequence[tuple[str, str]],
    *,
    method: str = "POST",
    path: str = SELF,
    body: object = None,
    pair: Pair | None = None,
    accept: str = "application/json",
) -> Response:
    """A request with exactly these headers, on a connection of its own; by default the question who one is.

    Raises ssl.SSLError or ConnectionError when TLS refuses the certificate.
    """
    parts = urlsplit(server.url)
    context = ssl.create_default_context(cafile=server.ca_file)
    if pair is not None:
        context.load_cert_chain(*pair)
    kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    data = json.dumps(kind if body is None else body).encode() if method == "POST" else b""
    connection = http.client.HTTPSConnection(
        parts.hostname or "", parts.port, timeout=PATIENCE, context=context
    )
    try:
        connection.putrequest(method, path)
        if accept:
            connection.putheader("Accept", accept)
        if data:
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", str(len(data)))
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        return Response(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


def who(server: ServerUnderTest, token: str = "", *, pair: Pair | None = None) -> Any:
    """What a server says who somebody is, or its status code."""
    headers = [("Authorization", f"Bearer {token}")] if token else []
    response = send(server, headers, pair=pair)
    return response.json()["status"]["userInfo"] if response.status == 201 else response.status


def review(client: Client, token: str, audiences: Sequence[str] = ()) -> Any:
    """The status of a TokenReview."""
    spec = {"token": token, **({"audiences": list(audiences)} if audiences else {})}
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec}
    response = client.post(REVIEWS, body)
    assert response.status == 201, response.text
    return response.json()["status"]


def service_account_key(server: ServerUnderTest) -> Key:
    """The key with which a server signs tokens; the two have it in different files."""
    folder = Path(server.ca_file).parent
    (path,) = [folder / name for name in ("sa.key", "service-account.key") if (folder / name).exists()]
    key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey)
    return key


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def claims_of(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the claims of a token."""
    header, claims, _ = token.split(".")
    read = [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in (header, claims)]
    return read[0], read[1]


def sign(key: Key, text: str) -> str:
    """The signature of a text by ES256 or RS256, whichever the key is for."""
    if isinstance(key, rsa.RSAPrivateKey):
        return base64url(key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))
    numbers = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return base64url(b"".join(number.to_bytes(32, "big") for number in numbers))


def signed(key: Key, header: dict[str, Any], claims: dict[str, Any]) -> str:
    """A token."""
    text = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    return f"{text}.{sign(key, text)}"


def certificate(
    server: ServerUnderTest,
    folder: Path,
    name: str,
    groups: Sequence[str] = (),
    *,
    uids: Sequence[str] = (),
    begins: float = -3600,
    lasts: float = 7200,
    usage: ObjectIdentifier | None = ExtendedKeyUsageOID.CLIENT_AUTH,
    authority: Path | None = None,
) -> Pair:
    """A client certificate of the server's authority, or of another one in a folder."""
    place = authority or Path(server.ca_file).parent
    ca = x509.load_pem_x509_certificate((place / "ca.crt").read_bytes())
    ca_key = serialization.load_pem_private_key((place / "ca.key").read_bytes(), password=None)
    assert isinstance(ca_key, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    subject += [x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else []
    subject += [x509.NameAttribute(UID, uid) for uid in uids]
    start = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=begins)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(subject))
        .issuer_name(ca.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(seconds=lasts))
    )
    if usage is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    made = builder.sign(ca_key, hashes.SHA256())
    stem = folder / unique("client")
    files = (stem.with_suffix(".crt"), stem.with_suffix(".key"))
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return str(files[0]), str(files[1])


def grant(client: Client, user: str, *rules: dict[str, Any]) -> None:
    """Gives a user rights in the whole cluster, and waits until they are in force."""
    name = unique("grant")
    root = f"/apis/{RBAC}/v1"
    role = {"metadata": {"name": name}, "rules": [*rules, _marked(name)]}
    assert client.post(f"{root}/clusterroles", role).status == 201
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": user}],
    }
    assert client.post(f"{root}/clusterrolebindings", binding).status == 201
    spec = {"user": user, "nonResourceAttributes": {"verb": "get", "path": f"/{name}"}}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}

    def in_force() -> bool:
        answer = client.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", body)
        return bool(answer.json()["status"]["allowed"])

    eventually(in_force, "the role is not in force")


def _marked(name: str) -> dict[str, Any]:
    """A rule by which it can be seen that a role is in force."""
    return {"nonResourceURLs": [f"/{name}"], "verbs": ["get"]}


def service_account(namespace: Namespace, name: str = "robot") -> Any:
    """A new service account."""
    return namespace.create(namespace.path("serviceaccounts"), {"metadata": {"name": name}})


def request_token(namespace: Namespace, name: str = "robot", **spec: Any) -> Response:
    """Asks for a token of a service account."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    return namespace.client.post(f"{namespace.path('serviceaccounts')}/{name}/token", body)


def token_of(namespace: Namespace, name: str = "robot", **spec: Any) -> str:
    """A token of a service account."""
    response = request_token(namespace, name, **spec)
    assert response.status == 201, response.text
    token: str = response.json()["status"]["token"]
    return token
