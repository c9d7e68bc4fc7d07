"""What webhooks count, as plain numbers."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import Final

__all__ = ["LATENCY_BUCKETS", "WebhookMetrics"]

LATENCY_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds in seconds: Prometheus' own, which controller_runtime_webhook_latency_seconds has."""


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
