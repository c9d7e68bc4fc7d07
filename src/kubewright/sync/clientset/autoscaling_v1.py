"""The kinds of autoscaling/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.autoscaling_v1 import HorizontalPodAutoscaler
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["AutoscalingV1"]


class AutoscalingV1:
    """The kinds of autoscaling/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def horizontal_pod_autoscalers(self, namespace: str | None = None) -> Api[HorizontalPodAutoscaler]:
        """`horizontalpodautoscalers` of a namespace."""
        return self._client.api(HorizontalPodAutoscaler, namespace)
