"""The rules of the kinds in the group `autoscaling`: HorizontalPodAutoscalers, which are stored as v2."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.lazy import LazyKinds

__all__ = ["KINDS"]

KINDS: Final = LazyKinds(
    __name__,
    {
        "horizontalpodautoscalers": "horizontal_pod_autoscaler.HORIZONTAL_POD_AUTOSCALER",
    },
)
