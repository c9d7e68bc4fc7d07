"""When a request that failed is sent again: only where the server cannot have acted on it twice."""

from __future__ import annotations

from random import Random
from typing import Final

__all__ = ["MAX_RETRIES", "READS", "delay_after_answer", "delay_after_break"]

MAX_RETRIES: Final = 10
"""client-go's; a server that still asks for patience after so many tries is to be believed."""

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 5.0
"""Seconds before a request is sent again whose connection broke; a server that restarts is back within some
of the longer ones."""

READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

_NOT_ACTED_ON: Final = frozenset({429, 503})
"""Answers of a server that has not begun with the request, whatever it was."""


def delay_after_answer(method: str, status: int, retry_after: int | None, attempt: int) -> float | None:
    """The seconds to wait before an answered request is sent again; None when it is not.

    The server has to ask for it with Retry-After. `attempt` counts from 0.
    """
    if retry_after is None or attempt >= MAX_RETRIES or status < 429:
        return None
    if status in _NOT_ACTED_ON or (status >= 500 and method in READS):
        return float(retry_after)
    return None


def delay_after_break(method: str, attempt: int, random: Random, *, was_sent: bool) -> float | None:
    """The same for a connection that broke before the answer was there.

    `was_sent` says that the server may have got the request; then only reads are repeated.
    """
    if attempt >= MAX_RETRIES // 2 or (was_sent and method not in READS):
        return None
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt)
    # Full jitter, so that those who lost their connection at once do not come back at once.
    return random.uniform(0, longest)
