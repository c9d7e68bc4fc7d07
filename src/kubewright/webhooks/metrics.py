"""What webhooks count, as plain numbers."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, repeat
from operator import mul
from typing import Final

__all__ = ["LATENCY_BUCKETS", "WebhookMetrics"]

LATENCY_BUCKETS: Final = tuple(accumulate(repeat(10.0, 11), mul, initial=10e-9))
"""Upper bounds in seconds, 10 ns to 1000 s: those of controller_runtime_webhook_latency_seconds, with their
rounding errors, which are in the labels."""


class WebhookMetrics:
    """The numbers of the webhook at one path."""

    def __init__(self, path: str) -> None:
        self.path: Final = path
        """The label `webhook` of controller-runtime's metrics."""
        self.requests: Final[dict[int, int]] = {}
        """Requests by HTTP code: controller_runtime_webhook_requests_total."""
        self.in_flight = 0
        """controller_runtime_webhook_requests_in_flight."""
        self.seconds = 0.0
        self.bounds: Final = LATENCY_BUCKETS
        self._counts: Final = [0] * (len(LATENCY_BUCKETS) + 1)

    def answered(self, code: int, seconds: float) -> None:
        """Count a request that was answered."""
        self.requests[code] = self.requests.get(code, 0) + 1
        self.seconds += seconds
        self._counts[bisect_left(LATENCY_BUCKETS, seconds)] += 1

    @property
    def buckets(self) -> list[int]:
        """How many requests took at most as long as each bound, and how many there were."""
        return list(accumulate(self._counts))
