"""What every write knows of its request."""

from __future__ import annotations

from datetime import datetime

import msgspec

from kubewright.server.kinds.kind import Context, Object

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
    path_name: str = ""
    """The name in the request's path; empty for creates by POST, whatever the object is called."""
    warnings: list[str] = msgspec.field(default_factory=list)
    options: Object = {}
    """The options as the caller gave them: `fieldManager`, `dryRun` and their like."""
    annotations: dict[str, str] = {}
    """What plugins tell the audit log of the write."""
    size: int = 0
    """The bytes of the request's body, or of the stored object if that is larger; see `large_requests`."""
    admission_ends: float = 0.0
    """Until when webhooks may be waited for, by the clock of the event loop; 0 before the first is asked."""

    def context(self) -> Context:
        """The same, as the rules of a kind may know it."""
        user = self.user
        return Context(now=self.now, user=user.name, groups=user.groups, uid=user.uid, extra=user.extra)
