"""The kinds of rbac.authorization.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.rbac_v1 import ClusterRole, ClusterRoleBinding, Role, RoleBinding
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["RbacV1"]


class RbacV1:
    """The kinds of rbac.authorization.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def cluster_role_bindings(self) -> Api[ClusterRoleBinding]:
        """`clusterrolebindings` of the cluster."""
        return self._client.api(ClusterRoleBinding)

    def cluster_roles(self) -> Api[ClusterRole]:
        """`clusterroles` of the cluster."""
        return self._client.api(ClusterRole)

    def role_bindings(self, namespace: str | None = None) -> Api[RoleBinding]:
        """`rolebindings` of a namespace."""
        return self._client.api(RoleBinding, namespace)

    def roles(self, namespace: str | None = None) -> Api[Role]:
        """`roles` of a namespace."""
        return self._client.api(Role, namespace)
