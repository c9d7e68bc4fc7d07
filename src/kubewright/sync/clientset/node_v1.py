"""The kinds of node.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.node_v1 import RuntimeClass
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["NodeV1"]


class NodeV1:
    """The kinds of node.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def runtime_classes(self) -> Api[RuntimeClass]:
        """`runtimeclasses` of the cluster."""
        return self._client.api(RuntimeClass)
