"""How a Deployment gets from its old pods to new ones: sizes of ReplicaSets, computed without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.machinery.intstr import scaled_value_from_int_or_percent

if TYPE_CHECKING:
    from kubewright.machinery.intstr import IntOrString
    from kubewright.models.apps_v1 import Deployment

__all__ = [
    "ROLLING_UPDATE",
    "Limits",
    "Scaling",
    "Share",
    "Size",
    "in_proportion",
    "limits_of",
    "new_size",
    "resolve_fenceposts",
    "rolling_step",
    "scale_down_old",
]

ROLLING_UPDATE: Final = "RollingUpdate"
"""The strategy that has limits."""


class Limits(NamedTuple):
    """Between how many pods a Deployment may have."""

    desired: int
    max_surge: int
    max_unavailable: int

    @property
    def most(self) -> int:
        """How many pods there may be in total."""
        return self.desired + self.max_surge

    @property
    def min_available(self) -> int:
        """How many have to be available."""
        return self.desired - self.max_unavailable


class Size(NamedTuple):
    """A ReplicaSet as far as its size is concerned."""

    name: str
    replicas: int
    """What its spec asks for."""
    available: int
    """What its status says."""


class Scaling(NamedTuple):
    """One ReplicaSet that gets another size."""

    name: str
    replicas: int


def resolve_fenceposts(
    max_surge: IntOrString | None, max_unavailable: IntOrString | None, desired: int
) -> tuple[int, int]:
    """The two numbers that a strategy means, which are never both 0. Raises ParseError.

    A percentage of surge is rounded up, one of unavailability down. Where both come out as 0, one pod may be
    unavailable: there may be no room for a surge.
    """
    surge = scaled_value_from_int_or_percent(max_surge or 0, desired, round_up=True)
    unavailable = scaled_value_from_int_or_percent(max_unavailable or 0, desired, round_up=False)
    return surge, unavailable if surge or unavailable else 1


def limits_of(deployment: Deployment) -> Limits:
    """The limits of a Deployment; those of one that is not rolling have no room."""
    spec = deployment.spec
    desired = spec.replicas if spec.replicas is not None else 1
    rolling = spec.strategy.rolling_update
    if spec.strategy.type != ROLLING_UPDATE or rolling is None:
        return Limits(desired, 0, 0)
    surge, unavailable = resolve_fenceposts(rolling.max_surge, rolling.max_unavailable, desired)
    return Limits(desired, surge, min(unavailable, desired))


def new_size(limits: Limits, new: Size, old: Iterable[Size]) -> int:
    """How large the new ReplicaSet is to be: as large as the total allows, up to what is desired."""
    if new.replicas > limits.desired:
        return limits.desired
    total = new.replicas + sum(each.replicas for each in old)
    room = max(limits.most - total, 0)
    return new.replicas + min(room, limits.desired - new.replicas)


def scale_down_old(limits: Limits, new: Size, old: Sequence[Size]) -> list[Scaling]:
    """Which old ReplicaSets shrink; `old` from the oldest to the youngest.

    First go pods that are not available anyway, as many as leave enough when none of the new ones that are
    missing becomes available. Then available ones, as many as there are beyond what has to be available.
    """
    new = _settled(new)
    sizes = {each.name: _settled(each) for each in old if each.replicas > 0}
    total = new.replicas + sum(each.replicas for each in sizes.values())
    room = total - limits.min_available - (new.replicas - new.available)
    if not sizes or room <= 0:
        return []
    steps: list[Scaling] = []
    for each in list(sizes.values()):
        count = min(room, each.replicas - each.available)
        if count > 0:
            room -= count
            sizes[each.name] = each._replace(replicas=each.replicas - count)
            steps.append(Scaling(each.name, each.replicas - count))
    excess = new.available + sum(each.available for each in sizes.values()) - limits.min_available
    for each in sizes.values():
        count = min(excess, each.replicas)
        if count > 0:
            excess -= count
            steps.append(Scaling(each.name, each.replicas - count))
    return steps


def rolling_step(limits: Limits, new: Size, old: Sequence[Size]) -> list[Scaling]:
    """What a rolling update does next; nothing when it has to wait for pods, or is done.

    The new ReplicaSet is scaled, or, where that has its size, the old ones. By these steps alone there are
    never more pods than `limits.most`, nor fewer available ones than `limits.min_available`.
    """
    size = new_size(limits, new, old)
    return [Scaling(new.name, size)] if size != new.replicas else scale_down_old(limits, new, old)


def _settled(size: Size) -> Size:
    """As it will be when it was asked to shrink: pods that are about to go do not count as available."""
    return size if size.available <= size.replicas else size._replace(available=size.replicas)


class Share(NamedTuple):
    """A ReplicaSet whose size is kept in proportion."""

    name: str
    replicas: int
    most_before: int | None
    """The largest size of the Deployment when this one was last scaled, by its annotation."""


def in_proportion(limits: Limits, shares: Sequence[Share], replicas_now: int) -> list[Scaling]:
    """The sizes of all ReplicaSets with pods, when a Deployment changes its size in the middle of a rollout.

    `shares` are ordered by size, the largest first; of equal ones the younger first when the Deployment
    grows, the older first when it shrinks. `replicas_now` are the pods of its status. What rounding leaves
    over goes to the first.
    """
    allowed = limits.most if limits.desired > 0 else 0
    to_add = allowed - sum(share.replicas for share in shares)
    added = 0
    sizes: list[Scaling] = []
    for share in shares:
        part = _part(limits, share, replicas_now, to_add, added)
        added += part
        sizes.append(Scaling(share.name, share.replicas + part))
    if sizes and to_add:
        first = sizes[0]
        sizes[0] = first._replace(replicas=max(first.replicas + to_add - added, 0))
    return sizes


def _part(limits: Limits, share: Share, replicas_now: int, to_add: int, added: int) -> int:
    if share.replicas == 0 or to_add in (0, added):
        return 0
    fraction = _fraction(limits, share, replicas_now)
    return min(fraction, to_add - added) if to_add > 0 else max(fraction, to_add - added)


def _fraction(limits: Limits, share: Share, replicas_now: int) -> int:
    """By how many pods a ReplicaSet grows, or shrinks, with its Deployment."""
    if limits.desired == 0:
        return -share.replicas
    before = share.most_before or replicas_now
    if before == 0:
        return 0
    # Halves are rounded up, as upstream does it.
    return int(share.replicas * limits.most / before + 0.5) - share.replicas
