"""A client-side limit of requests per second, as a token bucket."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

__all__ = ["RateLimiter"]


class RateLimiter:
    """Lets `burst` requests pass at once, and `qps` a second in the long run, in the order they came."""

    def __init__(
        self,
        qps: float,
        burst: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        if qps <= 0 or burst < 1:
            raise ValueError(f"qps must be more than 0 and burst at least 1, not {qps} and {burst}")
        self._interval: Final = 1 / qps
        self._capacity: Final = burst * self._interval
        self._clock: Final = clock
        self._sleep: Final = sleep
        self._next = clock() - self._capacity
        """When the bucket would be full but for `burst` tokens: each request moves it by an interval."""

    async def acquire(self) -> None:
        """Wait for a turn. A caller that is cancelled while it waits has used its turn up."""
        now = self._clock()
        # Tokens beyond the burst are not saved up.
        self._next = max(self._next, now - self._capacity) + self._interval
        wait = self._next - now
        if wait > 0:
            await self._sleep(wait)
