"""Who sends a request, and whether they may: authentication, impersonation, authorization, in this order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.machinery.paths import RequestInfo
from kubewright.server.authentication import Authenticator, Impersonation, wanted_user
from kubewright.server.authorization import Authorizer, attributes_of, refused
from kubewright.server.errors import unauthorized
from kubewright.server.handlers.call import Headers
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from ssl import SSLObject

    from kubewright.server.audit import Record

__all__ = ["Access", "Caller"]


class Caller(NamedTuple):
    """Whom a request is from."""

    user: User
    """In whose name it is served."""
    impersonator: User | None = None
    """Who sent it, when that is somebody else."""
    constraint: str = ""
    """The verb that allowed it, when that was one of the constrained modes of impersonation."""


class Access:
    """Stands before every request."""

    def __init__(self, authenticator: Authenticator, authorizer: Authorizer) -> None:
        self._authenticator: Final = authenticator
        self._authorizer: Final = authorizer
        self._impersonation: Final = Impersonation(authorizer)

    async def caller(
        self, headers: Headers, connection: SSLObject | None, info: RequestInfo, warnings: list[str]
    ) -> Caller:
        """Whom a request is from, or whom it acts for. Raises Unauthorized, BadRequest and Forbidden.

        `warnings` gets what the answer's headers should say, however the request ends.
        """
        return self.acting(await self.sender(headers, connection, info.path, warnings), headers, info)

    def acting(self, user: User, headers: Headers, info: RequestInfo) -> Caller:
        """In whose name the request of a known user is served. Raises BadRequest and Forbidden."""
        wanted = wanted_user(headers)
        if wanted is None:
            return Caller(user)
        acting, constraint = self._impersonation.act_for(wanted, attributes_of(user, info))
        return Caller(acting, user, constraint)

    async def sender(
        self, headers: Headers, connection: SSLObject | None, path: str, warnings: list[str]
    ) -> User:
        """Whom a request is from, whatever it asks for. Raises Unauthorized."""
        user = await self._authenticator.request(headers, connection, path, warnings)
        if user is None:
            raise unauthorized()
        return user

    def check(self, user: User, info: RequestInfo, record: Record | None = None) -> None:
        """Raises Forbidden for what the user may not do; the audit record learns what was decided."""
        attributes = attributes_of(user, info)
        decision = self._authorizer.authorize(attributes)
        if record is not None:
            record.decided(allowed=decision.allowed, reason=decision.reason)
        if not decision.allowed:
            raise refused(attributes, decision.reason)
