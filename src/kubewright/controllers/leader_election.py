"""Leader election on Leases, with client-go's timings: of all managers of an operator one works at a time."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from datetime import UTC
from random import Random
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import msgspec

from kubewright.client.client import Client
from kubewright.controllers.leases import Observed, claimed, released
from kubewright.machinery.errors import AlreadyExists, Conflict, KubewrightError, NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.time import MicroTime

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.models.coordination_v1 import Lease

__all__ = ["Elector", "LeaderElection", "LeadershipLost", "elapsed"]

_JITTER: Final = 1.2
"""By which part of itself a pause between attempts to lead is longer at most: client-go's JitterFactor."""

_CLOCK: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)
"""Linux's clock that goes on while the machine sleeps; others lead on meanwhile."""

_log: Final = logging.getLogger("kubewright.controllers")


def elapsed() -> float:
    """Seconds, those included in which the machine slept, where the system counts them."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


class LeadershipLost(KubewrightError):
    """This manager leads no more: end the process, so that a new one can stand for election."""


class LeaderElection(msgspec.Struct, frozen=True, kw_only=True):
    """Who is elected, and how patient everybody is; the defaults are client-go's.

    A leader that cannot renew its lease for `renew_deadline` seconds stops; others take over when it has not
    changed for `lease_duration`. The difference is the time that it has for stopping.
    """

    name: str
    """Of the Lease, the same for all managers of an operator."""
    namespace: str = ""
    """Where the Lease is; the client's namespace when it is empty."""
    identity: str = ""
    """Who this is, different for each manager; made of the host's name when it is empty."""
    lease_duration: float = 15.0
    renew_deadline: float = 10.0
    retry_period: float = 2.0
    release: bool = True
    """Whether the lease is given up on stop, so that the next one leads at once."""

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a leader election needs the name of its Lease")
        if not self.lease_duration > self.renew_deadline:
            raise ValueError("lease_duration must be more than renew_deadline, or there could be two leaders")
        if not self.renew_deadline > self.retry_period * _JITTER:
            raise ValueError(f"renew_deadline must be more than {_JITTER} times retry_period")
        if self.retry_period <= 0:
            raise ValueError("retry_period must be more than 0 seconds")

    def elector(self, client: Client) -> Elector:
        """One who stands for election."""
        return Elector(client, self)


