"""What controllers count, as plain numbers; `exposition` makes Prometheus' text of them."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import Final

from kubewright.controllers.outcomes import Outcome, OutcomeKind
from kubewright.workqueue import QueueMetrics

__all__ = ["RECONCILE_BUCKETS", "ControllerMetrics"]

RECONCILE_BUCKETS: Final = (
    *(0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    *(1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60),
)
"""Upper bounds in seconds: those of controller-runtime's controller_runtime_reconcile_time_seconds."""


class ControllerMetrics:
    """The numbers of one controller."""

    def __init__(self, name: str, workers: int) -> None:
        self.name: Final = name
        self.workers: Final = workers
        self.queue: Final = QueueMetrics()
        self.results: Final = dict.fromkeys(OutcomeKind, 0)
        self.timeouts = 0
        self._counts: Final = [0] * (len(RECONCILE_BUCKETS) + 1)
        self.seconds = 0.0

    def reconciled(self, outcome: Outcome, seconds: float) -> None:
        """Count a reconcile that has ended."""
        self.results[outcome.kind] += 1
        self.seconds += seconds
        self._counts[bisect_left(RECONCILE_BUCKETS, seconds)] += 1

    def timed_out(self) -> None:
        """Count a reconcile that was cancelled because it took too long."""
        self.timeouts += 1

    @property
    def buckets(self) -> list[int]:
        """How many reconciles took at most as long as each bound, and how many there were."""
        return list(accumulate(self._counts))
