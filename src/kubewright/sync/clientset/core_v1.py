"""The kinds of v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.core_v1 import (
    Binding,
    ComponentStatus,
    ConfigMap,
    Endpoints,
    Event,
    LimitRange,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodTemplate,
    ReplicationController,
    ResourceQuota,
    Secret,
    Service,
    ServiceAccount,
)
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["CoreV1"]


class CoreV1:
    """The kinds of v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def bindings(self, namespace: str | None = None) -> Api[Binding]:
        """`bindings` of a namespace."""
        return self._client.api(Binding, namespace)

    def component_statuses(self) -> Api[ComponentStatus]:
        """`componentstatuses` of the cluster."""
        return self._client.api(ComponentStatus)

    def config_maps(self, namespace: str | None = None) -> Api[ConfigMap]:
        """`configmaps` of a namespace."""
        return self._client.api(ConfigMap, namespace)

    def endpoints(self, namespace: str | None = None) -> Api[Endpoints]:
        """`endpoints` of a namespace."""
        return self._client.api(Endpoints, namespace)

    def events(self, namespace: str | None = None) -> Api[Event]:
        """`events` of a namespace."""
        return self._client.api(Event, namespace)

    def limit_ranges(self, namespace: str | None = None) -> Api[LimitRange]:
        """`limitranges` of a namespace."""
        return self._client.api(LimitRange, namespace)

    def namespaces(self) -> Api[Namespace]:
        """`namespaces` of the cluster."""
        return self._client.api(Namespace)

    def nodes(self) -> Api[Node]:
        """`nodes` of the cluster."""
        return self._client.api(Node)

    def persistent_volume_claims(self, namespace: str | None = None) -> Api[PersistentVolumeClaim]:
        """`persistentvolumeclaims` of a namespace."""
        return self._client.api(PersistentVolumeClaim, namespace)

    def persistent_volumes(self) -> Api[PersistentVolume]:
        """`persistentvolumes` of the cluster."""
        return self._client.api(PersistentVolume)

    def pod_templates(self, namespace: str | None = None) -> Api[PodTemplate]:
        """`podtemplates` of a namespace."""
        return self._client.api(PodTemplate, namespace)

    def pods(self, namespace: str | None = None) -> Api[Pod]:
        """`pods` of a namespace."""
        return self._client.api(Pod, namespace)

    def replication_controllers(self, namespace: str | None = None) -> Api[ReplicationController]:
        """`replicationcontrollers` of a namespace."""
        return self._client.api(ReplicationController, namespace)

    def resource_quotas(self, namespace: str | None = None) -> Api[ResourceQuota]:
        """`resourcequotas` of a namespace."""
        return self._client.api(ResourceQuota, namespace)

    def secrets(self, namespace: str | None = None) -> Api[Secret]:
        """`secrets` of a namespace."""
        return self._client.api(Secret, namespace)

    def service_accounts(self, namespace: str | None = None) -> Api[ServiceAccount]:
        """`serviceaccounts` of a namespace."""
        return self._client.api(ServiceAccount, namespace)

    def services(self, namespace: str | None = None) -> Api[Service]:
        """`services` of a namespace."""
        return self._client.api(Service, namespace)
