"""Electors of one Lease: clocks that differ, servers that are slow or away, and who leads meanwhile."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from uuid import uuid4

import msgspec
import pytest

from kubewright.client.client import Client
from kubewright.client.request import Request
from kubewright.client.sender import Hooks
from kubewright.controllers.context import Context
from kubewright.controllers.leader_election import Elector, LeaderElection, LeadershipLost, elapsed
from kubewright.controllers.manager import Manager
from kubewright.controllers.requests import Request as Key
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import FaultProxy
from tests.controllers.running import PATIENCE, config_map, until
from tests.controllers.servers import Server

STEP = 0.5
"""Seconds by which the time of a test moves at once."""


class Time:
    """Time that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleeping: list[tuple[float, asyncio.Future[None]]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Wait until so much of it has passed."""
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleeping.append((self.now + seconds, woken))
        await woken

    @property
    def sleeping(self) -> int:
        """How many wait."""
        return sum(not woken.done() for _, woken in self._sleeping)

    async def pass_by(self, seconds: float, *, sleepers: int) -> None:
        """Let time pass in steps; after each, all so many that sleep have done what they woke up for."""
        end = self.now + seconds
        while self.now < end:
            self.now += STEP
            for moment, woken in self._sleeping:
                if moment <= self.now and not woken.done():
                    woken.set_result(None)
            await until(lambda: self.sleeping >= sleepers, "they sleep again")


def election(**options: float) -> LeaderElection:
    """With client-go's durations, or others; of a Lease that nobody else has."""
    return LeaderElection(name=f"elected-{uuid4()}", namespace="default", **options)  # type: ignore[arg-type]


def named(of: LeaderElection, identity: str) -> LeaderElection:
    return msgspec.structs.replace(of, identity=identity)


@asynccontextmanager
async def client_with_clock(server: Server, ahead: timedelta) -> AsyncIterator[Client]:
    """A client of a machine whose clock is wrong: all times that it writes are so much ahead."""

    def shifted(request: Request) -> Request | None:
        if request.method == "GET":
            return None
        body = json.loads(request.body)
        for field in ("renewTime", "acquireTime"):
            if body["spec"].get(field):
                moment = datetime.fromisoformat(body["spec"][field]) + ahead
                body["spec"][field] = moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
        return msgspec.structs.replace(request, body=json.dumps(body).encode())

    async with Client(server.config, hooks=Hooks(before=[shifted])) as client:
        yield client


@asynccontextmanager
async def task_of(work: Awaitable[None]) -> AsyncIterator[asyncio.Task[None]]:
    """A task that does not outlive the block."""
    task = asyncio.ensure_future(work)
    assert isinstance(task, asyncio.Task)
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, LeadershipLost):
            await task


@pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(days=-1)], ids=["ahead", "behind"])
def test_clocks_may_differ(server: Server, ahead: timedelta) -> None:
    async def test() -> None:
        clock, of = Time(), election()
        async with (
            client_with_clock(server, ahead) as skewed,
            Client(server.config) as right,
            asyncio.timeout(PATIENCE),
        ):
            one = Elector(skewed, named(of, "skewed"), clock=clock, sleep=clock.sleep)
            other = Elector(right, named(of, "right"), clock=clock, sleep=clock.sleep)
            await one.acquire()
            lease = await right.api(Lease, "default").get(of.name)
            assert lease.spec.renew_time is not None
            off = lease.spec.renew_time - datetime.now(lease.spec.renew_time.tzinfo)
            assert abs(off - ahead) < timedelta(hours=1), "the clock is wrong"
            async with task_of(other.acquire()) as waiting:
                async with task_of(one.hold()):
                    await until(lambda: clock.sleeping == 2, "both run")
                    await clock.pass_by(5 * of.lease_duration, sleepers=2)
                    assert one.is_leader()
                    assert not other.is_leader()
                # From here on it is as if it were dead.
                ended = clock.now
                while not waiting.done():
                    assert not (one.is_leader() and other.is_leader())
                    await clock.pass_by(STEP, sleepers=0)
                    await until(lambda: waiting.done() or clock.sleeping, "it has looked")
            took = clock.now - ended
            assert of.lease_duration - of.retry_period <= took
            # It may see the last renewal one look late, and the end of that another one; between two looks
            # are up to 2.2 periods and the step in which the time moves.
            assert took <= of.lease_duration + 2 * (2.2 * of.retry_period + STEP) + STEP

    asyncio.run(test())


def test_leadership_ends_with_the_renew_deadline_and_writes_have_the_rest_to_arrive(server: Server) -> None:
    async def test() -> None:
        clock, of = Time(), election()
        async with Client(server.config) as client:
            one, other = (Elector(client, named(of, each), clock=clock) for each in ("one", "other"))
            await one.acquire()
            begun = clock.now
            async with task_of(other.acquire()):
                await until(lambda: other.leader == "one", "it has seen who leads")
            clock.now = begun + of.renew_deadline - 0.1
            one.check()
            clock.now = begun + of.renew_deadline
            with pytest.raises(LeadershipLost, match="another manager may lead by now"):
                one.check()
            for leads, seconds in ((False, of.lease_duration - 0.1), (True, of.lease_duration)):
                clock.now = begun + seconds
                async with task_of(other.acquire()) as waiting:
                    await asyncio.wait([waiting], timeout=PATIENCE if leads else 0.3)
                assert other.is_leader() == leads

    asyncio.run(test())


