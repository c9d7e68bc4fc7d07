"""Signed JSON Web Tokens (RFC 7519) in their compact form: reading them, and verifying signatures."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from kubewright.machinery.depth import check_depth

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.hashes import HashAlgorithm

__all__ = [
    "ALGORITHMS",
    "MAX_TOKEN",
    "JSONWebToken",
    "PublicKey",
    "VerificationKey",
    "base64url",
    "parse",
    "verified",
]

MAX_TOKEN: Final = 64 * 1024
"""The longest token that is read; those of real issuers have some thousand bytes."""

ALGORITHMS: Final = (
    "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512",
)  # fmt: skip
"""Signatures by keys that have a public half: what upstream's AllValidSigningAlgorithms allows."""

_HASHES: Final = {"256": "SHA256", "384": "SHA384", "512": "SHA512"}

_CURVES: Final = {"ES256": ("secp256r1", 32), "ES384": ("secp384r1", 48), "ES512": ("secp521r1", 66)}
"""The curve of each algorithm and the bytes of its numbers, of RFC 7518, section 3.4."""

_ALPHABET: Final = re.compile(r"[A-Za-z0-9_-]*")

PublicKey: TypeAlias = "ec.EllipticCurvePublicKey | rsa.RSAPublicKey"


class _Header(msgspec.Struct, gc=False):
    alg: str
    kid: str = ""
    crit: list[str] | None = None


_decode_header: Final = msgspec.json.Decoder(_Header).decode


class JSONWebToken(NamedTuple):
    """A token that was taken apart; whoever looks at the claims has verified the signature before."""

    algorithm: str
    key_id: str
    critical: bool
    """Whether it must not be used by those who do not know its extensions: we know none."""
    signed: bytes
    payload: bytes
    signature: bytes


class VerificationKey(NamedTuple):
    """A key that signatures are verified with."""

    id: str
    key: PublicKey
    algorithm: str = ""
    """The only algorithm that it is for; empty when it does not say."""


def base64url(data: bytes) -> str:
    """Base64 in the alphabet of URLs, without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def parse(token: str) -> JSONWebToken | None:
    """Take a token apart; None for what is none, or too long."""
    if len(token) > MAX_TOKEN or token.count(".") != 2:
        return None
    header, payload, signature = token.split(".")
    decoded = [_decoded(part) for part in (header, payload, signature)]
    if decoded[0] is None or decoded[1] is None or decoded[2] is None:
        return None
    try:
        # Fields of the header that are not ours are skipped, at a depth that differs between Pythons.
        check_depth(decoded[0])
        fields = _decode_header(decoded[0])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    signed = token[: len(header) + 1 + len(payload)].encode("ascii")
    return JSONWebToken(fields.alg, fields.kid, fields.crit is not None, signed, decoded[1], decoded[2])


def verified(token: JSONWebToken, keys: Iterable[VerificationKey]) -> bool:
    """Whether one of the keys has signed a token; it says itself which, or all are tried."""
    if token.critical or token.algorithm not in ALGORITHMS:
        return False
    for key in keys:
        if token.key_id and key.id != token.key_id:
            continue
        if key.algorithm and key.algorithm != token.algorithm:
            continue
        if _signed_by(token, key.key):
            return True
    return False


def _decoded(part: str) -> bytes | None:
    if not _ALPHABET.fullmatch(part):
        return None
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        return None


def _signed_by(token: JSONWebToken, key: PublicKey) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - slow, and few come with tokens

    check = _CHECKS[token.algorithm[:2]]
    try:
        return check(token, key)
    except (InvalidSignature, ValueError):
        return False


def _check_ec(token: JSONWebToken, key: PublicKey) -> bool:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - see _signed_by
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature  # noqa: PLC0415

    curve, size = _CURVES[token.algorithm]
    if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != curve:
        return False
    if len(token.signature) != 2 * size:
        return False
    r, s = (int.from_bytes(token.signature[at : at + size], "big") for at in (0, size))
    key.verify(encode_dss_signature(r, s), token.signed, ec.ECDSA(_hash(token)))
    return True


def _check_rsa(token: JSONWebToken, key: PublicKey) -> bool:
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - see _signed_by

    if not isinstance(key, rsa.RSAPublicKey):
        return False
    key.verify(token.signature, token.signed, padding.PKCS1v15(), _hash(token))
    return True


def _check_pss(token: JSONWebToken, key: PublicKey) -> bool:
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - see _signed_by

    if not isinstance(key, rsa.RSAPublicKey):
        return False
    algorithm = _hash(token)
    pss = padding.PSS(padding.MGF1(algorithm), algorithm.digest_size)
    key.verify(token.signature, token.signed, pss, algorithm)
    return True


_CHECKS: Final[Mapping[str, Callable[[JSONWebToken, PublicKey], bool]]] = {
    "ES": _check_ec,
    "PS": _check_pss,
    "RS": _check_rsa,
}


def _hash(token: JSONWebToken) -> HashAlgorithm:
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - see _signed_by

    made: HashAlgorithm = getattr(hashes, _HASHES[token.algorithm[2:]])()
    return made
