"""What a Lease says about who leads, and what follows from it: rules without I/O or clocks of their own.

Times in a Lease are for people to read. Whether one has run out is judged by the reader's own clock, from the
moment at which it first saw the record as it is, so that clocks of machines may differ by any amount.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.machinery.time import MicroTime

if TYPE_CHECKING:
    from kubewright.models.coordination_v1 import Lease, LeaseSpec

__all__ = ["Observed", "claimed", "released"]

_RELEASED_FOR: Final = 1
"""Seconds for which a lease that was given up is still said to last; the API wants more than 0."""


class Observed(NamedTuple):
    """A record as it was last seen, and since when it has been so."""

    holder: str
    record: tuple[object, ...]
    duration: float
    since: float
    """By the reader's clock."""

    @classmethod
    def of(cls, lease: Lease, before: Observed | None, now: float) -> Observed:
        """What a lease says; a record that is as before is as old as before."""
        spec = lease.spec
        record = (spec.holder_identity, spec.renew_time, spec.acquire_time, spec.lease_transitions)
        if before is not None and before.record == record:
            return before
        return cls(spec.holder_identity, record, float(spec.lease_duration_seconds or 0), now)

    def is_taken(self, identity: str, now: float) -> bool:
        """Whether somebody else leads, for all that is known."""
        return bool(self.holder) and self.holder != identity and now < self.since + self.duration


def claimed(spec: LeaseSpec | None, identity: str, duration: float, now: MicroTime) -> LeaseSpec:
    """The record with which somebody leads, or leads on."""
    from kubewright.models.coordination_v1 import LeaseSpec  # noqa: PLC0415 - for those who elect only

    leads_on = spec is not None and spec.holder_identity == identity
    acquired = spec.acquire_time if spec is not None and leads_on else None
    transitions = 0 if spec is None else (spec.lease_transitions or 0) + (0 if leads_on else 1)
    return LeaseSpec(
        holder_identity=identity,
        # Rounded up: who reads it must not think that it ends before its holder does.
        lease_duration_seconds=math.ceil(duration),
        acquire_time=acquired or now,
        renew_time=now,
        lease_transitions=transitions,
    )


def released(spec: LeaseSpec, now: MicroTime) -> LeaseSpec:
    """The record with which nobody leads, so that the next one need not wait."""
    from kubewright.models.coordination_v1 import LeaseSpec  # noqa: PLC0415 - see above

    return LeaseSpec(
        holder_identity="",
        lease_duration_seconds=_RELEASED_FOR,
        acquire_time=now,
        renew_time=now,
        lease_transitions=spec.lease_transitions,
    )