def test_a_machine_that_slept_leads_no_more(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(time, "CLOCK_BOOTTIME"):
        pytest.skip("this system has no clock that counts sleep")

    async def test() -> None:
        async with Client(server.config) as client:
            elector = Elector(client, election())
            await elector.acquire()
            assert elector.is_leader()
            awake = time.clock_gettime
            monkeypatch.setattr(time, "clock_gettime", lambda clock: awake(clock) + 60)
            assert not elector.is_leader()
            with pytest.raises(LeadershipLost):
                elector.check()

    asyncio.run(test())


def test_those_who_wait_look_at_different_times(server: Server) -> None:
    async def test() -> None:
        of, pauses = election(), []

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) >= 20:
                raise asyncio.CancelledError

        async with Client(server.config) as client:
            await Elector(client, named(of, "leader")).acquire()
            with pytest.raises(asyncio.CancelledError):
                await Elector(client, named(of, "other"), sleep=sleep).acquire()
        assert all(of.retry_period <= each <= 2.2 * of.retry_period for each in pauses)
        assert max(pauses) - min(pauses) > 0.2 * of.retry_period

    asyncio.run(test())


@asynccontextmanager
async def behind_a_proxy(server: Server) -> AsyncIterator[tuple[FaultProxy, Client, Client]]:
    """A client whose connections can be broken, and one that has others."""
    with FaultProxy(server.url) as proxy:
        config = msgspec.structs.replace(server.config, server=proxy.url)
        async with Client(config) as one, Client(server.config) as other:
            yield proxy, one, other


async def never_two(one: Elector, other: Elector, led: list[float]) -> None:
    """Look all the time, and note when the first one led. Raises AssertionError."""
    while True:
        now = elapsed()
        if one.is_leader():
            led.append(now)
            assert not other.is_leader(), "two leaders"
        await asyncio.sleep(0.002)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["slow", "silent"])
def test_a_leader_without_a_server_steps_down_before_another_one_leads(server: Server, fault: str) -> None:
    async def test() -> None:
        # A busy machine may be away for a second or two: that is not the fault, and must not
        # hide who was first.
        of = election(lease_duration=5.0, renew_deadline=3.0, retry_period=0.2)
        async with behind_a_proxy(server) as (proxy, slow, quick), asyncio.timeout(PATIENCE):
            one, other = Elector(slow, named(of, "slow")), Elector(quick, named(of, "quick"))
            await one.acquire()
            led: list[float] = []
            async with (
                task_of(never_two(one, other, led)) as watching,
                task_of(other.acquire()) as waiting,
                task_of(one.hold()) as holding,
            ):
                await asyncio.sleep(of.renew_deadline + of.retry_period)
                assert one.is_leader(), "it is renewed"
                if fault == "slow":
                    proxy.delay(of.renew_deadline)
                else:
                    proxy.black_hole(new=True)
                with pytest.raises(LeadershipLost, match="could not be renewed in time"):
                    await holding
                assert not waiting.done()
                await waiting
                between = elapsed() - led[-1]
                assert not watching.done()
            assert between >= of.lease_duration - of.renew_deadline - 0.1, "it was not waited for"

    asyncio.run(test())


@pytest.mark.slow
def test_a_server_that_is_away_for_less_than_the_deadline_costs_nothing(server: Server) -> None:
    async def test() -> None:
        of = election(retry_period=0.1)
        async with behind_a_proxy(server) as (proxy, one, other), asyncio.timeout(PATIENCE):
            elector = Elector(one, named(of, "leader"))
            await elector.acquire()
            async with task_of(elector.hold()) as holding:
                for _ in range(2):
                    proxy.refuse()
                    assert proxy.cut()
                    before = proxy.connections
                    await until(lambda: proxy.connections >= before + 5, "it tries again")  # noqa: B023
                    assert elector.is_leader()
                    last = (await other.api(Lease, "default").get(of.name)).spec.renew_time
                    proxy.resume()
                    lease = await other.api(Lease, "default").wait_for(
                        of.name,
                        lambda lease: lease.spec.renew_time != last,  # noqa: B023
                        timeout=PATIENCE,
                    )
                    assert not holding.done()
                    assert (lease.spec.holder_identity, lease.spec.lease_transitions) == ("leader", 0)

    asyncio.run(test())


@pytest.mark.parametrize("broken_off", [True, False])
def test_a_lease_is_not_given_up_when_a_write_may_arrive_yet(server: Server, broken_off: bool) -> None:
    async def test() -> None:
        of = election()
        async with behind_a_proxy(server) as (proxy, slow, quick), asyncio.timeout(PATIENCE):
            begun = asyncio.Event()
            name = f"late-{uuid4()}"

            async def reconcile(ctx: Context, request: Key) -> None:
                if request.name == name and not begun.is_set():
                    begun.set()
                    await slow.api(ConfigMap, "default").patch(name, {"data": {"late": "yes"}})

            await slow.version()
            await quick.api(ConfigMap, "default").create(config_map(name))
            if broken_off:
                proxy.stall()
            # Who is not held up is waited for.
            patience = 0.2 if broken_off else PATIENCE
            async with Manager(quick, leader_election=of, signals=False, stop_timeout=patience) as manager:
                manager.controller(ConfigMap, reconcile)
                running = asyncio.create_task(manager.run())
                await begun.wait()
                manager.stop()
                await running
            holder = (await quick.api(Lease, "default").get(of.name)).spec.holder_identity
            assert bool(holder) == broken_off
            proxy.resume()

    asyncio.run(test())
