"""What every write knows of its request."""

from __future__ import annotations

from datetime import datetime

import msgspec

from kubewright.server.kinds.kind import Context

__all__ = ["User", "Write"]


class User(msgspec.Struct, frozen=True):
    """Who sends a request."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: dict[str, list[str]] = {}


class Write(msgspec.Struct, kw_only=True):
    """One write: who, where, with which options. `warnings` collects what the answer's headers say."""

    user: User
    now: datetime
    namespace: str
    """Empty for resources of the cluster."""
    manager: str = ""
    dry_run: bool = False
    subresource: str = ""
    warnings: list[str] = msgspec.field(default_factory=list)

    def context(self) -> Context:
        """The same, as the rules of a kind may know it."""
        user = self.user
        return Context(now=self.now, user=user.name, groups=user.groups, uid=user.uid, extra=user.extra)
