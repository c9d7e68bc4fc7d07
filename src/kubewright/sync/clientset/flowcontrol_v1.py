"""The kinds of flowcontrol.apiserver.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.flowcontrol_v1 import FlowSchema, PriorityLevelConfiguration
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["FlowcontrolV1"]


class FlowcontrolV1:
    """The kinds of flowcontrol.apiserver.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def flow_schemas(self) -> Api[FlowSchema]:
        """`flowschemas` of the cluster."""
        return self._client.api(FlowSchema)

    def priority_level_configurations(self) -> Api[PriorityLevelConfiguration]:
        """`prioritylevelconfigurations` of the cluster."""
        return self._client.api(PriorityLevelConfiguration)
