"""What is refused before it is stored, beyond what the schema says: it knows no state but the new one."""

from __future__ import annotations

from typing import Final

from examples.custompod.types import CustomPod
from kubewright.machinery.field_errors import invalid
from kubewright.models.autoscaling_v1 import Scale
from kubewright.webhooks import Denied, Review, validating

__all__ = ["check", "check_scale"]

MANY: Final = 2
"""From more pods than these to none at once is more often a slip than meant."""
GROWTH: Final = 20
"""So many more pods at once, and whoever asks for them is told."""


@validating(CustomPod)
async def check(review: Review[CustomPod]) -> None:
    """Look at an object that is created or changed."""
    before = review.old.spec.replicas if review.old is not None else 0
    check_step(review, before, review.object.spec.replicas)


# `kubectl scale` and autoscalers write the subresource, of which the first function never hears.
@validating(Scale, parent=CustomPod, subresource="scale", operations=["UPDATE"])
async def check_scale(review: Review[Scale]) -> None:
    """Look at an object that is scaled."""
    before = review.old.spec.replicas if review.old is not None else 0
    check_step(review, before, review.object.spec.replicas)


def check_step(review: Review[CustomPod] | Review[Scale], before: int, after: int) -> None:
    """Refuse to take all of many pods away at once, and warn of many new ones."""
    if before > MANY and after == 0:
        cause = invalid("spec.replicas", after, f"takes {before} pods away at once; scale to 1 first")
        raise Denied(causes=[cause])
    if after - before > GROWTH:
        review.warn(f"spec.replicas grows from {before} to {after}, which creates {after - before} pods")
