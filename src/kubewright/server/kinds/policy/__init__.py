"""The rules of the kinds in the group `policy`: PodDisruptionBudgets, and the evictions they guard."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.lazy import LazyKinds

__all__ = ["KINDS"]

KINDS: Final = LazyKinds(
    __name__,
    {
        "poddisruptionbudgets": "pod_disruption_budget.POD_DISRUPTION_BUDGET",
    },
)
