"""Spans of OpenTelemetry around requests, where its API package is installed and somebody collects them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from kubewright.client.request import Request
from kubewright.version import __version__

if TYPE_CHECKING:
    from collections.abc import MutableMapping

__all__ = ["Span", "Tracing", "collecting", "opentelemetry"]

_NAMED_PROVIDER: Final = bool(os.environ.get("OTEL_PYTHON_TRACER_PROVIDER"))
"""Whether OpenTelemetry makes a provider by itself, when it is first asked."""

_PORTS: Final = {"http": 80, "https": 443}


class Span:
    """One request in a trace; without a span of OpenTelemetry, nothing."""

    def __init__(self, span: Any = None) -> None:
        self._span: Final = span

    @property
    def is_recorded(self) -> bool:
        """Whether there is a span of OpenTelemetry."""
        return self._span is not None

    def inject(self, headers: MutableMapping[str, str]) -> None:
        """Tell the server of the span, in the headers of the request."""
        if self._span is not None:
            from opentelemetry import propagate  # noqa: PLC0415 - optional; it is there, if there is a span

            propagate.inject(headers)

    def answered(self, status: int) -> None:
        """Say how the request ended."""
        if self._span is not None:
            self._span.set_attribute("http.response.status_code", status)


_UNTRACED: Final = nullcontext(Span())


class Tracing:
    """Makes the spans of one client."""

    def __init__(self, server: str) -> None:
        self._trace: Final = opentelemetry()
        parts = urlsplit(server)
        port = parts.port or _PORTS.get(parts.scheme, 0)
        self._server: Final = {"server.address": parts.hostname or "", "server.port": port}

    def span(self, request: Request) -> AbstractContextManager[Span]:
        """A span for the length of a request; an error that leaves the block is recorded in it."""
        trace = self._trace
        return self._traced(trace, request) if collecting(trace) else _UNTRACED

    @contextmanager
    def _traced(self, trace: Any, request: Request) -> Iterator[Span]:
        attributes = {**self._server, "http.request.method": request.method, "url.path": request.path}
        tracer = trace.get_tracer("kubewright", __version__)
        # Names of spans are few; the path, which has names of objects in it, is an attribute.
        with tracer.start_as_current_span(
            request.method, attributes=attributes, kind=trace.SpanKind.CLIENT
        ) as span:
            yield Span(span)


def collecting(trace: Any) -> bool:
    """Whether the program has said where spans go; `trace` is OpenTelemetry's module, or None without it."""
    if trace is None or (_is_unset(trace) and not _NAMED_PROVIDER):
        return False
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def _is_unset(trace: Any) -> bool:
    """Whether no provider was set, as far as that can be seen at no cost: this is asked for every request.

    `get_tracer_provider` reads the environment each time. A version of OpenTelemetry that keeps its provider
    elsewhere is asked that way.
    """
    return getattr(trace, "_TRACER_PROVIDER", trace) is None


def opentelemetry() -> Any:
    """OpenTelemetry's module for spans, or None where it is not installed."""
    try:
        from opentelemetry import trace  # noqa: PLC0415 - optional
    except ImportError:
        return None
    return trace
