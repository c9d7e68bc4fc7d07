"""Work queues: what is to be done, each thing once, by one worker at a time; now, later or at a limited rate.

Controllers put the keys of objects here when something happens to them, and workers bring each object into
the state it should have. The queue knows nothing of Kubernetes; any hashable value is a key.
"""

from __future__ import annotations

from kubewright.workqueue.clock import Clock, LoopClock, Timer
from kubewright.workqueue.metrics import Histogram, MetricsSnapshot, QueueMetrics
from kubewright.workqueue.queue import ShutDown, WorkQueue
from kubewright.workqueue.rate_limiters import (
    ExponentialBackoff,
    FastSlow,
    MaxOf,
    RateLimiter,
    TokenBucket,
    default_rate_limiter,
)

__all__ = [
    "Clock",
    "ExponentialBackoff",
    "FastSlow",
    "Histogram",
    "LoopClock",
    "MaxOf",
    "MetricsSnapshot",
    "QueueMetrics",
    "RateLimiter",
    "ShutDown",
    "Timer",
    "TokenBucket",
    "WorkQueue",
    "default_rate_limiter",
]
