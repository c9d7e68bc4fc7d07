"""Recognising service accounts by the tokens that were issued for them.

A signature is verified once and remembered; whether the account and what the token is bound to are still
there is looked up in the store each time, so that a token ends with them at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.time import parse_time
from kubewright.server.authentication.authenticator import (
    AUTHENTICATED,
    CREDENTIAL_ID,
    Identity,
    InvalidCredentials,
    intersection,
)
from kubewright.server.authentication.jwt import parse, verified
from kubewright.server.authentication.service_account_keys import ServiceAccountKey
from kubewright.server.authentication.service_accounts import service_account_groups, service_account_name
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from kubewright.server.registry.write import User

__all__ = ["LEEWAY", "ServiceAccountTokens"]

LEEWAY: Final = 60.0
"""Seconds that clocks may differ, and that a token outlives what it is bound to when that is being deleted:
go-jose's DefaultLeeway."""

_REMEMBERED: Final = 1024
"""How many verified tokens are remembered: each is some hundred bytes, and few programs run at once."""

_BAD_SIGNATURE: Final = "go-jose/go-jose: error in cryptographic primitive"
"""What upstream's library says of every signature that is wrong; TokenReviews tell it."""

_INVALIDATED: Final = "service account token has been invalidated"

_POD: Final = "authentication.kubernetes.io/pod-"
_NODE: Final = "authentication.kubernetes.io/node-"


class _Reference(msgspec.Struct, gc=False):
    name: str = ""
    uid: str = ""


class _Private(msgspec.Struct, gc=False):
    namespace: str = ""
    serviceaccount: _Reference = msgspec.field(default_factory=_Reference)
    pod: _Reference | None = None
    secret: _Reference | None = None
    node: _Reference | None = None


class _Claims(msgspec.Struct, gc=False):
    iss: str = ""
    aud: list[str] | str = msgspec.field(default_factory=list)
    exp: float | None = None
    nbf: float | None = None
    iat: float | None = None
    jti: str = ""
    kubernetes: _Private = msgspec.field(name="kubernetes.io", default_factory=_Private)


class _Issuer(msgspec.Struct, gc=False):
    iss: str = ""


_decode_claims: Final = msgspec.json.Decoder(_Claims).decode
_decode_issuer: Final = msgspec.json.Decoder(_Issuer).decode


class _Bound:
    """An object that a token ends with: where it is, and what was seen of it last."""

    __slots__ = ("ends", "kind", "reference", "revision", "store")

    def __init__(self, kind: str, store: Store, reference: _Reference) -> None:
        self.kind: Final = kind
        self.store: Final = store
        self.reference: Final = reference
        self.revision = 0
        self.ends = math.inf
        """When it began, or will begin, to be deleted, in seconds since 1970."""


class _Known:
    """A token with a good signature."""

    __slots__ = ("audiences", "bound", "claims", "user")

    def __init__(self, claims: _Claims, audiences: Sequence[str], bound: list[_Bound]) -> None:
        self.claims: Final = claims
        self.audiences: Final = audiences
        self.bound: Final = bound
        self.user: Final = _user(claims)


