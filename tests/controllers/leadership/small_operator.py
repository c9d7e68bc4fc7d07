"""An operator as a process of its own: `python -m tests.controllers.leadership.small_operator OPTIONS`.

It does two things, both of which show when two leaders are at work. For ConfigMaps with the label
`role: item` it makes one child with a generated name and notes it. In those with `role: counter` it adds 1
for ever, by patches that no resourceVersion guards. Whatever it writes says which manager wrote it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from itertools import count
from pathlib import Path

import msgspec

from kubewright import Manager
from kubewright.client.client import Client
from kubewright.config import Config, config_from_kubeconfig
from kubewright.controllers import logs
from kubewright.controllers.context import Context
from kubewright.controllers.leader_election import Elector, LeaderElection, LeadershipLost
from kubewright.controllers.predicates import has_labels
from kubewright.controllers.requests import Request, Result
from kubewright.models.core_v1 import ConfigMap

__all__ = ["COUNT_EVERY", "LEASE", "Options", "Timing"]

LEASE = "leadership"
"""The Lease that all of them share."""

COUNT_EVERY = 0.02
"""Seconds between two additions to a counter."""


class Timing(msgspec.Struct, frozen=True):
    """The durations of the election."""

    lease: float
    renew: float
    retry: float


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator is told."""

    name: str
    kubeconfig: str
    namespace: str
    acts: str
    """The file to which it appends when it was leader."""
    timing: Timing
    again: bool
    """Whether a manager that has lost its leadership is followed by another one, in the same process."""
    unfenced: bool = False
    """Whether it believes for ever that it leads: a fault that the oracles must see."""


class Recorded(LeaderElection, frozen=True, kw_only=True):
    """An election whose elector can be asked."""

    electors: list[Elector]
    unfenced: bool = False

    def elector(self, client: Client) -> Elector:
        """One who stands for election."""
        made = (Unfenced if self.unfenced else Elector)(client, self)
        self.electors.append(made)
        return made


class Unfenced(Elector):
    """An elector that believes for ever that it leads, once it has."""

    def is_leader(self) -> bool:
        """Always."""
        return True


class Work:
    """The reconciler of one manager."""

    def __init__(self, options: Options, identity: str, electors: list[Elector]) -> None:
        self._identity = identity
        self._electors = electors
        self._acts = os.open(options.acts, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """One item, or one counter."""
        self.act()
        maps = ctx.client.api(ConfigMap, request.namespace)
        found = await maps.get(request.name)
        if found.metadata.labels.get("role") == "counter":
            number = int(found.data.get("count", "0")) + 1
            self.act()
            await maps.patch(request.name, {"data": {"count": str(number), "writer": self._identity}})
            return Result(requeue_after=COUNT_EVERY)
        if "child" in found.data:
            return None
        children = [each async for each in maps.list(labels={"of": request.name})]
        if children:
            child = children[0]
        else:
            self.act()
            child = await maps.create(self._child(request.name))
        found = found.copy()
        found.data = {**found.data, "child": child.metadata.name, "writer": self._identity}
        self.act()
        await maps.update(found)
        return None

    def act(self) -> None:
        """Note that this one is leader: at a moment between the two that are written down."""
        before = time.monotonic()
        if self._electors[-1].is_leader():
            line = f"{self._identity} {before!r} {time.monotonic()!r}\n"
            os.write(self._acts, line.encode())

    def _child(self, item: str) -> ConfigMap:
        metadata = {"generateName": f"{item}-", "labels": {"of": item}}
        return ConfigMap.from_dict({"metadata": metadata, "data": {"writer": self._identity}})


async def run(options: Options, config: Config) -> None:
    """Run until SIGTERM, or until leadership is lost."""
    for term in count():
        identity = f"{options.name}.{os.getpid()}.{term}"
        electors: list[Elector] = []
        election = Recorded(
            name=LEASE,
            namespace=options.namespace,
            identity=identity,
            lease_duration=options.timing.lease,
            renew_deadline=options.timing.renew,
            retry_period=options.timing.retry,
            electors=electors,
            unfenced=options.unfenced,
        )
        work = Work(options, identity, electors)
        async with Client(config) as client:
            try:
                async with Manager(
                    client, leader_election=election, namespaces=options.namespace, stop_timeout=5
                ) as manager:
                    manager.controller(
                        ConfigMap,
                        work.reconcile,
                        predicates=[has_labels("role in (item, counter)")],
                        workers=4,
                    )
                    await manager.run()
                    return
            except LeadershipLost:
                if not options.again:
                    raise


if __name__ == "__main__":
    logs.configure()
    told = msgspec.json.decode(sys.argv[1], type=Options)
    asyncio.run(run(told, config_from_kubeconfig(Path(told.kubeconfig).read_text())))
