"""The keys of an issuer: found by its discovery document, kept, and fetched anew when a token has another."""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from kubewright.machinery.field_errors import go_quote
from kubewright.server.authentication.authenticator import InvalidCredentials
from kubewright.server.authentication.jwt import JSONWebToken, PublicKey, VerificationKey, verified
from kubewright.server.authentication.oidc.form import IssuerForm

if TYPE_CHECKING:
    from kubewright.server.issuer_client import IssuerClient

__all__ = ["IssuerKeys", "read_key_set"]

_RETRY: Final = 10.0
"""Seconds between two attempts to find an issuer's keys, as upstream waits."""

_REFETCH: Final = 2.0
"""The fewest seconds between two fetches of the keys, whatever tokens come: so nobody can have the issuer
asked at their pleasure, and a new key is known soon."""

_MAX_KEYS: Final = 100
"""How many keys of an issuer are read; they have a handful."""

_MAX_MODULUS: Final = 2048
"""The bytes of the largest RSA modulus that is taken: verifying with larger ones takes long."""

_CURVES: Final = {"P-256": "SECP256R1", "P-384": "SECP384R1", "P-521": "SECP521R1"}

_log: Final = logging.getLogger("kubewright.server")


class IssuerKeys:
    """Verifies the signatures of one issuer."""

    def __init__(
        self, form: IssuerForm, client: IssuerClient, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._issuer: Final = form.url
        self._discovery: Final = (
            form.discovery_url or f"{form.url.removesuffix('/')}/.well-known/openid-configuration"
        )
        self._client: Final = client
        self._clock: Final = clock
        self._address = ""
        self._keys: Sequence[VerificationKey] = ()
        self._fetched = -_REFETCH
        self._fetching: Final = asyncio.Lock()

    async def discover(self) -> None:
        """Find out where the keys are, however often it takes."""
        from kubewright.server.issuer_client import IssuerUnreachable  # noqa: PLC0415 - with aiohttp

        told = ""
        while not self._address:
            try:
                document = await self._client.get(self._discovery)
                self._address = _address(document, self._issuer)
            except IssuerUnreachable as error:
                if told != str(error):
                    told = str(error)
                    _log.warning("the issuer %s cannot be used yet: %s", self._issuer, error)
                await asyncio.sleep(_RETRY)

    async def verify(self, token: JSONWebToken) -> None:
        """Raises InvalidCredentials for a token that none of the issuer's keys has signed."""
        if not self._address:
            raise InvalidCredentials("oidc: authenticator not initialized")
        if verified(token, self._keys):
            return
        asked = self._clock()
        async with self._fetching:
            # Somebody else may have fetched them while this one waited.
            if self._fetched <= asked - _REFETCH:
                await self._fetch()
        if not verified(token, self._keys):
            raise InvalidCredentials(
                "oidc: verify token: failed to verify signature: failed to verify id token signature"
            )

    async def _fetch(self) -> None:
        from kubewright.server.issuer_client import IssuerUnreachable  # noqa: PLC0415 - with aiohttp

        self._fetched = self._clock()
        try:
            self._keys = read_key_set(await self._client.get(self._address))
        except IssuerUnreachable as error:
            raise InvalidCredentials(
                f"oidc: verify token: failed to verify signature: fetching keys {error}"
            ) from None


def _address(document: Mapping[str, object], issuer: str) -> str:
    """Where a discovery document says that the keys are. Raises IssuerUnreachable."""
    from kubewright.server.issuer_client import IssuerUnreachable  # noqa: PLC0415 - with aiohttp

    if document.get("issuer") != issuer:
        raise IssuerUnreachable(
            "oidc: issuer did not match the issuer returned by provider, expected "
            f"{go_quote(issuer)} got {go_quote(str(document.get('issuer', '')))}"
        )
    address = document.get("jwks_uri")
    if not isinstance(address, str) or not address.startswith("https://"):
        raise IssuerUnreachable("its discovery document has no jwks_uri that begins with https://")
    return address


def read_key_set(document: Mapping[str, object]) -> list[VerificationKey]:
    """The keys of a JSON Web Key Set (RFC 7517) that can verify signatures; others are skipped."""
    entries = document.get("keys")
    if not isinstance(entries, list):
        return []
    found = []
    for entry in entries[:_MAX_KEYS]:
        if not isinstance(entry, dict) or entry.get("use", "sig") != "sig":
            continue
        try:
            key = _read_key(entry)
        except (ValueError, TypeError, KeyError):
            continue
        if key is not None:
            found.append(VerificationKey(str(entry.get("kid", "")), key, str(entry.get("alg", ""))))
    return found


def _read_key(entry: Mapping[str, object]) -> PublicKey | None:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa  # noqa: PLC0415 - slow, and few have issuers

    if entry.get("kty") == "RSA":
        modulus = _number(entry["n"])
        if modulus.bit_length() > 8 * _MAX_MODULUS:
            return None
        return rsa.RSAPublicNumbers(_number(entry["e"]), modulus).public_key()
    if entry.get("kty") == "EC" and (name := _CURVES.get(str(entry["crv"]))):
        curve: ec.EllipticCurve = getattr(ec, name)()
        return ec.EllipticCurvePublicNumbers(_number(entry["x"]), _number(entry["y"]), curve).public_key()
    return None


def _number(text: object) -> int:
    if not isinstance(text, str):
        raise TypeError("a number of a key is no text")
    try:
        return int.from_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")
    except binascii.Error:
        raise ValueError("a number of a key is no base64") from None
