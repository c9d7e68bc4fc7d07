"""The kinds of scheduling.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.scheduling_v1 import PriorityClass

__all__ = ["SchedulingV1"]


class SchedulingV1:
    """The kinds of scheduling.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def priority_classes(self) -> Api[PriorityClass]:
        """`priorityclasses` of the cluster."""
        return self._client.api(PriorityClass)
