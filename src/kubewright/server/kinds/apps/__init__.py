"""The kinds of the group apps."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.lazy import LazyKinds

__all__ = ["KINDS"]

KINDS: Final = LazyKinds(
    __name__,
    {
        "controllerrevisions": "controller_revision.CONTROLLER_REVISION",
        "daemonsets": "daemon_set.DAEMON_SET",
        "deployments": "deployment.DEPLOYMENT",
        "replicasets": "replica_set.REPLICA_SET",
        "statefulsets": "stateful_set.STATEFUL_SET",
    },
)
