"""Families of Prometheus' metrics, made when they are asked for: what makes them takes its time to load."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    from kubewright.workqueue import Histogram

__all__ = ["bound", "buckets", "counter", "gauge", "histogram"]


def buckets(counted: Histogram) -> list[tuple[str, float]]:
    """How many were in each bucket or below, as a family takes it."""
    return [(bound(upper), count) for upper, count in counted.buckets]


def bound(seconds: float) -> str:
    """The label `le` of a bucket as Go writes it: 1 and not 1.0."""
    return "+Inf" if seconds == float("inf") else repr(float(seconds)).removesuffix(".0")


def counter(name: str, text: str, labels: list[str]) -> CounterMetricFamily:
    """Of numbers that grow; `_total` is added to the name."""
    from prometheus_client.core import CounterMetricFamily  # noqa: PLC0415 - for those who serve metrics only

    return CounterMetricFamily(name, text, labels=labels)


def gauge(name: str, text: str, labels: list[str]) -> GaugeMetricFamily:
    """Of numbers that go up and down."""
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415 - as above

    return GaugeMetricFamily(name, text, labels=labels)


def histogram(name: str, text: str, labels: list[str]) -> HistogramMetricFamily:
    """Of how many took how long."""
    from prometheus_client.core import HistogramMetricFamily  # noqa: PLC0415 - as above

    return HistogramMetricFamily(name, text, labels=labels)
