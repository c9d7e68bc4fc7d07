"""Who of those within the process may ask the server next, so that callers over sockets need not wait."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubewright.server.arrivals import Arrivals

__all__ = ["Turns"]

_AT_ONCE: Final = 4
"""Turns in a round of the event loop: some two milliseconds. What many writes cause is done once for all that
came together, so that one by one they take half as long again."""

_MAKING_WAY: Final = 3
"""Rounds that have one turn alone after something has come over a socket: in as many it is answered."""


class Turns:
    """Turns that are given in the order in which they were asked for, a few in each round of the event loop.

    A request within the process is answered without waiting for anything. As many of them as are ready would
    run in one round of the event loop, and a request over a socket, which takes some rounds, would wait for
    all of them in each: a hundred controllers at work would be felt by everybody. With few turns a round it
    waits for few, however many there are, and with one while there is such a request, for hardly any. Where
    many come at once there are as many turns for those within, who thus go on however much comes.
    """

    __slots__ = ("_arrivals", "_giving", "_making_way", "_seen", "_waiting")

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals: Final = arrivals
        self._seen = arrivals.count
        self._making_way = 0
        self._waiting: Final[deque[asyncio.Future[None]]] = deque()
        self._giving = False

    async def take(self) -> None:
        """Wait for a turn, which is over with the round."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        if not self._giving:
            self._giving = True
            loop.call_soon(self._give, loop)
        await turn

    def _give(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the next turns, and see to those after them in the next round."""
        given, most = 0, self._turns_now()
        while given < most and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # Whoever was cancelled wants it no more.
                turn.set_result(None)
                given += 1
        # While there were any there may be more: whoever has a turn now asks for the next one in the round.
        self._giving = given > 0
        if self._giving:
            loop.call_soon(self._give, loop)

    def _turns_now(self) -> int:
        """How many turns this round has."""
        arrived = self._arrivals.count - self._seen
        if arrived:
            self._seen = self._arrivals.count
            self._making_way = _MAKING_WAY - 1
            # As many as there are outside: their rounds are long, and who is inside shall have his share.
            return min(arrived, _AT_ONCE)
        if not self._making_way:
            return _AT_ONCE
        self._making_way -= 1
        return 1
