"""How these tests run coroutines: with an end, since what breaks a queue makes somebody wait for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. Raises TimeoutError when it waits for 30 seconds, which nothing here does."""

    async def bounded() -> T:
        async with asyncio.timeout(30):
            return await main

    return asyncio.run(bounded())
