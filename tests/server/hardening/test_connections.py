"""More connections than there may be, and more than the system has open files for."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys

import pytest

from kubewright.server.handlers.call import Answer, Call, Reply
from kubewright.server.listener import ConnectionLimits
from kubewright.server.open_files import affordable_connections
from tests.server.hardening.listening import connect, listening


async def answer(_: Call) -> Reply:
    return Answer(b"ok\n")


def test_connections_are_bounded_and_come_back(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with listening(answer, limits=ConnectionLimits(max_connections=10)) as port:
            held = [await connect(port) for _ in range(10)]
            for client in held:
                await client.get("/api")
                assert await client.status() == 200
            for _ in range(5):
                assert await (await connect(port)).read_all() == b""
            assert len([each for each in caplog.records if "10 connections" in each.getMessage()]) == 1
            for client in held:
                client.close()
            while True:
                # Until the server has noticed.
                client = await connect(port)
                await client.get("/api", "Connection: close")
                if (await client.read_all()).startswith(b"HTTP/1.1 200 "):
                    break

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())


def test_connections_leave_room_for_other_files() -> None:
    assert affordable_connections(5) == 5
    script = (
        "import resource, json\n"
        "from kubewright.server.open_files import affordable_connections, raise_limit\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 600))\n"
        "low = affordable_connections(10_000)\n"
        "raise_limit()\n"
        "soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "print(json.dumps([low, soft, affordable_connections(10_000)]))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [50, 600, 400]


def test_the_server_survives_running_out_of_files() -> None:
    """Handshakes that stall take all files: later clients are served again when those are gone."""
    script = '''
import asyncio, resource, socket, sys
from kubewright.server.event_loop import new_event_loop
from kubewright.server.handlers.call import Answer
from kubewright.server.listener import ConnectionLimits
from tests.server.hardening.listening import HOST, connect, listening

async def answer(call):
    return Answer(b"ok")

async def main():
    async with listening(answer, limits=ConnectionLimits(handshake_timeout=1)) as port:
        # The client's sockets are open files of this process, too: a second process opens them.
        used = len(__import__("os").listdir("/proc/self/fd")) if sys.platform == "linux" else 64
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, used + 400))
        code = f"""
import resource, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
held = [socket.create_connection(({HOST!r}, {port})) for _ in range(100)]
print("held", flush=True)
sys.stdin.read()
"""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE
        )
        assert await process.stdout.readline() == b"held\\n"
        process.stdin.close()
        await process.wait()
        async with asyncio.timeout(30):
            while True:
                try:
                    client = await connect(port)
                    await client.get("/api", "Connection: close")
                    if (await client.read_all()).startswith(b"HTTP/1.1 200 "):
                        break
                except OSError:
                    await asyncio.sleep(0.1)
    print("served")

with asyncio.Runner(loop_factory=new_event_loop) as runner:
    runner.run(main())
'''
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.stdout.endswith("served\n"), run.stderr[-2000:]


def test_the_count_is_right_after_clients_that_leave_in_all_ways() -> None:
    async def scenario() -> None:
        async with listening(answer, limits=ConnectionLimits(max_connections=2, head_timeout=0.2)) as port:
            for number in range(12):
                client = await connect(port, tls=bool(number % 4))
                if number % 3 == 0:
                    client.close()
                elif number % 3 == 1:
                    await client.read_all() if number % 4 else client.close()
                else:
                    client.writer.close()
            statuses: list[bytes] = []

            async def ask() -> None:
                client = await connect(port)
                await client.get("/api", "Connection: close")
                statuses.append((await client.read_all())[:12])

            await ask()
            while statuses[-1] != b"HTTP/1.1 200":
                await ask()

    asyncio.run(asyncio.wait_for(scenario(), 60))
