"""The index of pods by their node, which the scheduler's side of a cluster shares."""

from __future__ import annotations

from typing import Final

from kubewright.models.core_v1 import Pod

__all__ = ["BY_NODE", "node_of"]

BY_NODE: Final = "node"


def node_of(pod: Pod) -> list[str]:
    """Under which node a pod is found; under none while it has none."""
    return [pod.spec.node_name] if pod.spec.node_name else []
