"""How much storage is claimed, of how much there may be: exact, and without I/O."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from kubewright import Quantity
from kubewright.models.core_v1 import PersistentVolumeClaim

NOTHING: Final = Quantity(0, format="BinarySI")


def claimed(claim: PersistentVolumeClaim) -> Quantity:
    """What a claim asks for; its status has what it got so far."""
    return claim.spec.resources.requests.get("storage", NOTHING)


class Usage:
    """What each claim asks for, all of them together, and the limit."""

    def __init__(self, limit: Quantity) -> None:
        self.limit: Final = limit
        self.total = NOTHING
        self._sizes: Final[dict[str, Quantity]] = {}

    def set(self, key: str, size: Quantity | None) -> Quantity | None:
        """Count a claim as this large, or (None) no more; returns what it counted before."""
        before = self._sizes.pop(key, None)
        if size is not None:
            self._sizes[key] = size
        self.total += (size or NOTHING) - (before or NOTHING)
        return before

    @property
    def is_over(self) -> bool:
        """Whether more is claimed than there may be; exactly the limit is not."""
        return self.total > self.limit

    @property
    def share(self) -> Decimal:
        """The claimed part of the limit: 1 is all of it."""
        return self.total.to_decimal() / self.limit.to_decimal()

    def __str__(self) -> str:
        return f"{self.share:.1%} in use ({self.total} of {self.limit})"
