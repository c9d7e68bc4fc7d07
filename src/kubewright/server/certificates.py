"""The certificates of a server of one's own: an authority, the server's, and the administrator's."""

from __future__ import annotations

import ipaddress
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["ADMIN_GROUP", "ADMIN_NAME", "Credentials", "KeyPair", "make_credentials", "write_private"]

ADMIN_NAME: Final = "admin"
"""The common name of the administrator's certificate."""

ADMIN_GROUP: Final = "system:masters"
"""The group that may do everything."""

_LIFETIME: Final = timedelta(days=3650)
"""Ten years: a data dir shall open as long as anybody keeps it; what a process makes is gone with it."""

_SKEW: Final = timedelta(minutes=5)
"""How far clocks may differ."""


class KeyPair(NamedTuple):
    """A certificate and its key, in PEM."""

    certificate: bytes
    key: bytes


class Credentials(NamedTuple):
    """All that a server and its administrator need to know each other."""

    authority: bytes
    """The certificate that clients trust, in PEM."""
    server: KeyPair
    admin: KeyPair
    token: str
    """The administrator's bearer token."""


def make_credentials(hosts: Sequence[str], *, now: datetime | None = None) -> Credentials:
    """New credentials for a server that is reached under these names and addresses."""
    begin = (now or datetime.now(UTC)) - _SKEW
    authority_key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubewright")])
    authority = (
        _builder(name, name, authority_key, begin)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    return Credentials(
        _pem(authority),
        _issue(authority, authority_key, begin, "kube-apiserver", "", hosts),
        _issue(authority, authority_key, begin, ADMIN_NAME, ADMIN_GROUP, ()),
        secrets.token_urlsafe(32),
    )


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _issue(
    authority: x509.Certificate,
    authority_key: ec.EllipticCurvePrivateKey,
    begin: datetime,
    name: str,
    group: str,
    hosts: Sequence[str],
) -> KeyPair:
    key = ec.generate_private_key(ec.SECP256R1())
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group)] if group else []
    subject = x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, name)])
    purpose = ExtendedKeyUsageOID.SERVER_AUTH if hosts else ExtendedKeyUsageOID.CLIENT_AUTH
    builder = (
        _builder(subject, authority.subject, key, begin)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
        )
    )
    if hosts:
        builder = builder.add_extension(x509.SubjectAlternativeName(map(_host, hosts)), critical=False)
    certificate = builder.sign(authority_key, hashes.SHA256())
    return KeyPair(_pem(certificate), _key_pem(key))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begin: datetime
) -> x509.CertificateBuilder:
    public = key.public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + _LIFETIME)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
