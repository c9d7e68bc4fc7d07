"""One administrator, known by certificate or token."""

from __future__ import annotations

import hmac
from typing import Any, Final

from kubewright.server.certificates import ADMIN_GROUP, ADMIN_NAME
from kubewright.server.registry.write import User

__all__ = ["AdministratorOnly", "certificate_user"]

_AUTHENTICATED: Final = "system:authenticated"
"""The group that everybody is in who was recognised."""


class AdministratorOnly:
    """Knows the administrator and nobody else."""

    anonymous: Final = None

    def __init__(self, token: str) -> None:
        self._token: Final = token.encode()
        self._user: Final = User(name=ADMIN_NAME, groups=(ADMIN_GROUP, _AUTHENTICATED))

    def by_certificate(self, certificate: dict[str, Any]) -> User | None:
        user = certificate_user(certificate)
        return user if user is not None and ADMIN_GROUP in user.groups else None

    async def by_token(self, token: str) -> User | None:
        # In constant time, so that nobody can feel their way to the token.
        return self._user if hmac.compare_digest(token.encode(errors="replace"), self._token) else None


def certificate_user(certificate: dict[str, Any]) -> User | None:
    """The user that a certificate names: the common name, and each organization as a group."""
    pairs = [pair for group in certificate.get("subject", ()) for pair in group]
    name = next((value for kind, value in pairs if kind == "commonName"), "")
    if not name:
        return None
    groups = tuple(value for kind, value in pairs if kind == "organizationName")
    return User(name=name, groups=(*groups, _AUTHENTICATED))
