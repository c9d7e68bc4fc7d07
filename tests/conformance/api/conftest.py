"""The client under test, in an event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from kubewright.client.client import Client
from kubewright.config import Config, config_from_kubeconfig
from tests.conformance.client import ServerUnderTest

R = TypeVar("R")

Use = Callable[[Callable[[Client], Awaitable[R]]], R]


@pytest.fixture(scope="session")
def config(server: ServerUnderTest) -> Config:
    """How to reach the server."""
    return config_from_kubeconfig(Path(server.kubeconfig).read_text())


@pytest.fixture
def use(config: Config) -> Use[object]:
    """Runs a function with a client."""

    def using(work: Callable[[Client], Awaitable[object]]) -> object:
        async def main() -> object:
            async with asyncio.timeout(120), Client(config) as client:
                return await work(client)

        return asyncio.run(main())

    return using