class Elector:
    """Stands for election: `acquire`, then `hold` while working, then `release`.

    What it guarantees: while `is_leader` says yes, no other elector's does, if all of them use the same
    durations and clocks run at the same rate; whatever happens to processes, machines, connections and the
    API server. It is judged by this process's clock each time it is asked, so that a process that was stopped
    and goes on knows that it leads no more before it does anything. `is_leader` ends `renew_deadline` seconds
    after the last renewal was sent, and nobody else leads before `lease_duration` seconds: what was sent
    while it said yes has the difference to arrive.
    """

    def __init__(
        self,
        client: Client,
        election: LeaderElection,
        *,
        clock: Callable[[], float] = elapsed,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._election: Final = election
        self._client: Final = client
        self._clock: Final = clock
        self._sleep: Final = sleep
        self._random: Final = Random()  # noqa: S311 - for pauses
        self.identity: Final = election.identity or f"{socket.gethostname()}_{uuid4()}"
        self.namespace: Final = election.namespace or client.config.namespace
        self._observed: Observed | None = None
        self._lease: Lease | None = None
        self._renewed = float("-inf")
        """When the last renewal that succeeded was sent: the lease counts from later on."""
        self._broken_off = float("-inf")

    def is_leader(self) -> bool:
        """Whether this one leads, now."""
        return self._clock() < self._renewed + self._election.renew_deadline

    def check(self) -> None:
        """Raise LeadershipLost when another one may lead: as a Fence it is asked right before each write."""
        if not self.is_leader():
            raise LeadershipLost("another manager may lead by now, so nothing is written any more")

    def broken_off(self) -> None:
        """Hear that a write was given up while it was under way, which the next leader should not meet."""
        self._broken_off = self._clock()

    @property
    def leader(self) -> str:
        """Who leads, as far as is known."""
        return self._observed.holder if self._observed is not None else ""

    async def acquire(self) -> None:
        """Wait until this one leads."""
        told = ""
        while not await self._tried(self._election.renew_deadline):
            if self.leader and self.leader != told:
                told = self.leader
                _log.info("%s leads %s; waiting", told, self._election.name)
            pause = self._election.retry_period
            await self._sleep(pause * (1 + self._random.uniform(0, _JITTER)))
        _log.info("%s leads %s now", self.identity, self._election.name)

    async def hold(self) -> None:
        """Renew the lease until that fails for too long. Raises LeadershipLost."""
        election = self._election
        while True:
            await self._sleep(election.retry_period)
            left = self._renewed + election.renew_deadline - self._clock()
            if left > 0:
                await self._tried(left)
            observed = self._observed
            taken = observed is not None and observed.holder != self.identity
            if taken or self._clock() >= self._renewed + election.renew_deadline:
                self._renewed = float("-inf")
                why = f"{self.leader} has it" if taken and self.leader else "it could not be renewed in time"
                raise LeadershipLost(f"the lease {election.name} is lost: {why}")

    async def release(self) -> None:
        """Give the lease up, if it is held, so that another one can lead at once.

        Not when a write was given up just now that may arrive yet: then it runs out by itself.
        """
        if not self._election.release or not self.is_leader():
            return
        if self._clock() < self._broken_off + self._election.lease_duration:
            _log.info("the lease %s is left to run out: a write was broken off", self._election.name)
            return
        self._renewed = float("-inf")
        try:
            async with asyncio.timeout(self._election.renew_deadline):
                await self._give_up()
        except (KubewrightError, TimeoutError) as error:
            _log.warning("the lease %s was not given up: %s", self._election.name, error)

    async def _tried(self, within: float) -> bool:
        """Whether an attempt to lead, or to lead on, succeeded."""
        began = self._clock()
        try:
            async with asyncio.timeout(within):
                succeeded = await self._attempt()
        except (AlreadyExists, Conflict):
            # Somebody else was faster.
            self._lease = None
            return False
        except (KubewrightError, TimeoutError) as error:
            self._lease = None
            why = str(error) or "no answer came in time"
            _log.warning("the lease %s could not be written: %s", self._election.name, why)
            return False
        if succeeded:
            self._renewed = began
        return succeeded

    async def _attempt(self) -> bool:
        """One attempt. Raises ApiError and TransportError."""
        leases = self._api()
        lease = self._lease
        if lease is None or not self.is_leader():
            # Somebody else may have written it; who leads and knows its last record need not ask.
            try:
                lease = await leases.get(self._election.name)
            except NotFound:
                self._note(await leases.create(self._new()))
                return True
            self._note(lease)
        observed = self._observed
        if observed is not None and observed.is_taken(self.identity, self._clock()):
            return False
        lease.spec = claimed(lease.spec, self.identity, self._election.lease_duration, MicroTime.now(UTC))
        self._note(await leases.update(lease))
        return True

    async def _give_up(self) -> None:
        leases = self._api()
        while True:
            lease = self._lease or await leases.get(self._election.name)
            if lease.spec.holder_identity != self.identity:
                return
            lease.spec = released(lease.spec, MicroTime.now(UTC))
            try:
                await leases.update(lease)
            except Conflict:
                # A renewal that was under way has come first.
                self._lease = None
                continue
            return

    def _note(self, lease: Lease) -> None:
        self._lease = lease
        self._observed = Observed.of(lease, self._observed, self._clock())

    def _new(self) -> Lease:
        from kubewright.models.coordination_v1 import Lease  # noqa: PLC0415 - for those who elect only

        spec = claimed(None, self.identity, self._election.lease_duration, MicroTime.now(UTC))
        return Lease(metadata=ObjectMeta(name=self._election.name), spec=spec)

    def _api(self) -> Api[Lease]:
        from kubewright.models.coordination_v1 import Lease  # noqa: PLC0415 - see _new

        return self._client.api(Lease, self.namespace)
