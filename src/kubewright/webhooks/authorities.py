"""Authorities that sign the certificates of webhook servers, and reading what was signed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from kubewright.webhooks.certificates import CertificateError, ServingCertificate

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

__all__ = ["Authority", "end_of", "is_issued_by", "issue", "make_authority", "names_in"]

_SKEW: Final = timedelta(hours=1)
"""How far the clock of an API server may be behind."""


@dataclass(frozen=True)
class Authority:
    """A certificate that signs others, and its key, both in PEM."""

    certificate: bytes
    key: bytes = field(repr=False)


def make_authority(*, now: datetime, lifetime: timedelta) -> Authority:
    """A new authority, which signs servers only."""
    from cryptography import x509  # noqa: PLC0415 - loaded by those who have no certificate of their own
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    extensions = [
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (_usage(key_cert_sign=True, crl_sign=True), True),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
    ]
    # A name of its own, so that two authorities of one bundle are not taken for each other.
    subject = f"kubewright webhooks {secrets.token_hex(4)}"
    certificate = _signed(subject, key, None, key, (now - _SKEW, now + lifetime), extensions)
    return Authority(certificate, _private(key))


def issue(
    authority: Authority, names: Sequence[str], *, now: datetime, lifetime: timedelta
) -> ServingCertificate:
    """A certificate for a server that is reached under these names and addresses; it ends with its authority.

    Raises CertificateError for a name that is none, and for an authority that cannot be read.
    """
    from cryptography import x509  # noqa: PLC0415 - see make_authority
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID  # noqa: PLC0415

    by = _read(authority.certificate)
    try:
        signer = serialization.load_pem_private_key(authority.key, password=None)
    except (ValueError, TypeError):
        signer = None
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise CertificateError("the key of the authority is no EC key in PEM")
    key = ec.generate_private_key(ec.SECP256R1())
    identifier = by.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    extensions = [
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (_usage(digital_signature=True), True),
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
        (x509.SubjectAlternativeName([_general_name(name) for name in names]), False),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
        (x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), False),
    ]
    valid = (now - _SKEW, min(now + lifetime, by.not_valid_after_utc))
    made = _signed("kubewright webhook", key, by.subject, signer, valid, extensions)
    return ServingCertificate(made, _private(key), authority.certificate)


def end_of(certificate: bytes) -> datetime:
    """When a certificate in PEM ends. Raises CertificateError."""
    return _read(certificate).not_valid_after_utc


def names_in(certificate: bytes) -> frozenset[str]:
    """The names and addresses that a certificate is for. Raises CertificateError."""
    from cryptography import x509  # noqa: PLC0415 - see make_authority

    try:
        found = _read(certificate).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return frozenset()
    addresses = map(str, found.get_values_for_type(x509.IPAddress))
    return frozenset((*found.get_values_for_type(x509.DNSName), *addresses))


def is_issued_by(certificate: bytes, authority: bytes) -> bool:
    """Whether an authority signed a certificate, both in PEM. Raises CertificateError."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - see make_authority

    try:
        _read(certificate).verify_directly_issued_by(_read(authority))
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def _read(certificate: bytes) -> x509.Certificate:
    from cryptography import x509  # noqa: PLC0415 - see make_authority

    try:
        return x509.load_pem_x509_certificate(certificate)
    except ValueError:
        raise CertificateError("what should be a certificate is none in PEM") from None


def _private(key: EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - see make_authority

    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _usage(**allowed: bool) -> x509.KeyUsage:
    from cryptography import x509  # noqa: PLC0415 - see make_authority

    usages = (
        "digital_signature content_commitment key_encipherment data_encipherment key_agreement "
        "key_cert_sign crl_sign encipher_only decipher_only"
    )
    return x509.KeyUsage(**{**dict.fromkeys(usages.split(), False), **allowed})


def _general_name(name: str) -> x509.GeneralName:
    from ipaddress import ip_address  # noqa: PLC0415 - see make_authority

    from cryptography import x509  # noqa: PLC0415 - see make_authority

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        pass
    if not name or not all(part.replace("-", "a").isalnum() for part in name.removeprefix("*.").split(".")):
        raise CertificateError(f"{name!r} is no host name and no address; write app.default.svc or 10.0.0.1")
    try:
        return x509.DNSName(name)
    except ValueError:
        raise CertificateError(f"{name!r} is not in ASCII; write the name as DNS has it, xn--...") from None


def _signed(
    subject: str,
    key: EllipticCurvePrivateKey,
    issuer: x509.Name | None,
    signer: EllipticCurvePrivateKey,
    valid: tuple[datetime, datetime],
    extensions: Sequence[tuple[Any, bool]],
) -> bytes:
    """A certificate in PEM, by the authority whose key signs."""
    from cryptography import x509  # noqa: PLC0415 - see make_authority
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415

    named = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject)])
    builder = x509.CertificateBuilder(
        issuer_name=issuer or named,
        subject_name=named,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=valid[0],
        not_valid_after=valid[1],
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
