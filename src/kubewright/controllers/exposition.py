"""The numbers of a manager as Prometheus reads them, under the names that controller-runtime gives them.

Nothing is done for it while controllers work: they count with plain numbers, which are read for each scrape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from kubewright.client.client import Client
from kubewright.controllers.blocking import BlockedTime
from kubewright.controllers.controller import Controller
from kubewright.controllers.metric_families import bound, buckets, counter, gauge, histogram
from kubewright.controllers.metrics import RECONCILE_BUCKETS
from kubewright.controllers.outcomes import OutcomeKind

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

    from kubewright.webhooks.metrics import WebhookMetrics

__all__ = ["Numbers", "new_registry", "rendered"]

_MAX_PRIORITIES: Final = 25
"""How many priorities of a queue are told apart: as in controller-runtime, so that series stay few."""

_OTHER_PRIORITIES: Final = "exceeded_cardinality_limit"
"""The label of the others: controller-runtime's."""

_CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
"""Of Prometheus' text format."""

_NO_ANSWER: Final = "<error>"
"""The code of a request without an answer: client-go's."""

_RESULTS: Final = {
    OutcomeKind.SUCCESS: "success",
    OutcomeKind.REQUEUE_AFTER: "requeue_after",
    OutcomeKind.CONFLICT: "requeue",
    OutcomeKind.ERROR: "error",
    OutcomeKind.TERMINAL: "error",
}
"""The label `result` of each outcome; an error that is not retried is an error."""


_USUAL_CODES: Final = {200: 0, 500: 0}
"""HTTP status codes that a webhook's counter has from the start: controller-runtime's."""


class Numbers(NamedTuple):
    """Where the numbers are read."""

    controllers: Callable[[], Iterable[Controller[Any]]]
    clients: Callable[[], Iterable[Client]]
    """Those of its clusters, which count their requests."""
    leads: Callable[[], bool]
    lease: str
    """The name of the Lease that managers share; empty without an election."""
    webhooks: Callable[[], Sequence[WebhookMetrics]] | None = None
    """Of each webhook; None for a manager without a webhook server."""
    blocked: BlockedTime | None = None
    """When reconciles have blocked the event loop."""


def new_registry(numbers: Numbers) -> CollectorRegistry:
    """A registry with the numbers of a manager and of its process, to which others may be added."""
    from prometheus_client import (  # noqa: PLC0415 - for those who serve metrics only
        CollectorRegistry,
        GCCollector,
        PlatformCollector,
        ProcessCollector,
    )

    registry = CollectorRegistry()
    registry.register(_Collector(numbers))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


def rendered(registry: CollectorRegistry) -> tuple[bytes, str]:
    """What a scrape is answered with, and its content type.

    It is Prometheus' text format, as controller-runtime serves it and not OpenMetrics, in which the bounds of
    buckets are spelled otherwise: series of Go and Python programs would not add up.
    """
    from prometheus_client import generate_latest  # noqa: PLC0415 - see new_registry

    return generate_latest(registry), _CONTENT_TYPE


