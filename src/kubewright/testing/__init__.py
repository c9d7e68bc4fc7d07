"""What tests of programs for Kubernetes need: a cluster in the process.

    async with Cluster() as cluster:              # in an event loop
        ...
    with Cluster.in_thread() as cluster:          # beside blocking code: kubectl, other clients
        subprocess.run(["kubectl", "--kubeconfig", cluster.kubeconfig, "get", "namespaces"])

With pytest, the fixture `kube` gives a fresh cluster to each test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubewright.testing.cluster import Cluster

__all__ = ["Cluster"]


def __getattr__(name: str) -> object:
    # Every run of pytest imports this package for the plugin, and most need no server.
    if name != "Cluster":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kubewright.testing.cluster import Cluster  # noqa: PLC0415 - see above

    return Cluster
