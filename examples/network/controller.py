"""A controller that logs what it would do for networks: set up, change, take down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from examples.network.client import InformerFactory, Listers
from examples.network.client.listers import NetworkLister
from kubewright import Client, Informers, KubewrightError
from kubewright.workqueue import ShutDown, WorkQueue

Log = Callable[[str], None]
Networks = dict[str, tuple[str, str]]
"""The cidr and the gateway of each network by its key."""


async def run(client: Client, log: Log, *, workers: int = 2) -> None:
    """The controller, until it is cancelled."""
    queue = WorkQueue[str](name="networks")
    async with Informers(client) as informers, asyncio.TaskGroup() as tasks:
        networks = InformerFactory(informers).samplecrd_v1.networks()
        reconciler = Reconciler(Listers(informers).samplecrd_v1.networks(), log)
        await informers.synced()  # or a worker would take what it does not know yet for deleted
        log(f"synced, {len(networks)} networks")
        networks.on_change(lambda change: queue.add(change.key))
        for _ in range(workers):
            tasks.create_task(work(queue, reconciler, log))


async def work(queue: WorkQueue[str], reconciler: Reconciler, log: Log) -> None:
    """One worker: takes what is to be done, one after the other, and again later what failed."""
    with suppress(ShutDown):
        while True:
            async with queue.take() as key:  # nobody else has it until the block ends
                try:
                    reconciler.reconcile(key)
                    queue.forget(key)
                except KubewrightError as error:
                    queue.add_rate_limited(key)  # after 5 ms, 10 ms, 20 ms, ...
                    log(f"{key}: try {queue.retries(key)} failed: {error}")


class Reconciler:
    """Compares what is wanted with what there is, and would do the rest.

    It gets keys and no events: what happened does not matter, only what should be. What there is would be
    asked of the outside world; here it is what was logged.
    """

    def __init__(self, networks: NetworkLister, log: Log) -> None:
        self._wanted: Final = networks
        self._log: Final = log
        self._there: Final[Networks] = {}

    def reconcile(self, key: str) -> None:
        """Bring one network into the state it should have."""
        network, there = self._wanted.get(key), self._there.get(key)
        if network is None:
            if self._there.pop(key, None) is not None:
                self._log(f"{key}: would take the network down")
            return
        cidr, gateway = network.spec.cidr, network.spec.gateway
        if there is None:
            self._log(f"{key}: would set up {cidr} with the gateway {gateway}")
        elif there != (cidr, gateway):
            self._log(f"{key}: would change {there[0]} with {there[1]} to {cidr} with {gateway}")
        self._there[key] = (cidr, gateway)
