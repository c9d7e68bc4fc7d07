"""Handlers that are slow, stuck or failing, and readers beside writers, over TLS to a server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from kubewright.client.api import Api
from kubewright.informers import Change, Informer
from kubewright.machinery.errors import Conflict, NotFound
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import FaultProxy
from tests.client.peers import run
from tests.informers.faults.connecting import Server, named, same_as_server, set_up
from tests.informers.faults.histories import History

ROOT = Path(__file__).parents[3]


def test_five_slow_handlers_hold_up_nobody(server: Server, proxy: FaultProxy) -> None:
    """One is blocked for ever, one fails, three are let go on by the test; one more is quick."""

    async def test() -> None:
        async with set_up(server, proxy, *(f"m{number}" for number in range(10))) as made:
            maps, informer, quick = made.maps, made.informer, made.history
            go_on = asyncio.Event()
            slow = [History() for _ in range(3)]

            async def blocked(change: Change[ConfigMap]) -> None:
                await asyncio.Event().wait()

            async def failing(change: Change[ConfigMap]) -> None:
                raise RuntimeError("it does not like this")

            def slowed(history: History):  # type: ignore[no-untyped-def]
                async def handler(change: Change[ConfigMap]) -> None:
                    await go_on.wait()
                    history(change)

                return handler

            stuck = informer.on_change(blocked)
            informer.on_change(failing)
            waiting = [informer.on_change(slowed(history)) for history in slow]
            for each in waiting:
                with pytest.raises(TimeoutError, match=r"was not told of all within 0\.01 seconds"):
                    await each.synced(timeout=0.01)
            for turn in range(20):
                for number in range(5):
                    last = await maps.patch(f"m{number}", {"data": {"k": f"turn {turn}"}})
            await maps.delete("m5")
            await maps.delete("m6")
            await maps.create(named("m6", k="anew"))
            last = await maps.create(named("new", k="1"))
            # Neither the store nor the quick handler waits for anybody.
            await informer.seen(last)
            await same_as_server(informer, maps)
            await quick.until_told("ADDED", "new")
            quick.check()
            # A queue holds what there is to tell of each object, not each of the hundred events.
            for each in (stuck, *waiting):
                assert len(each) <= 11
            assert all(history.told == [] for history in slow)
            go_on.set()
            for history in slow:
                await history.until_told("ADDED", "new")
                left = history.check()
                assert {each.name for each in left.values()} == {f"m{n}" for n in range(10) if n != 5} | {
                    "new"
                }
                assert len(history.told) < 40
                for number in range(5):
                    assert history.of(f"m{number}")[-1].state == {"k": "turn 19"}
                # An object that is gone before the handler was told of it is told as added and deleted.
                assert [each.type for each in history.of("m5")] == ["ADDED", "DELETED"]
                assert [(each.type, each.state["k"]) for each in history.of("m6")] == [
                    ("ADDED", "1"),
                    ("DELETED", "1"),
                    ("ADDED", "anew"),
                ]

    run(test)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory as Linux shows it")
def test_many_events_for_a_stuck_handler_need_little_memory() -> None:
    """200,000 events of 800 bytes: their objects would be 300 MB if the handler's queue kept them."""
    command = [sys.executable, "-m", "tests.informers.faults.stuck_handler", "200000"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    before, most, waiting, told = json.loads(ran.stdout)
    assert most - before < 40_000, f"{most - before:,} kB more than the {before:,} at first"
    assert waiting == 50
    assert told >= 50


async def write_and_read(
    maps: Api[ConfigMap], informer: Informer[ConfigMap], writer: int, random: Random
) -> None:
    """Writes, and after each write sees it, or what somebody wrote after it."""
    for turn in range(15):
        name = f"m{random.randrange(4)}"
        key = f"{maps.namespace}/{name}"
        try:
            if random.random() < 0.3:
                gone = await maps.delete(name, uid=(await maps.get(name)).metadata.uid)
                uid = gone.details.uid if hasattr(gone, "details") and gone.details else ""
                # A Status says no revision; the next write of this writer comes after it.
                mark = await maps.create({"metadata": {"generateName": f"mark{writer}-"}})
                await informer.seen(mark)
                found = informer.get(key)
                assert found is None or found.metadata.uid != uid
                continue
            written = await maps.apply(named(name, k=f"{writer}/{turn}"), manager="writer", force=True)
        except (NotFound, Conflict):
            # Somebody else was faster.
            continue
        await informer.seen(written)
        found = informer.get(key)
        revision = int(written.metadata.resource_version)
        if found is not None and found.metadata.uid == written.metadata.uid:
            assert int(found.metadata.resource_version) >= revision
            if found.metadata.resource_version == written.metadata.resource_version:
                assert found.data == written.data
        elif found is None:
            # Only because somebody deleted it since.
            with pytest.raises((NotFound, Conflict)):
                await maps.delete(name, uid=written.metadata.uid)


@pytest.mark.parametrize("streams", [False, True], ids=["pages", "streams"])
def test_what_was_written_is_read(server: Server, proxy: FaultProxy, streams: bool) -> None:
    """Under load by ten writers, and with connections that are cut."""

    async def test() -> None:
        async with set_up(server, proxy, streams=streams) as made:
            writing = [
                asyncio.create_task(
                    write_and_read(made.maps, made.informer, number, Random(number))  # noqa: S311 - the same in every run
                )
                for number in range(10)
            ]
            pending = set(writing)
            while pending:
                heard = len(made.history.told)
                _, pending = await asyncio.wait(pending, timeout=0.1)
                # On a machine on which it takes longer to connect nothing would ever come through.
                if len(made.history.told) > heard:
                    proxy.cut()
            await asyncio.gather(*writing)
            last = await made.maps.create(named("end"))
            await made.informer.seen(last)
            await same_as_server(made.informer, made.maps)
            await made.history.until_told("ADDED", "end")
            made.history.check()

    run(test)
