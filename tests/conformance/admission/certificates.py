"""Certificates of webhooks for tests: of any names, at any time."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["certificates"]


def certificates(names: Sequence[str], begin: datetime, end: datetime) -> tuple[bytes, bytes]:
    """An authority's certificate, and one of it for some hosts with its key, in PEM; both for a time."""
    key, authority_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())

    def builder(subject: str, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")]))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
        )

    authority = builder("authority", authority_key.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    known = x509.SubjectAlternativeName([_general_name(each) for each in names])
    leaf = builder("webhook", key.public_key()).add_extension(known, critical=False)
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return (
        authority.sign(authority_key, hashes.SHA256()).public_bytes(pem),
        leaf.sign(authority_key, hashes.SHA256()).public_bytes(pem) + private,
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
