"""Spans of OpenTelemetry around requests."""

from __future__ import annotations

import subprocess
import sys

import pytest
from aiohttp import web
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kubewright.client import tracing
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.machinery.errors import NotFound, TransportError
from tests.client.peers import Asked, peer, run, status

GET = Request(method="GET", path="/api/v1/pods", query=[("labelSelector", "a")])


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What was collected; the provider of a process can be set once only, so it is the module's here."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    class Traced:
        SpanKind = trace.SpanKind
        ProxyTracerProvider = trace.ProxyTracerProvider
        get_tracer_provider = staticmethod(lambda: provider)
        get_tracer = staticmethod(provider.get_tracer)

    monkeypatch.setattr(tracing, "opentelemetry", lambda: Traced)
    return exporter


def test_each_request_is_a_span_that_the_server_is_told_of(spans: InMemorySpanExporter) -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            return web.json_response({}) if asked.method == "GET" else status(404, "NotFound")

        async with peer(answer) as server:
            client = Sender(server.config)
            await client.send(GET)
            with pytest.raises(NotFound):
                await client.send(Request(method="DELETE", path="/api/v1/namespaces/n/pods/p"))
            await client.close()
        first, second = spans.get_finished_spans()
        assert (first.name, second.name) == ("GET", "DELETE")
        assert dict(first.attributes or {}) == {
            "server.address": "127.0.0.1",
            "server.port": server.port,
            "http.request.method": "GET",
            "url.path": "/api/v1/pods",
            "http.response.status_code": 200,
        }
        assert (second.attributes or {})["http.response.status_code"] == 404
        told = [asked.headers["traceparent"].split("-")[2] for asked in server.asked]
        assert told == [f"{span.context.span_id:016x}" for span in (first, second)]

    run(test)


def test_what_goes_wrong_is_recorded(spans: InMemorySpanExporter) -> None:
    async def test() -> None:
        async with peer(lambda asked, request: None) as server:
            client = Sender(server.config)
            with pytest.raises(TransportError):
                await client.send(Request(method="POST", path="/x", body=b"{}"))
            await client.close()
        (span,) = spans.get_finished_spans()
        assert not span.status.is_ok
        assert span.events[0].name == "exception"

    run(test)


def test_nothing_is_said_where_nobody_collects() -> None:
    async def test() -> None:
        async with peer(lambda asked, request: web.json_response({})) as server:
            client = Sender(server.config)
            await client.send(GET)
            await client.close()
        assert "traceparent" not in server.asked[0].headers

    run(test)


def test_it_is_not_needed() -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from kubewright.client.tracing import Tracing\n"
        "from kubewright.client.request import Request\n"
        "with Tracing('https://x').span(Request(method='GET', path='/')) as span: span.answered(200)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
