"""The kinds of the core group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.core.binding import BINDING
from kubewright.server.kinds.core.config_map import CONFIG_MAP
from kubewright.server.kinds.core.endpoints import ENDPOINTS
from kubewright.server.kinds.core.event import EVENT
from kubewright.server.kinds.core.limit_range import LIMIT_RANGE
from kubewright.server.kinds.core.namespace import NAMESPACE
from kubewright.server.kinds.core.node import NODE
from kubewright.server.kinds.core.persistent_volume import PERSISTENT_VOLUME
from kubewright.server.kinds.core.persistent_volume_claim import PERSISTENT_VOLUME_CLAIM
from kubewright.server.kinds.core.pod import POD
from kubewright.server.kinds.core.pod_template import POD_TEMPLATE
from kubewright.server.kinds.core.replication_controller import REPLICATION_CONTROLLER
from kubewright.server.kinds.core.resource_quota import RESOURCE_QUOTA
from kubewright.server.kinds.core.secret import SECRET
from kubewright.server.kinds.core.service import SERVICE
from kubewright.server.kinds.core.service_account import SERVICE_ACCOUNT
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {
    "bindings": BINDING,
    "componentstatuses": Kind(resets=()),
    "configmaps": CONFIG_MAP,
    "endpoints": ENDPOINTS,
    "events": EVENT,
    "limitranges": LIMIT_RANGE,
    "namespaces": NAMESPACE,
    "nodes": NODE,
    "persistentvolumeclaims": PERSISTENT_VOLUME_CLAIM,
    "persistentvolumes": PERSISTENT_VOLUME,
    "pods": POD,
    "podtemplates": POD_TEMPLATE,
    "replicationcontrollers": REPLICATION_CONTROLLER,
    "resourcequotas": RESOURCE_QUOTA,
    "secrets": SECRET,
    "serviceaccounts": SERVICE_ACCOUNT,
    "services": SERVICE,
}
