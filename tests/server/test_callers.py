"""Who is known to a server, by its options."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kubewright.machinery.errors import KubewrightError
from kubewright.server.certificates import KeyPair, issue_client_certificate
from kubewright.server.credentials import load_credentials
from kubewright.server.server import APIServer
from kubewright.testing import Cluster
from tests.server.raw_http import Connection

SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
QUESTION = json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}).encode()


def who(cluster: Cluster, token: str = "", pair: KeyPair | None = None, folder: Path | None = None) -> Any:
    """Whom a server takes somebody for, or the code of its refusal."""
    context = ssl.create_default_context(cafile=cluster.ca_file)
    if pair is not None and folder is not None:
        (folder / "pair.pem").write_bytes(pair.certificate + pair.key)
        context.load_cert_chain(folder / "pair.pem")
    with Connection(cluster, context=context) as connection:
        headers = {"Authorization": f"Bearer {token}" if token else "", "Content-Type": "application/json"}
        answer = connection.request("POST", SELF, QUESTION, headers)
        assert answer is not None
        return answer.json()["status"]["userInfo"] if answer.status == 201 else answer.status


def start(**options: Any) -> None:
    async def main() -> None:
        async with APIServer(**options):
            pass

    asyncio.run(main())


def test_static_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text('t0ken,jane,u-1,"a,b"\n')
    with Cluster.in_thread(controllers="none", static_tokens=file) as cluster:
        assert who(cluster, "t0ken") == {
            "username": "jane",
            "uid": "u-1",
            "groups": ["a", "b", "system:authenticated"],
        }
        assert who(cluster, "else") == 401
        assert who(cluster, cluster.token)["groups"][0] == "system:masters"
    # Nor does it outlive its file.
    with Cluster.in_thread(controllers="none") as cluster:
        assert who(cluster, "t0ken") == 401


def test_certificates_for_others(tmp_path: Path) -> None:
    with Cluster.in_thread(controllers="none") as cluster:
        pair = cluster.issue_client_certificate("jane", ["a", "b"], uid="u-1")
        user = who(cluster, pair=pair, folder=tmp_path)
        assert (user["username"], user["uid"]) == ("jane", "u-1")
        assert user["groups"] == ["a", "b", "system:authenticated"]
    with pytest.raises(KubewrightError, match="the server does not run"):
        cluster.issue_client_certificate("jane")


def test_a_data_dir_of_old(tmp_path: Path) -> None:
    start(data_dir=tmp_path)
    for name in ("ca.key", "sa.key"):
        (tmp_path / "pki" / name).unlink()
    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        assert who(cluster, cluster.token)["username"] == "admin"
        with pytest.raises(KubewrightError, match="remove its folder pki to get new credentials"):
            cluster.issue_client_certificate("jane")


def test_the_certificates_of_another_authority(tmp_path: Path) -> None:
    other = load_credentials(tmp_path / "other", ["localhost"])
    assert other.authority_key is not None
    pair = issue_client_certificate(other.authority_key, "jane")
    with Cluster.in_thread(controllers="none", client_ca=tmp_path / "other" / "ca.crt") as cluster:
        assert who(cluster, pair=pair, folder=tmp_path)["username"] == "jane"
        own = cluster.issue_client_certificate("joe")
        assert who(cluster, pair=own, folder=tmp_path)["username"] == "joe"
    with (
        Cluster.in_thread(controllers="none") as cluster,
        pytest.raises((ssl.SSLError, ConnectionError, AssertionError)),
    ):
        who(cluster, pair=pair, folder=tmp_path)


def test_authorities_below_others(tmp_path: Path) -> None:
    """Each certificate in the file is trusted, as Go has it, and not what is above it."""
    root, below, leaf = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    authority = signed("below", below, "root", root, authority=True)
    client_ca = tmp_path / "client-ca.pem"
    client_ca.write_bytes(authority)
    pair = KeyPair(signed("jane", leaf, "below", below), private_pem(leaf))
    stranger = KeyPair(signed("joe", leaf, "root", root), private_pem(leaf))
    with Cluster.in_thread(controllers="none", client_ca=client_ca) as cluster:
        assert who(cluster, pair=pair, folder=tmp_path)["username"] == "jane"
        with pytest.raises((ssl.SSLError, ConnectionError, AssertionError)):
            who(cluster, pair=stranger, folder=tmp_path)


def signed(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    authority: bool = False,
) -> bytes:
    """A certificate in PEM."""
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    )
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def test_certificates_that_would_mislead() -> None:
    with Cluster.in_thread(controllers="none") as cluster:
        with pytest.raises(KubewrightError, match="say who it is for"):
            cluster.issue_client_certificate("")
        with pytest.raises(KubewrightError, match=r"are a list; write \['dev'\]"):
            cluster.issue_client_certificate("jane", "dev")


@contextmanager
def account(cluster: Cluster) -> Iterator[str]:
    """A token of a service account."""
    with Connection(cluster) as connection:
        root = "/api/v1/namespaces/default/serviceaccounts"
        headers = {"Content-Type": "application/json"}
        connection.request("POST", root, b'{"metadata":{"name":"robot"}}', headers)
        answer = connection.request(
            "POST",
            f"{root}/robot/token",
            b'{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest"}',
            headers,
        )
        assert answer is not None
        yield answer.json()["status"]["token"]


def test_tokens_outlive_a_restart_and_no_other_server_knows_them(tmp_path: Path) -> None:
    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster, account(cluster) as token:
        assert who(cluster, token)["username"] == "system:serviceaccount:default:robot"
    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        assert who(cluster, token)["username"] == "system:serviceaccount:default:robot"
    with Cluster.in_thread(controllers="none") as other, account(other):
        assert who(other, token) == 401


def test_the_issuer_of_service_accounts(tmp_path: Path) -> None:
    with (
        Cluster.in_thread(
            controllers="none", data_dir=tmp_path, service_account_issuer="https://me.example"
        ) as cluster,
        account(cluster) as token,
        Connection(cluster) as connection,
    ):
        answer = connection.request("GET", "/.well-known/openid-configuration")
        assert answer is not None
        assert answer.json()["issuer"] == "https://me.example"
        assert who(cluster, token)["username"] == "system:serviceaccount:default:robot"
    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        assert who(cluster, token) == 401


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"static_tokens": "none.csv"}, "the token file none.csv cannot be read"),
        ({"authentication_config": "none.yaml"}, "the authentication configuration none.yaml cannot be read"),
        ({"authentication_config": {}}, "the authentication configuration is invalid"),
        ({"client_ca": "none.pem"}, "the client CA none.pem cannot be read"),
        ({"client_ca": __file__}, "the client CA has no certificate in PEM"),
        (
            {
                "authentication_config": {
                    "apiVersion": "apiserver.config.k8s.io/v1",
                    "kind": "AuthenticationConfiguration",
                    "anonymous": {"enabled": True},
                },
                "anonymous": False,
            },
            "says who may be anonymous; leave the option out",
        ),
    ],
    ids=str,
)
def test_options_that_are_no_good(options: dict[str, Any], why: str) -> None:
    with pytest.raises(KubewrightError) as caught:
        start(**options)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_credential_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "tokens.csv"
    file.write_text("t0ken-0f-jane,jane,u-1\n")
    with Cluster.in_thread(controllers="none", static_tokens=file) as cluster, account(cluster) as token:
        shown = ["t0ken-0f-jane", "wr0ng-0ne", token, f"{token}x", cluster.token]
        for each in shown:
            who(cluster, each)
    said = caplog.text + " ".join(map(str, (vars(record) for record in caplog.records)))
    assert not [each for each in shown if each in said]
