"""What recognises callers."""

from __future__ import annotations

from typing import Any, Protocol

from kubewright.server.registry.write import User

__all__ = ["Authenticator"]


class Authenticator(Protocol):
    """Recognises callers."""

    def by_certificate(self, certificate: dict[str, Any]) -> User | None:
        """Whose client certificate this is, in the form of `ssl.SSLObject.getpeercert`; TLS has verified it.

        Asked once per connection.
        """
        ...

    async def by_token(self, token: str) -> User | None:
        """Whose bearer token this is."""
        ...

    @property
    def anonymous(self) -> User | None:
        """Who those are that show nothing; None when they are refused."""
        ...
