"""What Go says of a certificate and a key that do not belong together: a warning about TLS secrets."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Final, NamedTuple

__all__ = ["key_pair_error"]

_BEGIN: Final = re.compile(rb"^-----BEGIN ([^\n]*?)-----[ \t\r]*\n", re.MULTILINE)
_HEADERS: Final = re.compile(rb"(?:[^\n:]*:[^\n]*\n)*")


class _Block(NamedTuple):
    kind: str
    der: bytes


def key_pair_error(certificate: bytes, key: bytes) -> str:
    """Why a PEM certificate and a PEM key are no pair, as Go's tls.X509KeyPair says it; "" if they are one.

    Where a certificate cannot be parsed, the words after "x509: " are not Go's.
    """
    certificates, skipped = [], []
    for block in _blocks(certificate):
        if block.kind == "CERTIFICATE":
            certificates.append(block.der)
        else:
            skipped.append(block.kind)
    if not certificates:
        return _no_certificate(skipped)
    skipped = []
    for block in _blocks(key):
        if block.kind == "PRIVATE KEY" or block.kind.endswith(" PRIVATE KEY"):
            return _mismatch(certificates[0], block.der)
        skipped.append(block.kind)
    return _no_key(skipped)


def _blocks(text: bytes) -> list[_Block]:
    blocks: list[_Block] = []
    start, end = 0, -1
    while True:
        begin = _BEGIN.search(text, start)
        if begin is None:
            return blocks
        headers = _HEADERS.match(text, begin.end())
        start = headers.end() if headers is not None else begin.end()
        if end < start - 1:
            # Looked for once for all blocks before it, so that hostile texts cannot make this slow.
            end = text.find(b"\n-----END ", start - 1)
            if end < 0:
                return blocks
        kind = begin.group(1)
        if not text.startswith(kind + b"-----", end + len(b"\n-----END ")):
            continue
        try:
            der = b64decode(text[start:end].translate(None, b" \t\r\n"), validate=True)
        except ValueError:
            continue
        blocks.append(_Block(kind.decode(errors="replace"), der))
        start = end + 1


def _no_certificate(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in certificate input"
    if len(skipped) == 1 and skipped[0].endswith("PRIVATE KEY"):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched"
        )
    return (
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the '
        f"following types: [{' '.join(skipped)}]"
    )


def _no_key(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in key input"
    if skipped == ["CERTIFICATE"]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    return (
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM '
        f"blocks of the following types: [{' '.join(skipped)}]"
    )


def _mismatch(certificate: bytes, key: bytes) -> str:
    from cryptography import x509  # noqa: PLC0415 - heavy, and only TLS secrets come here
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_der_private_key  # noqa: PLC0415

    try:
        public = x509.load_der_x509_certificate(certificate).public_key()
    except (ValueError, UnsupportedAlgorithm):
        return "x509: malformed certificate"
    try:
        private = load_der_private_key(key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "tls: failed to parse private key"
    for public_kind, private_kind in (
        (rsa.RSAPublicKey, rsa.RSAPrivateKey),
        (ec.EllipticCurvePublicKey, ec.EllipticCurvePrivateKey),
        (ed25519.Ed25519PublicKey, ed25519.Ed25519PrivateKey),
    ):
        if isinstance(public, public_kind):
            if not isinstance(private, private_kind):
                return "tls: private key type does not match public key type"
            return "" if private.public_key() == public else "tls: private key does not match public key"
    return "tls: unknown public key algorithm"
