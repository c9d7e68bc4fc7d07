"""What TLS connections accept: real handshakes over sockets, with the verdicts of Go."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest

from kubewright.config.verification import load_authorities, make_client_context
from kubewright.server.certificates import make_credentials
from kubewright.server.listener import ssl_context
from tests.cases import check_each
from tests.config.certificate_chains import CASES, CLIENT_CASES, DIFFERENCES, HOST, Case, issue
from tests.conftest import Oracle

TIMEOUT = 30.0
"""Seconds that a handshake on a busy machine may take."""


def server_context(folder: Path, pem: bytes, key: bytes) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    file = folder / "server.pem"
    file.write_bytes(pem + key)
    context.load_cert_chain(file)
    return context


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> ssl.SSLError | None:
    """What went wrong for the first side that refused the other, if any did."""
    failures: list[ssl.SSLError] = []

    def connect(context: ssl.SSLContext, sock: socket.socket, **options: object) -> None:
        try:
            with context.wrap_socket(sock, **options) as wrapped:  # type: ignore[call-overload]
                # With TLS 1.3 a client is done before the server has seen its certificate.
                wrapped.send(b"x")
                wrapped.recv(1)
        except ssl.SSLCertVerificationError as error:
            failures.append(error)
        except OSError:
            # The other side has refused.
            pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(TIMEOUT)
        sock = socket.create_connection(listening.getsockname(), timeout=TIMEOUT)
        peer, _ = listening.accept()
        peer.settimeout(TIMEOUT)
        thread = threading.Thread(target=connect, args=(server, peer), kwargs={"server_side": True})
        thread.start()
        connect(client, sock, server_hostname=host)
        thread.join()
    return failures[0] if failures else None


def refusal(folder: Path, case: Case) -> ssl.SSLError | None:
    chain = case.make()
    server = server_context(folder, chain.pem, chain.sent[0].key_pem)
    return handshake(server, make_client_context(chain.bundle), case.host)


def test_servers_are_judged_as_go_judges_them(tmp_path: Path) -> None:
    def check(case: Case) -> None:
        error = refusal(tmp_path, case)
        assert (error is None) == case.is_accepted, error

    check_each(CASES, check)


def test_differences(tmp_path: Path) -> None:
    """When one of them is gone, docs/server-differences.md need not have it."""

    def check(case: Case) -> None:
        assert (refusal(tmp_path, case) is None) != case.is_accepted

    check_each(DIFFERENCES, check)


def test_clients_are_judged_as_go_judges_them(tmp_path: Path) -> None:
    """By the context of the API server, whose own certificates are of another authority."""
    credentials = make_credentials(["localhost"])

    def check(case: Case) -> None:
        chain = case.make()
        server = ssl_context(credentials, chain.bundle.decode())
        client = make_client_context(credentials.authority)
        file = tmp_path / "client.pem"
        file.write_bytes(chain.pem + chain.sent[0].key_pem)
        client.load_cert_chain(file)
        error = handshake(server, client, "localhost")
        assert (error is None) == case.is_accepted, error

    check_each(CLIENT_CASES, check)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("cases", "usage"), [(CASES, "server"), (DIFFERENCES, "server"), (CLIENT_CASES, "client")]
)
def test_verdicts_are_those_of_go(oracle: Oracle, cases: Mapping[str, Case], usage: str) -> None:
    def check(case: Case) -> None:
        chain = case.make()
        request = {"chain": chain.pem.decode(), "bundle": chain.bundle.decode(), "usage": usage}
        if usage == "server":
            request["host"] = case.host
        assert oracle.ask("certificates.verify", request) == case.is_accepted

    check_each(cases, check)


@pytest.mark.parametrize(
    "bundle", [b"", b"nothing", b"-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n"]
)
def test_bundles_without_a_certificate(bundle: bytes) -> None:
    with pytest.raises((ssl.SSLError, ValueError)):
        make_client_context(bundle)


def test_servers_read_whole_bundles() -> None:
    """A server does not start with a bundle of which it can read a part; the comments do not matter."""
    for name, is_read in {
        "bundle with a certificate that cannot be read": False,
        "bundle with comments in any language": True,
    }.items():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with nullcontext() if is_read else pytest.raises(ssl.SSLError):
            load_authorities(context, CASES[name].make().bundle)


def test_insecure_contexts_accept_anything(tmp_path: Path) -> None:
    leaf = issue("leaf", days=(-2, -1))
    server = server_context(tmp_path, leaf.pem, leaf.key_pem)
    assert handshake(server, make_client_context(None, insecure=True), HOST) is None


def test_flags_are_the_same_with_every_python() -> None:
    context = make_client_context(None)
    assert context.verify_flags & ssl.VERIFY_X509_PARTIAL_CHAIN
    assert not context.verify_flags & ssl.VERIFY_X509_STRICT
    assert not context.hostname_checks_common_name
    assert (context.check_hostname, context.verify_mode) == (True, ssl.CERT_REQUIRED)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
