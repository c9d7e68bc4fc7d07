"""The key that signs the tokens of service accounts, and how others may know it."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from kubewright.server.authentication.jwt import VerificationKey, base64url
from kubewright.server.kinds.kind import Object

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

__all__ = ["ServiceAccountKey"]

_ALGORITHM: Final = "ES256"
_COORDINATE: Final = 32
"""The bytes of a number of the curve P-256."""


class ServiceAccountKey:
    """A key of the curve P-256 in PEM, which is read when it is first needed."""

    def __init__(self, pem: bytes) -> None:
        self._pem: Final = pem

    def sign(self, claims: Object) -> str:
        """A token with these claims."""
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - slow, and few ask for tokens
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature  # noqa: PLC0415

        header = {"alg": _ALGORITHM, "kid": self.verification.id}
        text = f"{base64url(msgspec.json.encode(header))}.{base64url(msgspec.json.encode(claims))}"
        numbers = decode_dss_signature(self._private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        signature = b"".join(number.to_bytes(_COORDINATE, "big") for number in numbers)
        return f"{text}.{base64url(signature)}"

    @cached_property
    def verification(self) -> VerificationKey:
        """What its signatures are verified with; its id is the digest of the public key, as upstream's."""
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - see sign

        public = self._private.public_key()
        encoded = public.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return VerificationKey(base64url(hashlib.sha256(encoded).digest()), public, _ALGORITHM)

    def configuration(self, issuer: str, address: str) -> bytes:
        """`/.well-known/openid-configuration`: who issues, and where the keys are."""
        return msgspec.json.encode(
            {
                "issuer": issuer,
                "jwks_uri": f"https://{address}/openid/v1/jwks",
                "response_types_supported": ["id_token"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": [_ALGORITHM],
            }
        )

    def key_set(self) -> bytes:
        """`/openid/v1/jwks`: the key by which tokens are verified."""
        numbers = self._private.public_key().public_numbers()
        x, y = (base64url(number.to_bytes(_COORDINATE, "big")) for number in (numbers.x, numbers.y))
        names = {"use": "sig", "kty": "EC", "kid": self.verification.id, "crv": "P-256", "alg": _ALGORITHM}
        return msgspec.json.encode({"keys": [{**names, "x": x, "y": y}]})

    @cached_property
    def _private(self) -> ec.EllipticCurvePrivateKey:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - see sign
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

        key = serialization.load_pem_private_key(self._pem, password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError("the key that signs tokens is no elliptic curve key")
        return key
