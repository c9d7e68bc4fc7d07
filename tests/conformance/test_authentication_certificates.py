"""Callers by client certificates."""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from kubewright.server.credentials import load_credentials
from tests.conformance.callers import Pair, certificate, send, who
from tests.conformance.client import ServerUnderTest


def outcome(server: ServerUnderTest, pair: Pair) -> str:
    """How somebody with a certificate fares: 401, or refused by TLS, which is all that Python's can do."""
    try:
        status = send(server, [], pair=pair).status
    except (ssl.SSLError, ConnectionError):
        return "refused"
    return "refused" if status == 401 else str(status)


def test_name_and_groups(server: ServerUnderTest, tmp_path: Path) -> None:
    pair = certificate(server, tmp_path, "jane", ["blue", "green", "blue"])
    der = ssl.PEM_cert_to_DER_cert(Path(pair[0]).read_text())
    assert who(server, pair=pair) == {
        "username": "jane",
        "groups": ["blue", "green", "blue", "system:authenticated"],
        "extra": {
            "authentication.kubernetes.io/credential-id": [f"X509SHA256={hashlib.sha256(der).hexdigest()}"]
        },
    }


def test_names_in_any_script(server: ServerUnderTest, tmp_path: Path) -> None:
    user = who(server, pair=certificate(server, tmp_path, "Žofie <z@example.com>", ["größer, &c."]))
    assert (user["username"], user["groups"][0]) == ("Žofie <z@example.com>", "größer, &c.")


def test_a_uid(server: ServerUnderTest, tmp_path: Path) -> None:
    assert who(server, pair=certificate(server, tmp_path, "jane", uids=["u-1"]))["uid"] == "u-1"


def test_several_uids_are_refused(server: ServerUnderTest, tmp_path: Path) -> None:
    assert who(server, pair=certificate(server, tmp_path, "jane", uids=["u-1", "u-2"])) == 401


def test_groups_that_say_how_somebody_was_recognised(server: ServerUnderTest, tmp_path: Path) -> None:
    user = who(server, pair=certificate(server, tmp_path, "jane", ["system:authenticated", "x"]))
    assert user["groups"] == ["system:authenticated", "x"]


def test_without_a_name_it_is_nobodys(server: ServerUnderTest, tmp_path: Path) -> None:
    pair = certificate(server, tmp_path, "", ["system:masters"])
    assert send(server, [], pair=pair).status == 403
    assert who(server, server.token, pair=pair)["groups"][0] == "system:masters"


def test_any_purpose(server: ServerUnderTest, tmp_path: Path) -> None:
    assert who(server, pair=certificate(server, tmp_path, "jane", usage=None))["username"] == "jane"


@pytest.mark.parametrize("what", ["expired", "not yet", "of a server", "of another authority"])
def test_those_that_are_no_good(server: ServerUnderTest, tmp_path: Path, what: str) -> None:
    groups = ["system:masters"]
    if what == "expired":
        pair = certificate(server, tmp_path, "jane", groups, begins=-7200, lasts=3600)
    elif what == "not yet":
        pair = certificate(server, tmp_path, "jane", groups, begins=3600)
    elif what == "of a server":
        pair = certificate(server, tmp_path, "jane", groups, usage=ExtendedKeyUsageOID.SERVER_AUTH)
    else:
        load_credentials(tmp_path / "other", ["localhost"])
        pair = certificate(server, tmp_path, "jane", groups, authority=tmp_path / "other")
    assert outcome(server, pair) == "refused"
