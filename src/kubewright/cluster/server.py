"""`ClusterServer`: an API server with the controllers, the scheduler and the kubelets of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final, Unpack

from kubewright.cluster.selection import ControllerEntry, select_controllers
from kubewright.server.admission.plugins import CLUSTER_PLUGINS
from kubewright.server.server import APIServer

if TYPE_CHECKING:
    from kubewright.server.options import ServerOptions

__all__ = ["ClusterServer"]

_NEEDED_BY_PLUGIN: Final = {
    # Without accounts, pods that must have one could not be created.
    "ServiceAccount": {"serviceaccount-controller"},
    # The finalizers that it gives would stay for ever; each of the two controllers gives its own, too.
    "StorageObjectInUseProtection": {
        "persistentvolumeclaim-protection-controller",
        "persistentvolume-protection-controller",
    },
}
"""The controllers without which an admission plugin would do harm."""


class ClusterServer(APIServer):
    """An API server that behaves as a cluster does: deployments end in pods, owners take children along.

    `controllers` says which controllers run, as `--controllers` of kube-controller-manager does: `*` for all,
    `-deployment` for all but one, `none`. There are `nodes` nodes, which pretend to run pods.
    """

    def __init__(
        self, *, controllers: str | Iterable[str] = "*", nodes: int = 1, **options: Unpack[ServerOptions]
    ) -> None:
        """Raises UnknownController, and what `APIServer` raises."""
        chosen = select_controllers(controllers)
        options["admission_plugins"] = (*options.get("admission_plugins", ()), *_plugins(chosen))
        super().__init__(**options)
        self.controllers: Final = chosen
        """Those that run."""
        self._nodes: Final = nodes

    async def _start(self, stack: AsyncExitStack) -> None:
        await super()._start(stack)
        if not self.controllers:
            return
        # Only here: a server without controllers loads neither client nor informers.
        from kubewright.cluster.control_plane import control_plane  # noqa: PLC0415
        from kubewright.cluster.parts import Parts  # noqa: PLC0415

        parts = Parts(server=self, controllers=self.controllers, nodes=self._nodes)
        await stack.enter_async_context(control_plane(parts))


def _plugins(controllers: Sequence[ControllerEntry]) -> list[str]:
    """The admission plugins of a cluster with certain controllers; none where there are none."""
    if not controllers:
        return []
    names = {entry.name for entry in controllers}
    return [each for each in CLUSTER_PLUGINS if names.issuperset(_NEEDED_BY_PLUGIN.get(each, ()))]
