"""Whether callers over sockets are there, for what runs in the same process and makes way for them."""

from __future__ import annotations

__all__ = ["Arrivals"]


class Arrivals:
    """Counts how often something has come over any connection."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0
