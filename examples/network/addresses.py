"""Which network holds which addresses: a config map that all reconciles share.

Two reconciles, of two networks or of two managers, may look for free addresses at the same time. What keeps
them from both taking the same is the server: an update names the revision that was read, and is refused with
a Conflict when that is not the last one. The reconcile is then repeated, and finds the addresses taken.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_network
from typing import Final

from examples.network.types import Network
from kubewright import AlreadyExists, Conflict, Context
from kubewright.controllers import create_or_update
from kubewright.informers import Change
from kubewright.models.core_v1 import ConfigMap

__all__ = ["LEDGER", "NAMESPACE", "Overlaps", "is_ledger", "release", "take"]

NAMESPACE: Final = "default"
LEDGER: Final = "network-addresses"
"""The config map: for the uid of each network its cidr, a space, and its key. It has room for some 10,000."""


class Overlaps(Exception):
    """Some of the addresses are another network's."""


async def take(ctx: Context, network: Network) -> str:
    """Have a network hold the addresses that it wants, in place of those it held; the cidr as it is held.

    Raises Overlaps when another network holds some of them, and Conflict when others were faster.
    """
    wanted = ip_network(network.spec.cidr, strict=False)

    def change(ledger: ConfigMap) -> None:
        for uid, line in ledger.data.items():
            cidr, _, holder = line.partition(" ")
            if uid != network.metadata.uid and wanted.overlaps(ip_network(cidr)):
                raise Overlaps(f"{wanted} overlaps {cidr} of {holder}")
        ledger.data[network.metadata.uid] = f"{wanted} {network.key}"

    await _change(ctx, change)
    return str(wanted)


async def release(ctx: Context, network: Network) -> None:
    """Have a network hold nothing. Raises Conflict when others were faster."""

    def change(ledger: ConfigMap) -> None:
        ledger.data.pop(network.metadata.uid, None)

    await _change(ctx, change)


async def _change(ctx: Context, change: Callable[[ConfigMap], None]) -> None:
    try:
        await create_or_update(ctx.client.api(ConfigMap, NAMESPACE), LEDGER, change)
    except AlreadyExists as error:
        raise Conflict(error.status) from error  # It is new, and the cache has yet to hear of it.


def is_ledger(changed: Change[ConfigMap]) -> bool:
    """Whether a change is one of the config map."""
    return changed.key == f"{NAMESPACE}/{LEDGER}"
