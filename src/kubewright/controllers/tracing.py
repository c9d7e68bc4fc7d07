"""Spans of OpenTelemetry around reconciles, where its API package is installed and somebody collects them.

The spans of the client's requests are their children.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, Final

from kubewright.client.tracing import collecting, opentelemetry
from kubewright.controllers.outcomes import Outcome
from kubewright.controllers.reconciling import Reconciling
from kubewright.version import __version__

__all__ = ["ReconcileSpan", "ReconcileTracing"]


class ReconcileSpan:
    """One reconcile in a trace; without a span of OpenTelemetry, nothing."""

    def __init__(self, trace: Any = None, span: Any = None) -> None:
        self._trace: Final = trace
        self._span: Final = span

    def ended(self, outcome: Outcome) -> None:
        """Say how the reconcile ended; a conflict is no failure."""
        span = self._span
        if span is None:
            return
        span.set_attribute("result", outcome.kind.value)
        if outcome.is_failure:
            assert outcome.error is not None  # noqa: S101 - by its kind
            # What a reconciler raises may fail even at being told, which concerns its key alone.
            with suppress(Exception):
                span.record_exception(outcome.error)
            span.set_status(self._trace.StatusCode.ERROR, outcome.shown)


_UNTRACED: Final = nullcontext(ReconcileSpan())


class ReconcileTracing:
    """Makes the spans of one controller."""

    def __init__(self) -> None:
        self._trace: Final = opentelemetry()

    def span(self, reconciling: Reconciling) -> AbstractContextManager[ReconcileSpan]:
        """A span for the length of a reconcile."""
        trace = self._trace
        return _traced(trace, reconciling) if trace is not None and collecting(trace) else _UNTRACED


@contextmanager
def _traced(trace: Any, reconciling: Reconciling) -> Iterator[ReconcileSpan]:
    attributes = {
        "controller": reconciling.controller,
        "controllerGroup": reconciling.group,
        "controllerKind": reconciling.kind,
        "object": reconciling.object,
        "reconcileID": reconciling.reconcile_id,
    }
    tracer = trace.get_tracer("kubewright", __version__)
    # Names of spans are few; which object it is, is an attribute.
    with tracer.start_as_current_span(f"reconcile {reconciling.controller}", attributes=attributes) as span:
        yield ReconcileSpan(trace, span)
