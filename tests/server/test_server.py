"""The server as a whole: who may talk to it, and what it keeps from one start to the next."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kubewright.machinery.errors import KubewrightError
from kubewright.server.server import APIServer
from kubewright.testing import Cluster
from tests.server.raw_http import Connection, ask, failure

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
EVERYWHERE = [
    "/",
    "/version",
    "/healthz",
    "/readyz",
    "/api",
    "/apis",
    "/openapi/v2",
    "/openapi/v3",
    "/nope",
    "/api/v1/pods",
    "/api/v1/../..",
    CONFIG_MAPS,
    f"{CONFIG_MAPS}?watch=1",
    "/api/v1/namespaces/default/secrets/x",
]


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """A server that others want to get into, and that serves nobody whom it does not know."""
    with Cluster.in_thread(controllers="none", anonymous=False) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def other() -> Iterator[Cluster]:
    """A server that they can get into."""
    with Cluster.in_thread(controllers="none") as cluster:
        yield cluster


class TestWhoMayNot:
    @pytest.mark.parametrize("path", EVERYWHERE)
    def test_nobody(self, server: Cluster, path: str) -> None:
        with Connection(server) as connection:
            for method in ("GET", "POST", "DELETE"):
                answer = connection.request(method, path, b"", {"Authorization": ""})
                assert failure(answer, 401) == "Unauthorized"

    def test_wrong_tokens(self, server: Cluster, other: Cluster) -> None:
        token = server.token
        wrong = [
            "x",
            other.token,
            token[:-1],
            token[1:],
            token + "x",
            token.swapcase(),
            token[::-1],
            "%",
            "\\u00ff",
        ]
        wrong += ["", " ", "null", "undefined", "Bearer", f" {token}", f'"{token}"', "a" * 60_000]
        with Connection(server) as connection:
            for each in wrong:
                answer = connection.request("GET", "/version", headers={"Authorization": f"Bearer {each}"})
                assert failure(answer, 401) == "Unauthorized", each[:50]

    @pytest.mark.parametrize("scheme", ["Basic", "Token", "Negotiate", "", "BearerBearer", "Bearer:"])
    def test_wrong_schemes(self, server: Cluster, scheme: str) -> None:
        headers = {"Authorization": f"{scheme} {server.token}".strip()}
        assert failure(ask(server, "GET", "/version", headers=headers), 401) == "Unauthorized"

    def test_a_body_is_not_read_first(self, server: Cluster) -> None:
        with Connection(server) as connection:
            headers = {"Authorization": "Bearer x", "Content-Length": str(10**15)}
            connection.send(connection.head("POST", CONFIG_MAPS, headers))
            failure(connection.receive(), 401)

    def test_certificates_of_others(self, server: Cluster, other: Cluster, tmp_path: Path) -> None:
        """The real server lets TLS through and answers 401; Python's TLS can only refuse it itself."""
        forged = forge(tmp_path, "kubernetes-admin", "system:masters")
        foreign = (other.client_cert_file, other.client_key_file)
        for certificate, key in (forged, foreign):
            context = ssl.create_default_context(cafile=server.ca_file)
            context.load_cert_chain(certificate, key)
            try:
                with Connection(server, context=context) as connection:
                    answer = connection.request("GET", CONFIG_MAPS, headers={"Authorization": ""})
            except (ssl.SSLError, ConnectionError):
                continue
            assert answer is None or answer.status == 401

    def test_the_servers_own_certificate_is_no_clients(self, server: Cluster) -> None:
        pki = Path(server.ca_file).parent
        context = ssl.create_default_context(cafile=server.ca_file)
        context.load_cert_chain(pki / "apiserver.crt", pki / "apiserver.key")
        try:
            with Connection(server, context=context) as connection:
                answer = connection.request("GET", CONFIG_MAPS, headers={"Authorization": ""})
        except (ssl.SSLError, ConnectionError):
            return
        assert answer is None or answer.status == 401


class TestWhoMay:
    def test_by_certificate(self, server: Cluster) -> None:
        context = ssl.create_default_context(cafile=server.ca_file)
        context.load_cert_chain(server.client_cert_file, server.client_key_file)
        with Connection(server, context=context) as connection:
            answer = connection.request("GET", CONFIG_MAPS, headers={"Authorization": ""})
            assert answer is not None
            assert answer.status == 200
            # The certificate is asked first, as upstream does it.
            answer = connection.request("GET", CONFIG_MAPS, headers={"Authorization": "Bearer x"})
            assert answer is not None
            assert answer.status == 200

    @pytest.mark.parametrize("form", ["Bearer {}", "bearer {}", "  BEARER {}  ", "Bearer {} and more"])
    def test_by_token(self, server: Cluster, form: str) -> None:
        answer = ask(server, "GET", "/version", headers={"Authorization": form.format(server.token)})
        assert answer is not None
        assert answer.status == 200


