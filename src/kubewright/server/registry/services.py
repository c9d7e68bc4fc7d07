"""The addresses and ports that services hold, of which each is given out once."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TYPE_CHECKING, Final

from kubewright.machinery.gvk import GroupKind
from kubewright.server.errors import invalid, refusal
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.store import Reserved
from kubewright.server.registry.stored import decode_stored
from kubewright.server.storage import Storage

if TYPE_CHECKING:
    from kubewright.server.kinds.core.service_allocation import Allocation

__all__ = ["ServiceReservations"]

_SERVICE: Final = GroupKind("", "Service")


class ServiceReservations:
    """Cluster IPs and node ports; what is taken is read from the stored services when it is first asked."""

    def __init__(self, storage: Storage, prefix: str, random: Random) -> None:
        self._storage: Final = storage
        self._prefix: Final = prefix
        self._random: Final = random
        self._known: tuple[set[str], set[int]] | None = None

    def reserve(self, obj: Object, old: Object | None, *, dry_run: bool) -> Reserved:
        """See `Reservations`. Raises Invalid and InternalError."""
        from kubewright.server.kinds.core.service_allocation import allocate_service  # noqa: PLC0415 - on use

        ips, ports = self._taken()
        made = allocate_service(
            obj, old, taken_ips=ips, taken_ports=ports, random=self._random, dry_run=dry_run
        )
        if made.errors:
            raise invalid(_SERVICE, obj["metadata"].get("name", ""), made.errors)
        if made.failure:
            raise refusal(500, made.reason, made.failure)
        ips.update(made.ips)
        ports.update(made.ports)
        return _Reserved(self, made)

    def release(self, obj: Object) -> None:
        """See `Reservations`."""
        from kubewright.server.kinds.core.service_allocation import allocated_by  # noqa: PLC0415 - on use

        held = allocated_by(obj)
        self.free(held.ips, held.ports)

    def free(self, ips: Iterable[str], ports: Iterable[int]) -> None:
        """Let go of addresses and ports."""
        taken_ips, taken_ports = self._taken()
        taken_ips.difference_update(ips)
        taken_ports.difference_update(ports)

    def _taken(self) -> tuple[set[str], set[int]]:
        if self._known is None:
            from kubewright.server.kinds.core.service_allocation import allocated_by  # noqa: PLC0415 - on use

            ips: set[str] = set()
            ports: set[int] = set()
            for entry in self._storage.list(self._prefix).entries:
                held = allocated_by(decode_stored(entry.value))
                ips.update(held.ips)
                ports.update(held.ports)
            self._known = (ips, ports)
        return self._known


class _Reserved:
    """What was taken for one write of a service."""

    def __init__(self, reservations: ServiceReservations, made: Allocation) -> None:
        self._reservations: Final = reservations
        self._made: Final = made

    def written(self) -> None:
        self._reservations.free(self._made.released.ips, self._made.released.ports)

    def failed(self) -> None:
        self._reservations.free(self._made.ips, self._made.ports)
