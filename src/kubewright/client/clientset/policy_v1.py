"""The kinds of policy/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.policy_v1 import PodDisruptionBudget

__all__ = ["PolicyV1"]


class PolicyV1:
    """The kinds of policy/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def pod_disruption_budgets(self, namespace: str | None = None) -> Api[PodDisruptionBudget]:
        """`poddisruptionbudgets` of a namespace."""
        return self._client.api(PodDisruptionBudget, namespace)
