"""The operating system's limit of open files, of which each connection is one."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final

__all__ = ["affordable_connections", "raise_limit"]

_MOST: Final = 65_536
"""Enough for any number of connections that a server takes; some systems allow a billion."""

_OTHERS: Final = 200
"""Open files that are not connections of clients: the store, logs, webhooks, and handshakes under way."""


def raise_limit() -> None:
    """Raise the soft limit of open files to the hard limit, as Go does for its programs."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - Windows has none

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST if hard == resource.RLIM_INFINITY else min(hard, _MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # macOS has a further limit, which it does not report.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def affordable_connections(most: int) -> int:
    """How many connections, up to `most`, the limit of open files allows."""
    if sys.platform == "win32":
        return most
    import resource  # noqa: PLC0415 - as above

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    return max(1, min(most, soft - min(_OTHERS, soft // 2)))
