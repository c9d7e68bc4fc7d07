"""What makes an API server a cluster: the controllers, the scheduler and the kubelets, in the same process.

`ClusterServer` is the server with all of them; `--controllers` and `controllers=` choose among them. Each is
written with `kubewright.controllers`, as any operator is.
"""

from __future__ import annotations

from kubewright.cluster.server import ClusterServer

__all__ = ["ClusterServer"]
