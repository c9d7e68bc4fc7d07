"""What recognises callers: by a token, or by all that a request shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from kubewright.machinery.errors import KubewrightError
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from ssl import SSLObject

    from kubewright.server.handlers.call import Headers

__all__ = [
    "ANONYMOUS",
    "AUTHENTICATED",
    "CREDENTIAL_ID",
    "INVALID_TOKEN",
    "UNAUTHENTICATED",
    "Authenticator",
    "Identity",
    "InvalidCredentials",
    "TokenAuthenticator",
    "intersection",
]

AUTHENTICATED: Final = "system:authenticated"
"""The group of everybody who was recognised."""

UNAUTHENTICATED: Final = "system:unauthenticated"
"""The group of those who show nothing."""

ANONYMOUS: Final = "system:anonymous"
"""The name of those who show nothing."""

CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
"""What an extra is called that says by which credential somebody was recognised."""

INVALID_TOKEN: Final = "invalid bearer token"  # noqa: S105 - what is said of a token
"""What upstream says of a token that nobody knows."""


class Identity(NamedTuple):
    """Somebody who was recognised, and the audiences, of those that were asked for, that this is good for."""

    user: User
    audiences: tuple[str, ...]


class InvalidCredentials(KubewrightError):
    """What was shown is no good. The message says why in upstream's words, for TokenReviews alone: those who
    are refused are told nothing."""


class TokenAuthenticator(Protocol):
    """Recognises callers by bearer tokens of one sort."""

    async def authenticate(self, token: str, digest: bytes, audiences: Sequence[str], /) -> Identity | None:
        """Whose token this is; None when it is of another sort.

        `digest` is that of the token, for looking it up. Raises InvalidCredentials for a token of this sort
        that is no good.
        """
        ...


class Authenticator(Protocol):
    """Recognises callers by requests."""

    async def request(
        self, headers: Headers, connection: SSLObject | None, path: str, warnings: list[str]
    ) -> User | None:
        """Whom a request is from; None for those who must be recognised and are not."""
        ...

    async def review(self, token: str, audiences: Sequence[str]) -> tuple[Identity | None, str]:
        """Whose token this is, for whom it is meant, and what is wrong with it."""
        ...


def intersection(audiences: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """What is in both, in the order of what is wanted."""
    return tuple(audience for audience in wanted if audience in audiences)
