"""The keys, certificates and files with which a kube-apiserver and its clients know each other."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["Credentials", "write_credentials", "write_kubeconfig"]

# Longer than any test run, shorter than any certificate that somebody could come to rely on.
_LIFETIME = dt.timedelta(days=7)


@dataclass(frozen=True)
class Credentials:
    """Paths of PEM files, and the token of the same administrator."""

    ca_file: Path
    server_cert: Path
    server_key: Path
    client_cert: Path
    client_key: Path
    service_account_key: Path
    tokens: Path
    token: str


def write_credentials(directory: Path, *, token: str) -> Credentials:
    """A new CA, a server certificate for loopback, and an administrator's client certificate and token."""
    made = Credentials(
        ca_file=directory / "ca.crt",
        server_cert=directory / "server.crt",
        server_key=directory / "server.key",
        client_cert=directory / "admin.crt",
        client_key=directory / "admin.key",
        service_account_key=directory / "service-account.key",
        tokens=directory / "tokens.csv",
        token=token,
    )
    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca = _ca_certificate(ca_key)
    server_key = ec.generate_private_key(ec.SECP256R1())
    client_key = ec.generate_private_key(ec.SECP256R1())
    _write(made.ca_file, _pem(ca))
    # kube-apiserver does not need it; tests issue further certificates with it.
    _write(directory / "ca.key", _key_pem(ca_key))
    _write(made.server_cert, _pem(_server_certificate(server_key, ca, ca_key)))
    _write(made.server_key, _key_pem(server_key))
    _write(made.client_cert, _pem(_client_certificate(client_key, ca, ca_key)))
    _write(made.client_key, _key_pem(client_key))
    _write(made.service_account_key, _key_pem(rsa.generate_private_key(public_exponent=65537, key_size=2048)))
    _write(made.tokens, f"{token},admin,admin-uid,system:masters\n".encode())
    return made


def write_kubeconfig(path: Path, *, url: str, ca_file: Path, token: str) -> None:
    """A kubeconfig for kubectl; JSON, which is YAML, too."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "real", "cluster": {"server": url, "certificate-authority": str(ca_file)}}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "real", "context": {"cluster": "real", "user": "admin"}}],
        "current-context": "real",
    }
    _write(path, json.dumps(config, indent=2).encode())


def _ca_certificate(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = _name("kubewright-test-ca")
    builder = _builder(name, name, key.public_key(), x509.BasicConstraints(ca=True, path_length=None))
    return builder.sign(key, hashes.SHA256())


def _server_certificate(
    key: ec.EllipticCurvePrivateKey, ca: x509.Certificate, ca_key: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    names = x509.SubjectAlternativeName(
        [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    )
    builder = _builder(_name("kube-apiserver"), ca.subject, key.public_key(), names)
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    return _signed(builder.add_extension(usage, critical=False), ca, ca_key)


def _client_certificate(
    key: ec.EllipticCurvePrivateKey, ca: x509.Certificate, ca_key: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
    builder = _builder(_name("admin", "system:masters"), ca.subject, key.public_key(), usage)
    return _signed(builder, ca, ca_key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, extension: x509.ExtensionType
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + _LIFETIME)
        .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _signed(
    builder: x509.CertificateBuilder, ca: x509.Certificate, ca_key: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    return builder.add_extension(issuer, critical=False).sign(ca_key, hashes.SHA256())


def _name(common_name: str, organization: str | None = None) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization:
        parts.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(parts)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)
