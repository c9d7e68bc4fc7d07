"""The options of a cluster, for those who hand them on."""

from __future__ import annotations

from collections.abc import Iterable

from kubewright.server.options import ServerOptions

__all__ = ["ClusterOptions"]


class ClusterOptions(ServerOptions, total=False):
    """The keyword arguments of `ClusterServer`, which says what they mean."""

    controllers: str | Iterable[str]
    nodes: int
