"""kubewright's own client of a server under test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from kubewright.client.client import Client
from kubewright.config import config_from_kubeconfig
from tests.conformance.client import ServerUnderTest

__all__ = ["PATIENCE", "connected", "until"]

PATIENCE = 120.0
"""Seconds for a whole test on a busy machine."""


def connected(server: ServerUnderTest, test: Callable[[Client], Awaitable[None]]) -> None:
    """Run a test with a client as the administrator."""
    config = config_from_kubeconfig(Path(server.kubeconfig).read_text())

    async def main() -> None:
        async with asyncio.timeout(PATIENCE), Client(config) as client:
            await test(client)

    asyncio.run(main())


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Ask until the server has come so far; the test as a whole has a time limit."""
    while True:
        if await holds():
            return
        await asyncio.sleep(0.02)
