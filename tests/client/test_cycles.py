"""Clients that are opened and closed again and again leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import os
import resource

import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from tests.client.peers import Asked, peer, run
from tests.client.watch_script import eventually

GET = Request(method="GET", path="/api/v1/pods")


def fine(asked: Asked, request: web.BaseRequest) -> web.Response:
    return web.json_response({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": []})


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.slow
@pytest.mark.parametrize(("cycles", "tls"), [(300, False), (10_000, True)])
def test_nothing_is_left(cycles: int, tls: bool) -> None:
    """The many are over TLS, which has all that a plain connection has and more to leave behind."""

    async def test() -> None:
        async with peer(fine, tls=tls) as server:

            async def cycle(number: int) -> None:
                """A client that closes its block, or in turn one that is closed amid an answer."""
                if number % 2:
                    async with Client(server.config) as client:
                        await client.raw("GET", "/api/v1/pods")
                else:
                    sender = Sender(server.config)
                    async with sender.stream(GET) as stream:
                        await stream.chunk()
                    await sender.close()
                server.asked.clear()

            async def settled() -> None:
                # The server closes its ends when it has seen ours closed.
                while server.is_connected():  # noqa: ASYNC110 - a transport says no more than that
                    await asyncio.sleep(0.005)
                gc.collect()

            for number in range(100):
                await cycle(number)
            await settled()
            files, tasks, memory = descriptors(), len(asyncio.all_tasks()), resident()
            for number in range(cycles):
                await cycle(number)
            await settled()
            # A socket is closed some turns of the loop after its transport says that it is closing.
            await eventually(lambda: descriptors() <= files, within=20)
            await eventually(lambda: len(asyncio.all_tasks()) <= tasks, within=20)
            assert resident() - memory < 20e6

    run(test, within=3600)