def forge(folder: Path, name: str, group: str) -> tuple[str, str]:
    """A certificate that says the same as the administrator's, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, group),
            x509.NameAttribute(NameOID.COMMON_NAME, name),
        ]
    )
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "forged.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "forged.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return str(folder / "forged.crt"), str(folder / "forged.key")


class TestDataDir:
    def test_a_restart_keeps_everything(self, tmp_path: Path) -> None:
        with (
            Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster,
            Connection(cluster) as connection,
        ):
            for number in range(5):
                body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{number}"}}
                created = connection.request("POST", CONFIG_MAPS, json.dumps(body).encode())
                assert created is not None
                assert created.status == 201
            connection.request("DELETE", f"{CONFIG_MAPS}/c0")
            page = connection.request("GET", f"{CONFIG_MAPS}?limit=2")
            everything = connection.request("GET", CONFIG_MAPS)
            namespaces = connection.request("GET", "/api/v1/namespaces")
            assert page is not None
            assert everything is not None
            assert namespaces is not None
            token, authority = cluster.token, Path(cluster.ca_file).read_bytes()
        with (
            Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster,
            Connection(cluster) as connection,
        ):
            assert (cluster.token, Path(cluster.ca_file).read_bytes()) == (token, authority)
            again = connection.request("GET", CONFIG_MAPS)
            assert again is not None
            assert again.json()["items"] == everything.json()["items"]
            assert len(again.json()["items"]) == 4
            same = connection.request("GET", "/api/v1/namespaces")
            assert same is not None
            assert same.json()["items"] == namespaces.json()["items"]
            following = page.json()["metadata"]["continue"]
            rest = connection.request("GET", f"{CONFIG_MAPS}?limit=2&continue={following}")
            assert rest is not None
            assert rest.status == 200
            names = [item["metadata"]["name"] for item in (*page.json()["items"], *rest.json()["items"])]
            assert names == ["c1", "c2", "c3", "c4"]
            revision = everything.json()["metadata"]["resourceVersion"]
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "later"}}
            later = connection.request("POST", CONFIG_MAPS, json.dumps(body).encode())
            assert later is not None
            assert int(later.json()["metadata"]["resourceVersion"]) > int(revision)
            watch = f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion={revision}"
            events = connection.request("GET", watch)
            assert events is not None
            shown = [json.loads(line) for line in events.body.splitlines()]
            assert [(each["type"], each["object"]["metadata"]["name"]) for each in shown] == [
                ("ADDED", "later")
            ]

    def test_two_servers_in_one_process_do_not_share_it(self, tmp_path: Path) -> None:
        with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
            with (
                pytest.raises(KubewrightError, match="in use"),
                Cluster.in_thread(controllers="none", data_dir=tmp_path),
            ):
                pass
            answer = ask(cluster, "GET", "/readyz")
            assert answer is not None
            assert answer.status == 200

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            *product(
                ("ca.crt", "ca.key", "sa.key", "apiserver.crt", "apiserver.key", "admin.crt", "admin.key"),
                (b"", b"garbage"),
            ),
            ("token", b""),
            ("token", b" \n"),
        ],
    )
    def test_damaged_credentials(self, tmp_path: Path, name: str, content: bytes) -> None:
        """Either it says so, or it makes new ones; it does not run with what nobody can use."""

        async def start() -> None:
            async with APIServer(data_dir=tmp_path):
                pass

        asyncio.run(start())
        (tmp_path / "pki" / name).write_bytes(content)
        try:
            with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
                assert cluster.token
                context = ssl.create_default_context(cafile=cluster.ca_file)
                context.load_cert_chain(cluster.client_cert_file, cluster.client_key_file)
                with Connection(cluster, context=context) as connection:
                    answer = connection.request("GET", "/readyz", headers={"Authorization": ""})
                    assert answer is not None
                    assert answer.status == 200
        except KubewrightError as error:
            assert str(tmp_path) in str(error)  # noqa: PT017 - it may also go well
