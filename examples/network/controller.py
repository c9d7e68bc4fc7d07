"""The controller: takes the addresses of each network, and writes its plan into a config map."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from ipaddress import ip_network
from typing import Final

from examples.network.addresses import Overlaps, is_ledger, release, take
from examples.network.client import Clientset
from examples.network.types import Network, NetworkStatus
from kubewright import Context, Manager, NotFound, Request, Source
from kubewright.controllers import (
    Operation,
    create_or_update,
    finalize,
    find_condition,
    set_condition,
    set_controller_reference,
    status_of,
)
from kubewright.models.core_v1 import ConfigMap

__all__ = ["FINALIZER", "plan_of", "reconcile", "setup"]

FINALIZER: Final = "samplecrd.k8s.io/addresses"
"""Keeps a network until its addresses are given back: nobody else knows that they are taken."""
STATE: Final = "state"
"""The index of networks by the reason of their condition Ready."""


def setup(manager: Manager) -> None:
    """Register the controller; `kubewright manifests` makes its rights of the same."""

    async def waiting(_: ConfigMap) -> Iterable[Request]:
        """Networks that could not have their addresses: when some are given back, they may."""
        return map(Request.of, await manager.cached.api(Network).by(STATE, "Overlaps"))

    manager.index(Network, {STATE: _state})
    freed = Source(ConfigMap, waiting, predicates=[is_ledger])
    manager.controller(Network, reconcile, owns=[ConfigMap], watches=[freed], workers=2)


async def reconcile(ctx: Context, request: Request) -> None:
    """Bring one network into the state it should have."""
    networks = Clientset(ctx.client).samplecrd_v1.networks(request.namespace)  # reads from the cache
    try:
        found = await networks.get(request.name)
    except NotFound:
        return
    network = await finalize(ctx, found, FINALIZER, partial(give_back, ctx))
    if network is None:
        return  # It is being deleted, and its addresses are given back.
    async with status_of(ctx, network):
        status = network.status = network.status or NetworkStatus()
        try:
            status.cidr = await take(ctx, network)
        except Overlaps as error:
            tell(ctx, network, is_ready=False, reason="Overlaps", message=str(error))
            return  # Until addresses are given back, which leads here again.
        await write_plan(ctx, network)
        message = f"{status.cidr} with the gateway {network.spec.gateway}"
        tell(ctx, network, is_ready=True, reason="Allocated", message=message)


async def give_back(ctx: Context, network: Network) -> None:
    """What is done before a network goes; its plan goes with it, by its owner."""
    await release(ctx, network)
    ctx.log.info("%s: its addresses are given back", network.key)


async def write_plan(ctx: Context, network: Network) -> None:
    """Have a config map say what machines in the network need to know."""

    def change(plan: ConfigMap) -> None:
        set_controller_reference(network, plan)
        plan.data = plan_of(network)

    name = f"{network.metadata.name}-plan"
    maps = ctx.client.api(ConfigMap, network.metadata.namespace)
    _, operation = await create_or_update(maps, name, change)
    if operation is not Operation.UNCHANGED:
        ctx.events.normal(network, "Planned", f"{name} was {operation}")


def plan_of(network: Network) -> dict[str, str]:
    """What machines in a network need to know."""
    cidr = ip_network(network.spec.cidr, strict=False)
    return {
        "cidr": str(cidr),
        "gateway": network.spec.gateway,
        "netmask": str(cidr.netmask),
        "first": str(cidr[0]),
        "last": str(cidr[-1]),
    }


def tell(ctx: Context, network: Network, *, is_ready: bool, reason: str, message: str) -> None:
    """Say in the status how it is, and in an event and the log when that has changed."""
    status = network.status = network.status or NetworkStatus()
    generation = network.metadata.generation
    status.observed_generation = generation or 0
    before = find_condition(status.conditions, "Ready")
    known = (before.reason, before.message) if before is not None else None
    set_condition(
        status.conditions, "Ready", is_ready, reason=reason, message=message, observed_generation=generation
    )
    if known != (reason, message):
        ctx.log.info("%s: %s: %s", network.key, reason, message)
        (ctx.events.normal if is_ready else ctx.events.warning)(network, reason, message)


def _state(network: Network) -> list[str]:
    condition = find_condition(network.status.conditions, "Ready") if network.status is not None else None
    return [condition.reason] if condition is not None else []
