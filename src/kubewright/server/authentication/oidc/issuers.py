"""Recognising callers by tokens of OpenID Connect issuers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec

from kubewright.machinery.depth import BoundedDecoder
from kubewright.machinery.field_errors import go_quote
from kubewright.server.authentication.authenticator import Identity, InvalidCredentials, intersection
from kubewright.server.authentication.jwt import ALGORITHMS, JSONWebToken, parse
from kubewright.server.authentication.oidc.claims import ClaimMapper
from kubewright.server.authentication.oidc.form import IssuerForm
from kubewright.server.authentication.oidc.keys import IssuerKeys
from kubewright.server.issuer_client import IssuerClient
from kubewright.server.registry.write import User

__all__ = ["IssuerSettings", "Issuers"]

_LEEWAY: Final = 60.0
"""Seconds that a token may be used before its time, go-oidc's; after its time there are none."""

_KEPT: Final = 10.0
"""Seconds that a token is known once it was found good: upstream's TokenSuccessCacheTTL."""

_REMEMBERED: Final = 1024
"""How many such tokens are remembered."""

_MAX_TIME: Final = 253_402_300_799
"""The last second of the year 9999, after which nothing can be told of times."""


class IssuerSettings(NamedTuple):
    """An issuer, and how users are made of its claims."""

    form: IssuerForm
    mapper: ClaimMapper


class _Claims(msgspec.Struct, gc=False):
    iss: str = ""
    sub: str = ""
    aud: list[str] | str = msgspec.field(default_factory=list)
    exp: float = 0
    nbf: float | None = None


_decode_claims: Final = msgspec.json.Decoder(_Claims).decode
_decode_all: Final = BoundedDecoder[dict[str, Any]](dict[str, Any]).decode


class Issuers:
    """Recognises callers by tokens of issuers; they are good for the audiences of the server.

    Nothing is fetched before `run` runs, or a token comes. Close it with `close`.
    """

    def __init__(
        self,
        settings: Sequence[IssuerSettings],
        audiences: Sequence[str],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._audiences: Final = audiences
        self._issuers: Final = {each.form.url: _Issuer(each, clock) for each in settings}
        self._clock: Final = clock
        self._known: Final[dict[bytes, tuple[User, float]]] = {}

    async def run(self) -> None:
        """Find the keys of all issuers."""
        async with asyncio.TaskGroup() as tasks:
            for issuer in self._issuers.values():
                tasks.create_task(issuer.keys.discover())

    async def close(self) -> None:
        """Close the connections to the issuers."""
        for issuer in self._issuers.values():
            await issuer.client.close()

    async def authenticate(self, token: str, digest: bytes, audiences: Sequence[str]) -> Identity | None:
        """Whose token this is. Raises InvalidCredentials."""
        common = intersection(self._audiences, audiences)
        if not common:
            return None
        known = self._known.get(digest)
        if known is not None and known[1] > self._clock():
            return Identity(known[0], common)
        parsed = parse(token)
        if parsed is None:
            return None
        try:
            issuer = self._issuers.get(_decode_claims(parsed.payload).iss)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            issuer = self._issuers.get(_issuer_alone(parsed.payload))
        if issuer is None:
            return None
        user, expires = await issuer.user(parsed)
        self._known.pop(digest, None)
        if len(self._known) >= _REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[digest] = (user, min(expires, self._clock() + _KEPT))
        return Identity(user, common)


class _Issuer:
    """One issuer."""

    def __init__(self, settings: IssuerSettings, clock: Callable[[], float]) -> None:
        self.client: Final = IssuerClient(settings.form.certificate_authority)
        self.keys: Final = IssuerKeys(settings.form, self.client)
        self._audiences: Final = settings.form.audiences
        self._mapper: Final = settings.mapper
        self._clock: Final = clock

    async def user(self, token: JSONWebToken) -> tuple[User, float]:
        """Who a token is for, and until when. Raises InvalidCredentials."""
        if token.algorithm not in ALGORITHMS:
            supported = " ".join(map(go_quote, ALGORITHMS))
            raise InvalidCredentials(
                "oidc: verify token: oidc: id token signed with unsupported algorithm, expected "
                f"[{supported}] got {go_quote(token.algorithm)}"
            )
        await self.keys.verify(token)
        try:
            claims = _decode_claims(token.payload)
            everything = _decode_all(token.payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise InvalidCredentials("oidc: verify token: oidc: failed to unmarshal claims") from None
        self._check(claims)
        try:
            return self._mapper.user(everything), claims.exp
        except (RecursionError, OverflowError):
            raise InvalidCredentials("oidc: parse claims: they are too deep or too large") from None

    def _check(self, claims: _Claims) -> None:
        named = [claims.aud] if isinstance(claims.aud, str) else claims.aud
        if not any(audience in self._audiences for audience in named):
            raise InvalidCredentials(f"oidc: verify token: {_wrong_audience(self._audiences, named)}")
        now = self._clock()
        if claims.exp < now:
            raise InvalidCredentials(
                f"oidc: verify token: oidc: token is expired (Token Expiry: {_go_time(claims.exp)})"
            )
        if claims.nbf is not None and now + _LEEWAY < claims.nbf:
            raise InvalidCredentials(
                f"oidc: verify token: oidc: current time {_go_time(now)} before the nbf (not before) time: "
                f"{_go_time(claims.nbf)}"
            )


def _issuer_alone(payload: bytes) -> str:
    """The issuer of claims of which others are not what they should be; empty when there is none."""
    try:
        issuer = _decode_all(payload).get("iss")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return issuer if isinstance(issuer, str) else ""


def _wrong_audience(wanted: Sequence[str], named: Sequence[str]) -> str:
    got = f"[{' '.join(map(go_quote, named))}]"
    if len(wanted) == 1:
        return f"oidc: expected audience {go_quote(wanted[0])} got {got}"
    return f"oidc: expected audience in [{' '.join(map(go_quote, sorted(wanted)))}] got {got}"


def _go_time(seconds: float) -> str:
    """A moment as Go writes it, in UTC."""
    moment = datetime.fromtimestamp(int(min(max(seconds, 0), _MAX_TIME)), UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S} +0000 UTC"
