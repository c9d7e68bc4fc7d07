"""The rules of the kinds in the group `apps`: the controllers that keep pods running, and their history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.apps.controller_revision import CONTROLLER_REVISION
from kubewright.server.kinds.apps.daemon_set import DAEMON_SET
from kubewright.server.kinds.apps.deployment import DEPLOYMENT
from kubewright.server.kinds.apps.replica_set import REPLICA_SET
from kubewright.server.kinds.apps.stateful_set import STATEFUL_SET
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {
    "controllerrevisions": CONTROLLER_REVISION,
    "daemonsets": DAEMON_SET,
    "deployments": DEPLOYMENT,
    "replicasets": REPLICA_SET,
    "statefulsets": STATEFUL_SET,
}
