"""The kinds of the core group."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.lazy import LazyKinds

__all__ = ["KINDS"]

KINDS: Final = LazyKinds(
    __name__,
    {
        "bindings": "binding.BINDING",
        "componentstatuses": "component_status.COMPONENT_STATUS",
        "configmaps": "config_map.CONFIG_MAP",
        "endpoints": "endpoints.ENDPOINTS",
        "events": "event.EVENT",
        "limitranges": "limit_range.LIMIT_RANGE",
        "namespaces": "namespace.NAMESPACE",
        "nodes": "node.NODE",
        "persistentvolumeclaims": "persistent_volume_claim.PERSISTENT_VOLUME_CLAIM",
        "persistentvolumes": "persistent_volume.PERSISTENT_VOLUME",
        "pods": "pod.POD",
        "podtemplates": "pod_template.POD_TEMPLATE",
        "replicationcontrollers": "replication_controller.REPLICATION_CONTROLLER",
        "resourcequotas": "resource_quota.RESOURCE_QUOTA",
        "secrets": "secret.SECRET",
        "serviceaccounts": "service_account.SERVICE_ACCOUNT",
        "services": "service.SERVICE",
    },
)
