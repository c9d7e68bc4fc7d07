"""What the controllers of a cluster are told about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kubewright.cluster.selection import ControllerEntry
    from kubewright.server.server import APIServer

__all__ = ["Parts"]


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster that controllers are set up for."""

    server: APIServer
    controllers: tuple[ControllerEntry, ...]
    """Those that run."""
    nodes: int
    """How many nodes there are to be."""

    def runs(self, name: str) -> bool:
        """Whether a controller, by its long name, runs."""
        return any(entry.name == name for entry in self.controllers)
