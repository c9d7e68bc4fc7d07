"""The certificates that a server makes for itself and its administrator."""

from __future__ import annotations

import ipaddress
import resource
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kubewright.server.certificates import Credentials, make_credentials, write_private

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def credentials() -> Credentials:
    return make_credentials(["localhost", "127.0.0.1", "::1"], now=NOW)


def certificate(data: bytes) -> x509.Certificate:
    return x509.load_pem_x509_certificate(data)


def names(subject: x509.Name, kind: x509.ObjectIdentifier) -> list[str | bytes]:
    return [each.value for each in subject.get_attributes_for_oid(kind)]


def test_the_authority_signs_both_and_nothing_below_them(credentials: Credentials) -> None:
    authority = certificate(credentials.authority)
    constraints = authority.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert (constraints.value.ca, constraints.value.path_length) == (True, 0)
    for pair in (credentials.server, credentials.admin):
        signed = certificate(pair.certificate)
        signed.verify_directly_issued_by(authority)
        assert not signed.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_keys_belong_to_their_certificates(credentials: Credentials) -> None:
    for pair in (credentials.server, credentials.admin):
        key = serialization.load_pem_private_key(pair.key, None)
        assert key.public_key() == certificate(pair.certificate).public_key()


def test_the_server_is_who_it_is_reached_as(credentials: Credentials) -> None:
    extensions = certificate(credentials.server.certificate).extensions
    hosts = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert hosts.get_values_for_type(x509.DNSName) == ["localhost"]
    addresses = [ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")]
    assert hosts.get_values_for_type(x509.IPAddress) == addresses
    usage = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]


def test_the_administrator_may_do_everything_and_serve_nothing(credentials: Credentials) -> None:
    admin = certificate(credentials.admin.certificate)
    assert names(admin.subject, NameOID.COMMON_NAME) == ["admin"]
    assert names(admin.subject, NameOID.ORGANIZATION_NAME) == ["system:masters"]
    usage = admin.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_clocks_may_differ_a_little(credentials: Credentials) -> None:
    for data in (credentials.authority, credentials.server.certificate, credentials.admin.certificate):
        made = certificate(data)
        assert made.not_valid_before_utc == NOW - timedelta(minutes=5)
        assert made.not_valid_after_utc > NOW + timedelta(days=3640)


def test_no_two_are_alike(credentials: Credentials) -> None:
    other = make_credentials(["localhost"])
    assert other.token != credentials.token
    assert len(other.token) >= 32
    assert other.authority != credentials.authority
    serials = {
        certificate(pair.certificate).serial_number for pair in (credentials.server, credentials.admin)
    }
    assert len(serials) == 2


def test_private_files_are_their_owners(tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_private(path, b"one")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"one", 0o600)
    path.chmod(0o644)
    write_private(path, b"two")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two", 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    taken = tmp_path / "key"
    taken.mkdir()
    with pytest.raises(OSError, match="key"):
        write_private(taken, b"x")
    assert list(tmp_path.iterdir()) == [taken]


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))  # as a full disk: writes take no more
    try:
        with pytest.raises(OSError, match="too large") as raised:
            write_private(tmp_path / "key", b"x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert raised.value.filename == str(tmp_path / "key")
    assert list(tmp_path.iterdir()) == []
