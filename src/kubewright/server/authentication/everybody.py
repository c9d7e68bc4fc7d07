"""No authentication at all: `--anonymous-admin`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from kubewright.server.authentication.authenticator import ANONYMOUS, Authenticator, Identity
from kubewright.server.certificates import ADMIN_GROUP
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from ssl import SSLObject

    from kubewright.server.handlers.call import Headers

__all__ = ["EverybodyIsAdministrator"]

_ANYBODY: Final = User(name=ANONYMOUS, groups=(ADMIN_GROUP,))


class EverybodyIsAdministrator:
    """Takes everybody for an administrator; those whom another authenticator knows keep their names."""

    def __init__(self, known: Authenticator) -> None:
        self._known: Final = known

    async def request(
        self, headers: Headers, connection: SSLObject | None, path: str, warnings: list[str]
    ) -> User | None:
        """Whom a request is from: never nobody."""
        user = await self._known.request(headers, connection, path, warnings)
        if user is None or user.name == ANONYMOUS:
            return _ANYBODY
        if ADMIN_GROUP in user.groups:
            return user
        return msgspec.structs.replace(user, groups=(ADMIN_GROUP, *user.groups))

    async def review(self, token: str, audiences: Sequence[str]) -> tuple[Identity | None, str]:
        """Whose token this is, and what is wrong with it."""
        return await self._known.review(token, audiences)
