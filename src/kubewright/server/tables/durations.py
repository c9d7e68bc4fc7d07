"""Ages and durations as people read them: 5s, 3m12s, 47h, 2d3h, 5y."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from kubewright.server.kinds.kind import Object

__all__ = ["UNKNOWN", "age", "human_duration", "moment", "since"]

UNKNOWN: Final = "<unknown>"
"""What upstream says of a time that is not set."""

_SECOND: Final = timedelta(seconds=1)
_MAX_SECONDS: Final = 2**63 // 10**9
"""Go keeps durations as int64 nanoseconds, and cuts longer ones to the longest that it can keep."""


def human_duration(length: timedelta) -> str:
    """A length of time with the two or three digits that matter.

    Up to two seconds less than nothing count as none, since clocks differ; less than that is `<invalid>`.
    """
    seconds = length // _SECOND if length.days >= 0 else -(-length // _SECOND)
    if seconds < 120:
        return f"{seconds}s" if seconds >= 0 else ("0s" if seconds >= -1 else "<invalid>")
    minutes, second = divmod(min(seconds, _MAX_SECONDS), 60)
    if minutes < 10:
        return f"{minutes}m{second}s" if second else f"{minutes}m"
    if minutes < 3 * 60:
        return f"{minutes}m"
    hours, minute = divmod(minutes, 60)
    if hours < 8:
        return f"{hours}h{minute}m" if minute else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    return _of_days(*divmod(hours, 24))


def _of_days(days: int, hour: int) -> str:
    if days < 8:
        return f"{days}d{hour}h" if hour else f"{days}d"
    if days < 2 * 365:
        return f"{days}d"
    years, day = divmod(days, 365)
    return f"{years}y{day}d" if day and years < 8 else f"{years}y"


def moment(text: Any) -> datetime | None:
    """The moment that a stored time names; None for one that is not set."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def since(text: Any, now: datetime) -> str:
    """How long ago a stored time was."""
    found = moment(text)
    return UNKNOWN if found is None else human_duration(now - found)


def age(obj: Object, now: datetime) -> str:
    """How long ago an object was made."""
    return since((obj.get("metadata") or {}).get("creationTimestamp"), now)