class ServiceAccountTokens:
    """Recognises the service accounts of a registry by tokens of one issuer, which is their audience too."""

    def __init__(
        self,
        key: ServiceAccountKey,
        registry: Registry,
        *,
        issuer: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._key: Final = key
        self._registry: Final = registry
        self._issuer: Final = issuer
        self._clock: Final = clock
        self._known: Final[dict[bytes, _Known]] = {}

    async def authenticate(self, token: str, digest: bytes, audiences: Sequence[str]) -> Identity | None:
        """Which service account's token this is. Raises InvalidCredentials."""
        known = self._known.get(digest)
        if known is None:
            known = self._verified(token)
            if known is None:
                return None
            if len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[digest] = known
        common = intersection(known.audiences, audiences)
        if not common:
            raise InvalidCredentials(
                f"token audiences {_quoted(known.audiences)} is invalid for the target audiences "
                f"{_quoted(audiences)}"
            )
        now = self._clock()
        _check_times(known.claims, now)
        for bound in known.bound:
            self._check_bound(bound, known.claims.kubernetes.namespace, now - LEEWAY)
        return Identity(known.user, common)

    def _verified(self, token: str) -> _Known | None:
        """A token of this issuer; None for others. Raises InvalidCredentials for a wrong signature."""
        parsed = parse(token)
        if parsed is None:
            return None
        try:
            issuer = _decode_issuer(parsed.payload).iss
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if issuer != self._issuer:
            return None
        key = self._key.verification
        if parsed.key_id and parsed.key_id != key.id:
            raise InvalidCredentials("invalid signature, no keys found")
        if not verified(parsed, [key]):
            raise InvalidCredentials(_BAD_SIGNATURE)
        try:
            claims = _decode_claims(parsed.payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise InvalidCredentials("the claims of the token are no claims of a service account") from None
        named = [claims.aud] if isinstance(claims.aud, str) else claims.aud
        # Those that name no audience are for the server.
        return _Known(claims, named or [self._issuer], self._bound(claims.kubernetes))

    def _bound(self, private: _Private) -> list[_Bound]:
        if not private.serviceaccount.name:
            raise InvalidCredentials("resource name may not be empty")
        found = [self._bound_to("service account", "serviceaccounts", private.serviceaccount)]
        if private.secret is not None:
            found.append(self._bound_to("secret", "secrets", private.secret))
        if private.pod is not None:
            found.append(self._bound_to("pod", "pods", private.pod))
        elif private.node is not None:
            # The node of a pod's token is told, and not what it ends with.
            found.append(self._bound_to("node", "nodes", private.node))
        return found

    def _bound_to(self, kind: str, resource: str, reference: _Reference) -> _Bound:
        store = self._registry.find("", "v1", resource)
        assert store is not None  # noqa: S101 - it is built in
        return _Bound(kind, store, reference)

    def _check_bound(self, bound: _Bound, namespace: str, deadline: float) -> None:
        name = bound.reference.name
        account = bound.kind == "service account"
        entry = bound.store.storage.get(bound.store.key(namespace, name))
        if entry is None:
            raise InvalidCredentials(
                f"serviceaccounts {go_quote(name)} not found" if account else _INVALIDATED
            )
        if entry.revision != bound.revision:
            meta = read_meta(entry.value)
            if meta.uid != bound.reference.uid:
                raise InvalidCredentials(_other_uid(bound, meta.uid))
            ends = parse_time(meta.deletion_timestamp).timestamp() if meta.deletion_timestamp else math.inf
            bound.revision, bound.ends = entry.revision, ends
        if bound.ends < deadline:
            raise InvalidCredentials(
                f"service account {namespace}/{name} has been deleted" if account else _INVALIDATED
            )


def _check_times(claims: _Claims, now: float) -> None:
    if claims.nbf is not None and now + LEEWAY < claims.nbf:
        raise InvalidCredentials("service account token is not valid yet")
    if claims.exp is not None and now - LEEWAY > claims.exp:
        raise InvalidCredentials("service account token has expired")
    if claims.iat is not None and now + LEEWAY < claims.iat:
        raise InvalidCredentials("service account token is issued in the future")


def _other_uid(bound: _Bound, uid: str) -> str:
    if bound.kind == "service account":
        return f"service account UID ({uid}) does not match claim ({bound.reference.uid})"
    return (
        f"{bound.kind} UID ({uid}) does not match service account {bound.kind} ref claim "
        f"({bound.reference.uid})"
    )


def _user(claims: _Claims) -> User:
    private = claims.kubernetes
    extra: dict[str, list[str]] = {}
    if claims.jti:
        extra[CREDENTIAL_ID] = [f"JTI={claims.jti}"]
    if private.node is not None and private.node.name:
        extra[f"{_NODE}name"] = [private.node.name]
        if private.node.uid:
            extra[f"{_NODE}uid"] = [private.node.uid]
    if private.pod is not None and private.pod.name and private.pod.uid:
        extra[f"{_POD}name"] = [private.pod.name]
        extra[f"{_POD}uid"] = [private.pod.uid]
    return User(
        name=service_account_name(private.namespace, private.serviceaccount.name),
        uid=private.serviceaccount.uid,
        groups=(*service_account_groups(private.namespace), AUTHENTICATED),
        extra=extra,
    )


def _quoted(texts: Sequence[str]) -> str:
    return f"[{' '.join(map(go_quote, texts))}]"
