"""Turns within the process: few a round, in order, and none in the way of those who come over sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

import pytest

from kubewright import Client
from kubewright.cluster.loopback import loopback_client
from kubewright.cluster.turns import Turns
from kubewright.config import Config, config_from_kubeconfig
from kubewright.models.core_v1 import Namespace
from kubewright.server.arrivals import Arrivals
from kubewright.server.handlers.call import Answer, Call, Reply
from kubewright.server.http import Handle
from kubewright.server.registry.write import User
from kubewright.server.server import APIServer

JANE = User(name="jane", groups=("system:masters", "system:authenticated"))

PATIENCE = 60

BUSY = 200
"""How many ask within the process, each again as soon as it is answered."""


def _config(server: APIServer) -> Config:
    return config_from_kubeconfig(Path(server.kubeconfig).read_text())


async def rounds(turns: Turns, arrivals: Arrivals, heard: Collection[int]) -> tuple[list[int], list[int]]:
    """In which order twenty had their turns, and how many there were in each round.

    Something comes over a socket before those rounds that are in `heard`.
    """
    taken: list[int] = []

    async def take(number: int) -> None:
        await turns.take()
        taken.append(number)

    tasks = [asyncio.create_task(take(number)) for number in range(20)]
    seen = [0]
    while not all(task.done() for task in tasks):
        if len(seen) in heard:
            arrivals.count += 1
        await asyncio.sleep(0)
        seen.append(len(taken))
    return taken, [after - before for before, after in pairwise(seen) if after != before]


def test_a_few_turns_a_round_in_the_order_of_asking() -> None:
    arrivals = Arrivals()
    taken, each = asyncio.run(rounds(Turns(arrivals), arrivals, ()))
    assert taken == list(range(20))
    assert each == [4, 4, 4, 4, 4]


def test_one_turn_a_round_while_something_comes_over_sockets() -> None:
    arrivals = Arrivals()
    taken, each = asyncio.run(rounds(Turns(arrivals), arrivals, range(100)))
    assert taken == list(range(20))
    # Two have come by the first, as the tasks take a round to begin.
    assert each == [2, *[1] * 18]


def test_as_many_turns_as_come_over_sockets() -> None:
    class Many(Arrivals):
        """Three for each that is told."""

        def __setattr__(self, name: str, value: int) -> None:
            super().__setattr__(name, value + 2 if value else 0)

    arrivals = Many()
    taken, each = asyncio.run(rounds(Turns(arrivals), arrivals, range(100)))
    assert taken == list(range(20))
    assert each == [4, 3, 3, 3, 3, 3, 1]


def test_what_comes_is_made_way_for_for_some_rounds() -> None:
    arrivals = Arrivals()
    taken, each = asyncio.run(rounds(Turns(arrivals), arrivals, {4}))
    assert taken == list(range(20))
    first = each.index(1)
    assert set(each[:first]) == {4}
    assert each[first : first + 4] == [1, 1, 1, 4]


def test_a_turn_that_nobody_wants_any_more_is_given_to_the_next() -> None:
    async def test() -> None:
        turns = Turns(Arrivals())
        gone = [asyncio.create_task(turns.take()) for _ in range(50)]
        last = asyncio.create_task(turns.take())
        await asyncio.sleep(0)
        for task in gone:
            task.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        assert last.done()
        assert all(task.cancelled() for task in gone)

    asyncio.run(test())


def test_turns_go_on_after_a_rest() -> None:
    async def test() -> None:
        turns = Turns(Arrivals())
        for _ in range(3):
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*(turns.take() for _ in range(3)))
            for _ in range(3):
                await asyncio.sleep(0)

    asyncio.run(test())


def test_whoever_comes_over_a_socket_does_not_wait_for_all_that_is_asked_within(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many requests are ready within the process, few of them are answered before it."""
    at_work = asyncio.Event()
    answered: list[str] = []
    asked_at: list[int] = []

    def noted(handle: Handle) -> Handle:
        async def note(call: Call) -> Reply:
            reply = await handle(call)
            if isinstance(reply, Answer):
                answered.append(call.user.name)
            if len(answered) == BUSY:
                at_work.set()
            return reply

        return note

    async def test() -> None:
        async with APIServer() as server:
            config = _config(server)
            monkeypatch.setattr(server, "_handle", noted(server._handle))
            async with (
                loopback_client(server, user=lambda: JANE, user_agent="inside/1.0") as inside,
                Client(config) as outside,
                asyncio.timeout(PATIENCE),
            ):
                await outside.raw("GET", "/api/v1/namespaces/default")
                busy = [asyncio.create_task(_ask_for_ever(inside)) for _ in range(BUSY)]
                await at_work.wait()
                for _ in range(5):
                    asked_at.append(len(answered))
                    await outside.raw("GET", "/api/v1/namespaces/default")
                    asked_at.append(len(answered))
                for task in busy:
                    task.cancel()
                await asyncio.gather(*busy, return_exceptions=True)

    async def _ask_for_ever(client: Client) -> None:
        while True:
            await client.api(Namespace).get("default")

    asyncio.run(test())
    waited = [after - before for before, after in zip(asked_at[::2], asked_at[1::2], strict=True)]
    # A few a round: it takes some rounds here, and some there, since the client is in the same loop.
    assert max(waited) < 50, waited
