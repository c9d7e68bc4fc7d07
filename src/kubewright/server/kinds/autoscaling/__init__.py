"""The rules of the kinds in the group `autoscaling`: HorizontalPodAutoscalers, which are stored as v2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.autoscaling.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from kubewright.server.kinds.autoscaling.scale import validate_scale
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS", "validate_scale"]

KINDS: Final[Mapping[str, Kind]] = {"horizontalpodautoscalers": HORIZONTAL_POD_AUTOSCALER}
