"""`serviceaccounts/token`: signed tokens for service accounts."""

from __future__ import annotations

import base64
import hashlib
import uuid
from datetime import timedelta
from functools import cached_property
from typing import Final

import msgspec
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind
from kubewright.machinery.time import format_time
from kubewright.server.errors import bad_request, invalid, method_not_allowed
from kubewright.server.handlers.bodies import read_kind
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import write_options
from kubewright.server.handlers.respond import output_of, plain_answer
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta

__all__ = ["ISSUER", "Tokens"]

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
"""Who issues the tokens, and for whom they are when a request names nobody; kubeadm's."""

_HOUR: Final = 3600
_SHORTEST: Final = 600
"""The fewest seconds that a token may last, upstream's minimum."""
_LONGEST: Final = 1 << 32
"""And the most."""


class Tokens:
    """Issues tokens, signed with the server's key."""

    def __init__(self, key_pem: bytes) -> None:
        self._key_pem: Final = key_pem

    def configuration(self, address: str) -> bytes:
        """`/.well-known/openid-configuration`: who issues, and where the keys are."""
        return msgspec.json.encode(
            {
                "issuer": ISSUER,
                "jwks_uri": f"https://{address}/openid/v1/jwks",
                "response_types_supported": ["id_token"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256"],
            }
        )

    def keys(self) -> bytes:
        """`/openid/v1/jwks`: the key by which tokens are verified."""
        numbers = self._key.public_key().public_numbers()
        x, y = (_base64(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        key = {"use": "sig", "kty": "EC", "kid": self._key_id, "crv": "P-256", "alg": "ES256", "x": x, "y": y}
        return msgspec.json.encode({"keys": [key]})

    async def request(self, call: Call, registry: Registry, store: Store) -> Answer:
        """`create` of a TokenRequest."""
        if call.info.verb != "create":
            raise method_not_allowed()
        options = write_options(call, "CreateOptions")
        obj = read_kind(call, "authentication.k8s.io/v1", "TokenRequest", options.validation)
        account = read_meta(store.get(call.info.namespace, call.info.name).value)
        spec = obj.get("spec") or {}
        seconds = _HOUR if spec.get("expirationSeconds") is None else spec["expirationSeconds"]
        _check(seconds)
        audiences = spec.get("audiences") or [ISSUER]
        metadata = obj.get("metadata") or {}
        for field, value in (("name", account.name), ("namespace", account.namespace)):
            if metadata.get(field, value) != value:
                raise bad_request(
                    f"the {field} of the provided object does not match the {field} sent on the request"
                )
        expires = call.now + timedelta(seconds=seconds)
        claims = {
            "aud": audiences,
            "exp": int(expires.timestamp()),
            "iat": int(call.now.timestamp()),
            "iss": ISSUER,
            "jti": str(uuid.uuid4()),
            "kubernetes.io": {
                "namespace": account.namespace,
                "serviceaccount": {"name": account.name, "uid": account.uid},
            },
            "nbf": int(call.now.timestamp()),
            "sub": f"system:serviceaccount:{account.namespace}:{account.name}",
        }
        obj["metadata"] = {
            "name": account.name,
            "namespace": account.namespace,
            "creationTimestamp": format_time(call.now),
        }
        obj["spec"] = {**spec, "audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": None}
        obj["status"] = {"token": self._signed(claims), "expirationTimestamp": format_time(expires)}
        return plain_answer(call, obj, output_of(call, transforms=False), status=201)

    @cached_property
    def _key(self) -> ec.EllipticCurvePrivateKey:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - slow, and few ask for tokens

        key = serialization.load_pem_private_key(self._key_pem, password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError("the key that signs tokens is no elliptic curve key")
        return key

    @cached_property
    def _key_id(self) -> str:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - see _key

        public = self._key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return _base64(hashlib.sha256(public).digest())

    def _signed(self, claims: Object) -> str:
        header = {"alg": "ES256", "kid": self._key_id}
        text = f"{_base64(msgspec.json.encode(header))}.{_base64(msgspec.json.encode(claims))}"
        signature = self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(signature)
        return f"{text}.{_base64(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def _check(seconds: int) -> None:
    if seconds < _SHORTEST:
        detail = "may not specify a duration less than 10 minutes"
    elif seconds > _LONGEST:
        detail = "may not specify a duration larger than 2^32 seconds"
    else:
        return
    where = GroupKind("authentication.k8s.io", "TokenRequest")
    raise invalid(where, "", [invalid_field("spec.expirationSeconds", seconds, detail)])


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
