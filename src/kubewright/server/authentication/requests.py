"""Recognising callers by what their requests show, as upstream's chain of authenticators does.

A certificate comes first, then the Authorization header, then the token of a WebSocket; the first that
recognises somebody decides, so a certificate that is good makes up for a token that is not. Somebody who
shows nothing is anonymous; somebody who shows only what is no good is nobody.
"""

from __future__ import annotations

import base64
import binascii
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

from kubewright.server.authentication.authenticator import (
    ANONYMOUS,
    AUTHENTICATED,
    INVALID_TOKEN,
    UNAUTHENTICATED,
    Identity,
    InvalidCredentials,
    TokenAuthenticator,
)
from kubewright.server.authentication.client_certificates import Certificate, certificate_of
from kubewright.server.authentication.static_tokens import token_digest
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from ssl import SSLObject

    from kubewright.server.handlers.call import Headers

__all__ = ["AnonymousCallers", "RequestAuthenticator"]

_ANONYMOUS: Final = User(name=ANONYMOUS, groups=(UNAUTHENTICATED,))

_SPACE_WARNING: Final = (
    "the provided Authorization header contains extra space before the bearer token, and is ignored"
)

_WEB_SOCKET_TOKEN: Final = "base64url.bearer.authorization.k8s.io."  # noqa: S105 - what precedes a token
"""How a subprotocol begins that is a token: browsers cannot send other headers with a WebSocket."""

_URL_ALPHABET: Final = re.compile(r"[A-Za-z0-9_-]*")


class AnonymousCallers(NamedTuple):
    """Whether requests that show nothing are served, and where."""

    enabled: bool = True
    paths: frozenset[str] = frozenset()
    """The only paths for them; without any, all are."""

    def user(self, path: str) -> User | None:
        """Who sends such a request; None when nobody may."""
        return _ANONYMOUS if self.enabled and (not self.paths or path in self.paths) else None


class RequestAuthenticator:
    """Recognises callers. Tokens are asked of each authenticator in turn; certificates are read once per
    connection."""

    def __init__(
        self,
        tokens: Sequence[TokenAuthenticator],
        *,
        audiences: Sequence[str],
        anonymous: AnonymousCallers,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._tokens: Final = tokens
        self._audiences: Final = tuple(audiences)
        self._anonymous: Final = anonymous
        self._clock: Final = clock
        self._certificates: Final[WeakKeyDictionary[SSLObject, Certificate | None]] = WeakKeyDictionary()

    async def request(
        self, headers: Headers, connection: SSLObject | None, path: str, warnings: list[str]
    ) -> User | None:
        """Whom a request is from; None for those who must be recognised and are not."""
        refused = False
        certificate = None if connection is None else self._certificate(connection)
        if certificate is not None:
            if certificate.problem or certificate.expires < self._clock():
                refused = True
            elif certificate.user is not None:
                return certificate.user
        if token := _bearer(headers.get("Authorization", ""), warnings):
            try:
                return (await self._by_token(token, self._audiences)).user
            except InvalidCredentials:
                refused = True
        if "Sec-WebSocket-Protocol" in headers:
            try:
                if token := _web_socket_token(headers):
                    return (await self._by_token(token, self._audiences)).user
            except InvalidCredentials:
                refused = True
        return None if refused else self._anonymous.user(path)

    async def review(self, token: str, audiences: Sequence[str]) -> tuple[Identity | None, str]:
        """Whose token this is, and else what is wrong with it; it is read as if a request had shown it."""
        shown = _bearer(f"Bearer {token}", [])
        wanted = tuple(audiences) or self._audiences
        if not shown:
            # Upstream takes it for a request without a token as well.
            anonymous = self._anonymous.user("")
            return (None, "") if anonymous is None else (Identity(anonymous, wanted), "")
        try:
            return await self._by_token(shown, wanted), ""
        except InvalidCredentials as error:
            why = str(error)
            return None, why if why == INVALID_TOKEN else f"[{INVALID_TOKEN}, {why}]"

    async def _by_token(self, token: str, audiences: Sequence[str]) -> Identity:
        digest = token_digest(token)
        problems = []
        for authenticator in self._tokens:
            try:
                identity = await authenticator.authenticate(token, digest, audiences)
            except InvalidCredentials as error:
                problems.append(str(error))
            else:
                if identity is not None:
                    return Identity(_authenticated(identity.user), identity.audiences)
        raise InvalidCredentials(", ".join(problems) or INVALID_TOKEN)

    def _certificate(self, connection: SSLObject) -> Certificate | None:
        try:
            return self._certificates[connection]
        except KeyError:
            found = certificate_of(connection)
            if found is not None and found.user is not None:
                found = found._replace(user=_authenticated(found.user))
            self._certificates[connection] = found
            return found


def _authenticated(user: User) -> User:
    """The same, in the group of those who were recognised."""
    if user.name == ANONYMOUS or AUTHENTICATED in user.groups or UNAUTHENTICATED in user.groups:
        return user
    return User(name=user.name, uid=user.uid, groups=(*user.groups, AUTHENTICATED), extra=user.extra)


def _bearer(header: str, warnings: list[str]) -> str:
    """The token in an Authorization header; empty without one."""
    parts = header.strip().split(" ", 2)
    if len(parts) < 2 or parts[0].lower() != "bearer":
        return ""
    if not parts[1] and len(parts) == 3:
        warnings.append(_SPACE_WARNING)
    return parts[1]


def _web_socket_token(headers: Headers) -> str:
    """The token among the subprotocols of a WebSocket; empty without one. Raises InvalidCredentials."""
    if headers.get("Upgrade", "").lower() != "websocket":
        return ""
    if not any("upgrade" in each.lower() for each in headers.getall("Connection", [])):
        return ""
    protocols = [
        each.strip() for header in headers.getall("Sec-WebSocket-Protocol", []) for each in header.split(",")
    ]
    tokens = [each for each in protocols if each.startswith(_WEB_SOCKET_TOKEN)]
    if not tokens:
        return ""
    if len(tokens) > 1:
        raise InvalidCredentials("multiple base64.bearer.authorization tokens specified")
    token = _decoded(tokens[0].removeprefix(_WEB_SOCKET_TOKEN))
    if token and len(protocols) == 1:
        # One must be left that the server can agree to.
        raise InvalidCredentials("missing additional subprotocol")
    return token


def _decoded(encoded: str) -> str:
    if not _URL_ALPHABET.fullmatch(encoded):
        raise InvalidCredentials("invalid base64.bearer.authorization token encoding")
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise InvalidCredentials("invalid base64.bearer.authorization token") from None
