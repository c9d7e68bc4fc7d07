"""Who sends a request, and whether they may: authentication, impersonation, authorization, in this order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from kubewright.machinery.gvk import GroupResource
from kubewright.machinery.paths import RequestInfo
from kubewright.server.authentication import Authenticator
from kubewright.server.authorization import Authorizer, attributes_of, refused
from kubewright.server.errors import forbidden, unauthorized
from kubewright.server.handlers.call import Headers
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from ssl import SSLObject

__all__ = ["Access"]


class Access:
    """Stands before every request. A caller that shows a certificate is recognised once per connection."""

    def __init__(self, authenticator: Authenticator, authorizer: Authorizer) -> None:
        self._authenticator: Final = authenticator
        self._authorizer: Final = authorizer
        self._users: Final[WeakKeyDictionary[SSLObject, User | None]] = WeakKeyDictionary()

    async def caller(self, headers: Headers, connection: SSLObject | None) -> User:
        """Whom a request is from, or whom it acts for. Raises Unauthorized, and Forbidden."""
        user = await self._known(headers, connection)
        if user is None:
            raise unauthorized()
        if headers.get("Impersonate-User", "") or headers.get("Impersonate-Group", ""):
            raise forbidden(
                GroupResource("", "users"),
                headers.get("Impersonate-User", ""),
                "this server has one administrator and no impersonation",
            )
        return user

    def check(self, user: User, info: RequestInfo) -> None:
        """Raises Forbidden for what the user may not do."""
        attributes = attributes_of(user, info)
        if not self._authorizer.authorize(attributes).allowed:
            raise refused(attributes)

    async def _known(self, headers: Headers, connection: SSLObject | None) -> User | None:
        """Who is known by token or certificate; a token that is wrong is not made good by a certificate."""
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            return await self._authenticator.by_token(token.strip())
        user = None if connection is None else self._by_certificate(connection)
        return user or self._authenticator.anonymous

    def _by_certificate(self, connection: SSLObject) -> User | None:
        try:
            return self._users[connection]
        except KeyError:
            certificate = connection.getpeercert()
            user = self._authenticator.by_certificate(certificate) if certificate else None
            self._users[connection] = user
            return user
