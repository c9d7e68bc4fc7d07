"""What a webhook server shows to those who call it: a certificate of its own making, or one from files."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kubewright.machinery.errors import KubewrightError

__all__ = [
    "CertificateError",
    "ServingCertificate",
    "make_certificate",
    "read_certificate",
    "replace_certificate",
    "server_context",
]

_LIFETIME: Final = timedelta(days=365)
"""Longer than a process runs that makes a certificate for itself alone."""


class CertificateError(KubewrightError):
    """A certificate that cannot be made of these names, or of these files; no message has a key in it."""


@dataclass(frozen=True)
class ServingCertificate:
    """A certificate with its key, and the authority that callers trust for it, all in PEM."""

    certificate: bytes
    """With the certificates between it and the authority, if there are any."""
    key: bytes = field(repr=False)
    authority: bytes = b""
    """Empty when callers know it without being told."""


def make_certificate(names: Sequence[str], *, now: datetime | None = None) -> ServingCertificate:
    """A certificate for a server that is reached under these names and addresses, by an authority of its own.

    The authority signs this one only: its key is not kept. Raises CertificateError for a name that is none.
    """
    from kubewright.webhooks.authorities import issue, make_authority  # noqa: PLC0415 - for some only

    begin = now or datetime.now(UTC)
    authority = make_authority(now=begin, lifetime=_LIFETIME)
    return issue(authority, names, now=begin, lifetime=_LIFETIME)


def read_certificate(certificate: Path, key: Path, authority: Path | None = None) -> ServingCertificate:
    """A certificate from files, as a Secret of type kubernetes.io/tls is mounted. Raises CertificateError."""
    return ServingCertificate(_read(certificate), _read(key), _read(authority) if authority else b"")


def server_context(certificate: ServingCertificate) -> ssl.SSLContext:
    """TLS with a certificate. Raises CertificateError when the certificate and the key do not fit."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    _load(context, certificate)
    return context


def replace_certificate(context: ssl.SSLContext, certificate: ServingCertificate) -> None:
    """Show another certificate to those who connect from now on; connections that are there go on.

    It is to be called by the thread that takes connections, because a context is of no use while its
    certificate is replaced. Raises CertificateError for one that cannot be used, and then nothing changes.
    """
    server_context(certificate)
    _load(context, certificate)


def _load(context: ssl.SSLContext, certificate: ServingCertificate) -> None:
    with TemporaryDirectory(prefix="kubewright-webhooks-") as folder:
        # Only from a file can Python load it. The folder is its owner's alone, and so is the file.
        chain = Path(folder, "tls.pem")
        chain.touch(mode=0o600)
        chain.write_bytes(certificate.certificate + b"\n" + certificate.key)
        try:
            context.load_cert_chain(chain, password=_no_password)
        except (ssl.SSLError, ValueError) as error:
            raise CertificateError(
                f"the certificate and its key cannot be used ({_reason(error)}); "
                "give a certificate and the key that belongs to it, in PEM and not encrypted"
            ) from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CertificateError(f"{path} cannot be read: {error.strerror}") from None


def _no_password() -> bytes:
    """Asked for when a key is encrypted: without it OpenSSL would ask at the terminal."""
    raise ValueError("the key is encrypted")


def _reason(error: Exception) -> str:
    return (error.reason if isinstance(error, ssl.SSLError) else str(error)) or "no certificate in PEM"
