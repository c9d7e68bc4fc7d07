"""What tests of programs for Kubernetes need: a cluster in the process.

    async with Cluster() as cluster:              # in an event loop
        async with Client(cluster.config) as client: ...
    with Cluster.in_thread() as cluster:          # beside blocking code: kubectl, other clients
        subprocess.run(["kubectl", "--kubeconfig", cluster.kubeconfig, "get", "namespaces"])

With pytest, the fixture `kube` gives each test a client of a fresh cluster; see `plugin`. `FaultProxy` stands
between a client and a server, and does to connections what networks do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubewright.testing.clock import ManualClock
    from kubewright.testing.cluster import Cluster
    from kubewright.testing.faults import FaultProxy

__all__ = ["Cluster", "FaultProxy", "ManualClock"]


def __getattr__(name: str) -> object:
    # Every run of pytest imports this package for the plugin, and most need no server.
    if name == "Cluster":
        from kubewright.testing.cluster import Cluster  # noqa: PLC0415 - see above

        return Cluster
    if name == "ManualClock":
        from kubewright.testing.clock import ManualClock  # noqa: PLC0415 - see above

        return ManualClock
    if name == "FaultProxy":
        from kubewright.testing.faults import FaultProxy  # noqa: PLC0415 - see above

        return FaultProxy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