class _Collector:
    """What prometheus_client asks for the numbers of a manager."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers: Final = numbers
        self._priorities: Final[dict[str, list[int]]] = {}
        """Those that the queues of controllers have had, so that a gauge goes to 0 and does not end."""

    def describe(self) -> Iterable[Metric]:
        """The names alone, so that nobody registers others under them."""
        return [
            *_Reconciles(),
            *_Queues(),
            *_requests(()),
            *_leadership("", False),
            *_webhooks(()),
            *_blocked(None, ()),
        ]

    def collect(self) -> Iterator[Metric]:
        """All that there is now."""
        reconciles, queues = _Reconciles(), _Queues()
        for controller in self._numbers.controllers():
            reconciles.add(controller)
            queues.add(controller, self._depths(controller))
        yield from reconciles
        yield from queues
        yield from _requests(self._numbers.clients())
        if self._numbers.lease:
            yield from _leadership(self._numbers.lease, self._numbers.leads())
        if self._numbers.webhooks is not None:
            yield from _webhooks(self._numbers.webhooks())
        names = [controller.name for controller in self._numbers.controllers()]
        yield from _blocked(self._numbers.blocked, names)

    def _depths(self, controller: Controller[Any]) -> dict[str, int]:
        """How many keys wait, by the label of their priority."""
        known = self._priorities.setdefault(controller.name, [])
        depths = controller.queue.depths()
        known.extend([each for each in depths if each not in known][: _MAX_PRIORITIES - len(known)])
        told = {str(priority): depths.pop(priority, 0) for priority in known}
        if depths:
            told[_OTHER_PRIORITIES] = sum(depths.values())
        return told


class _Reconciles:
    """The families of controllers."""

    def __init__(self) -> None:
        name = ["controller"]
        self._total: Final = counter(
            "controller_runtime_reconcile", "Reconciles that ended, by how they did.", [*name, "result"]
        )
        self._errors: Final = counter(
            "controller_runtime_reconcile_errors", "Reconciles that failed, retried or not.", name
        )
        self._terminal: Final = counter(
            "controller_runtime_terminal_reconcile_errors",
            "Reconciles that failed and are not retried.",
            name,
        )
        self._timeouts: Final = counter(
            "controller_runtime_reconcile_timeouts", "Reconciles that were cancelled for their timeout.", name
        )
        self._time: Final = histogram(
            "controller_runtime_reconcile_time_seconds", "How long reconciles took.", name
        )
        self._workers: Final = gauge(
            "controller_runtime_max_concurrent_reconciles",
            "How many objects are reconciled at once at most.",
            name,
        )
        self._active: Final = gauge(
            "controller_runtime_active_workers", "How many objects are being reconciled.", name
        )

    def add(self, controller: Controller[Any]) -> None:
        metrics = controller.metrics
        name = [controller.name]
        results = dict.fromkeys(_RESULTS.values(), 0)
        for kind, count in metrics.results.items():
            results[_RESULTS[kind]] += count
        for result, count in results.items():
            self._total.add_metric([*name, result], count)
        self._errors.add_metric(name, results["error"])
        self._terminal.add_metric(name, metrics.results[OutcomeKind.TERMINAL])
        self._timeouts.add_metric(name, metrics.timeouts)
        bounds = [*map(bound, RECONCILE_BUCKETS), "+Inf"]
        self._time.add_metric(name, list(zip(bounds, metrics.buckets, strict=True)), metrics.seconds)
        self._workers.add_metric(name, metrics.workers)
        self._active.add_metric(name, len(controller.running))

    def __iter__(self) -> Iterator[Metric]:
        yield from (self._total, self._errors, self._terminal, self._timeouts)
        yield from (self._time, self._workers, self._active)


class _Queues:
    """The families of work queues."""

    def __init__(self) -> None:
        names = ["name", "controller"]
        self._depth: Final = gauge("workqueue_depth", "Keys that wait, by priority.", [*names, "priority"])
        self._adds: Final = counter("workqueue_adds", "Keys that were added and did not wait already.", names)
        self._queued: Final = histogram(
            "workqueue_queue_duration_seconds", "From when a key is added until it is handed out.", names
        )
        self._worked: Final = histogram(
            "workqueue_work_duration_seconds", "From when a key is handed out until it is done.", names
        )
        self._unfinished: Final = gauge(
            "workqueue_unfinished_work_seconds", "The time of all work that is under way, added up.", names
        )
        self._longest: Final = gauge(
            "workqueue_longest_running_processor_seconds", "The time of the longest work under way.", names
        )
        self._retries: Final = counter(
            "workqueue_retries", "Keys that were added with a delay or a rate limit.", names
        )

    def add(self, controller: Controller[Any], depths: Mapping[str, int]) -> None:
        snapshot = controller.metrics.queue.snapshot()
        names = [controller.name, controller.name]
        for priority, depth in depths.items():
            self._depth.add_metric([*names, priority], depth)
        self._adds.add_metric(names, snapshot.adds)
        self._queued.add_metric(names, buckets(snapshot.queue_duration), snapshot.queue_duration.sum)
        self._worked.add_metric(names, buckets(snapshot.work_duration), snapshot.work_duration.sum)
        self._unfinished.add_metric(names, snapshot.unfinished_work)
        self._longest.add_metric(names, snapshot.longest_running)
        self._retries.add_metric(names, snapshot.retries)

    def __iter__(self) -> Iterator[Metric]:
        yield from (self._depth, self._adds, self._queued, self._worked)
        yield from (self._unfinished, self._longest, self._retries)


def _requests(clients: Iterable[Client]) -> Iterator[Metric]:
    family = counter(
        "rest_client_requests",
        "Requests to the API server, by status code, method and host.",
        ["code", "method", "host"],
    )
    counts: Counter[tuple[str, str, str]] = Counter()
    # Two clusters may be one server, and even one client.
    for client in {id(each.request_counts): each for each in clients}.values():
        host = urlsplit(client.config.server).netloc.rpartition("@")[2]
        for (method, status), count in client.request_counts.items():
            counts[str(status) if status else _NO_ANSWER, method, host] += count
    for labels, count in counts.items():
        family.add_metric(labels, count)
    yield family


def _leadership(lease: str, leads: bool) -> Iterator[Metric]:
    family = gauge(
        "leader_election_master_status",
        "Whether this one leads (1) or waits (0), by the name of the Lease.",
        ["name"],
    )
    if lease:
        family.add_metric([lease], int(leads))
    yield family


def _blocked(blocked: BlockedTime | None, controllers: Iterable[str]) -> Iterator[Metric]:
    blocks = counter(
        "kubewright_event_loop_blocks",
        "Total number of times that the event loop was blocked for longer than blocked_after, by the "
        "controller whose reconcile did it; empty for other code.",
        ["controller"],
    )
    seconds = counter(
        "kubewright_event_loop_blocked_seconds",
        "Total time in seconds for which the event loop was blocked so, by the controller.",
        ["controller"],
    )
    if blocked is not None:
        # Of every controller from the start, so that a rate sees the first block.
        for name in sorted({"", *controllers, *blocked.blocks}):
            blocks.add_metric([name], blocked.blocks.get(name, 0))
            seconds.add_metric([name], blocked.seconds.get(name, 0.0))
    yield blocks
    yield seconds


def _webhooks(webhooks: Iterable[WebhookMetrics]) -> Iterator[Metric]:
    label = ["webhook"]
    total = counter(
        "controller_runtime_webhook_requests", "Reviews that were answered, by HTTP status.", [*label, "code"]
    )
    latency = histogram("controller_runtime_webhook_latency_seconds", "How long reviews took.", label)
    in_flight = gauge("controller_runtime_webhook_requests_in_flight", "Reviews under way.", label)
    for each in webhooks:
        for code, count in {**_USUAL_CODES, **each.requests}.items():
            total.add_metric([each.path, str(code)], count)
        bounds = [*map(bound, each.bounds), "+Inf"]
        latency.add_metric([each.path], list(zip(bounds, each.buckets, strict=True)), each.seconds)
        in_flight.add_metric([each.path], each.in_flight)
    yield from (total, latency, in_flight)
