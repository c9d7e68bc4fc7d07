"""The rules of the kinds in the group `policy`: PodDisruptionBudgets, and the evictions they guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.kind import Kind
from kubewright.server.kinds.policy.pod_disruption_budget import POD_DISRUPTION_BUDGET

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {"poddisruptionbudgets": POD_DISRUPTION_BUDGET}
