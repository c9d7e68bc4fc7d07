"""So many calls, with so many of them under way at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


async def fly(call: Callable[[int], Awaitable[object]], count: int, flight: int) -> None:
    """Make `count` calls from `flight` tasks."""
    numbers = iter(range(count))

    async def worker() -> None:
        for number in numbers:
            await call(number)

    async with asyncio.TaskGroup() as group:
        for _ in range(flight):
            group.create_task(worker())
