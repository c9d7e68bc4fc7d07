"""The kinds of apps/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.apps_v1 import ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["AppsV1"]


class AppsV1:
    """The kinds of apps/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def controller_revisions(self, namespace: str | None = None) -> Api[ControllerRevision]:
        """`controllerrevisions` of a namespace."""
        return self._client.api(ControllerRevision, namespace)

    def daemon_sets(self, namespace: str | None = None) -> Api[DaemonSet]:
        """`daemonsets` of a namespace."""
        return self._client.api(DaemonSet, namespace)

    def deployments(self, namespace: str | None = None) -> Api[Deployment]:
        """`deployments` of a namespace."""
        return self._client.api(Deployment, namespace)

    def replica_sets(self, namespace: str | None = None) -> Api[ReplicaSet]:
        """`replicasets` of a namespace."""
        return self._client.api(ReplicaSet, namespace)

    def stateful_sets(self, namespace: str | None = None) -> Api[StatefulSet]:
        """`statefulsets` of a namespace."""
        return self._client.api(StatefulSet, namespace)
