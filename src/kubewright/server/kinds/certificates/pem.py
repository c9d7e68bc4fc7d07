"""PEM blocks as Go's encoding/pem finds them, and what Go says of the requests and certificates in them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Final, NamedTuple

from kubewright.machinery.field_errors import go_quote

__all__ = ["certificate_error", "request_error", "request_organizations"]

_BEGIN: Final = b"-----BEGIN "
_END: Final = b"\n-----END "
_DASHES: Final = b"-----"
_BAD_REQUEST: Final = "x509: malformed certificate request"
_BAD_CERTIFICATE: Final = "x509: malformed certificate"
"""Stand for the many words that Go's parser has for what is no request or certificate."""


class _Block(NamedTuple):
    type: str
    has_headers: bool
    der: bytes


def _decoded(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "", validate=True)
    except (binascii.Error, ValueError):
        return b""


def _line_end(data: bytes, start: int) -> int:
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end


def _blocks(data: bytes) -> Iterator[_Block]:
    """The blocks of a text; what is between them, and what is not well formed, is passed over."""
    start, end = 0, -1
    while True:
        begin = (
            0 if start == 0 and data.startswith(_BEGIN) else data.find(b"\n" + _BEGIN, max(start - 1, 0)) + 1
        )
        if begin == 0 and not (start == 0 and data.startswith(_BEGIN)):
            return
        line_end = _line_end(data, begin)
        kind = data[begin + len(_BEGIN) : line_end].rstrip(b" \t\r")
        start = min(line_end + 1, len(data))
        if not kind.endswith(_DASHES):
            continue
        kind = kind.removesuffix(_DASHES)
        body, has_headers = _after_headers(data, start)
        if end < body - 1:
            # Looked for once for all blocks before it, so that hostile texts cannot make this slow.
            end = data.find(_END, body - 1)
            if end < 0:
                return
        tail = end + len(_END)
        line_end = _line_end(data, tail)
        if data[tail:line_end].rstrip(b" \t\r") != kind + _DASHES:
            start = body
            continue
        try:
            der = base64.b64decode(data[body:end].translate(None, b" \t\r\n"), validate=True)
        except (binascii.Error, ValueError):
            start = body
            continue
        yield _Block(kind.decode(errors="replace"), has_headers, der)
        start = line_end + 1


def _after_headers(data: bytes, start: int) -> tuple[int, bool]:
    has_headers = False
    while start < len(data):
        line_end = _line_end(data, start)
        if data.find(b":", start, line_end) < 0:
            break
        has_headers = True
        start = line_end + 1
    return start, has_headers


def request_error(text: str | None) -> str:
    """What is wrong with a request for a certificate, in base64: "" for a good one, signed by its key.

    Where a request cannot be parsed, the words are not Go's.
    """
    block = next(_blocks(_decoded(text)), None)
    if block is None or block.type != "CERTIFICATE REQUEST":
        return "PEM block type must be CERTIFICATE REQUEST"
    from cryptography import x509  # noqa: PLC0415 - heavy, and rarely needed
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519  # noqa: PLC0415

    try:
        request = x509.load_der_x509_csr(block.der)
        key = request.public_key()
        if request.is_signature_valid:
            return ""
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return _BAD_REQUEST
    if isinstance(key, ec.EllipticCurvePublicKey):
        return "x509: ECDSA verification failure"
    if isinstance(key, ed25519.Ed25519PublicKey):
        return "x509: Ed25519 verification failure"
    return "crypto/rsa: verification error"


def request_organizations(text: str | None) -> list[str]:
    """The organizations in the subject of a good request for a certificate. Raises ValueError for others."""
    from cryptography import x509  # noqa: PLC0415 - heavy, and rarely needed

    request = x509.load_der_x509_csr(next(_blocks(_decoded(text))).der)
    found = request.subject.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)
    return [each.value for each in found if isinstance(each.value, str)]


def certificate_error(text: str | None) -> str:
    """What is wrong with certificates in base64, of which there may be none at all; "" for good ones."""
    data = _decoded(text)
    if not data:
        return ""
    found = 0
    for block in _blocks(data):
        if block.type != "CERTIFICATE":
            return f"only CERTIFICATE PEM blocks are allowed, found {go_quote(block.type)}"
        if block.has_headers:
            return "no PEM block headers are permitted"
        found += 1
        if not block.der:
            return "found CERTIFICATE PEM block containing 0 certificates"
        if not _is_certificate(block.der):
            return _BAD_CERTIFICATE
    return "" if found else "must contain at least one CERTIFICATE PEM block"


def _is_certificate(der: bytes) -> bool:
    from cryptography import x509  # noqa: PLC0415 - heavy, and rarely needed

    try:
        x509.load_der_x509_certificate(der)
    except ValueError:
        return False
    return True
