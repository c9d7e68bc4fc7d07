"""Spans of OpenTelemetry around requests, where its API package is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from kubewright.client.request import Request
from kubewright.version import __version__

if TYPE_CHECKING:
    from collections.abc import MutableMapping

__all__ = ["Span", "Tracing"]


class Span:
    """One request in a trace; does nothing where there is no OpenTelemetry."""

    def __init__(self, span: Any = None) -> None:
        self._span: Final = span

    def answered(self, status: int) -> None:
        """Say how the request ended."""
        if self._span is not None:
            self._span.set_attribute("http.response.status_code", status)


_UNTRACED: Final = nullcontext(Span())


class Tracing:
    """Makes the spans of one client."""

    def __init__(self, server: str) -> None:
        self._tracer, self._inject = _opentelemetry()
        parts = urlsplit(server)
        self._server: Final = {"server.address": parts.hostname or "", "server.port": parts.port or 443}

    def span(self, request: Request) -> AbstractContextManager[Span]:
        """A span for the length of a request; an error that leaves the block is recorded in it."""
        return _UNTRACED if self._tracer is None else self._traced(request)

    @contextmanager
    def _traced(self, request: Request) -> Iterator[Span]:
        attributes = {**self._server, "http.request.method": request.method, "url.path": request.path}
        name = f"{request.method} {request.path}"
        with self._tracer.start_as_current_span(name, attributes=attributes, kind=_client_kind()) as span:
            yield Span(span)

    def inject(self, headers: MutableMapping[str, str]) -> None:
        """Tell the server of the span."""
        if self._inject is not None:
            self._inject(headers)


def _opentelemetry() -> tuple[Any, Any]:
    try:
        from opentelemetry import propagate, trace  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - optional
    except ImportError:
        return None, None
    return trace.get_tracer("kubewright", __version__), propagate.inject


def _client_kind() -> Any:
    from opentelemetry.trace import SpanKind  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - optional

    return SpanKind.CLIENT
