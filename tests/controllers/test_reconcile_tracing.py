"""Spans of OpenTelemetry around reconciles, with those of the client's requests in them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from kubewright.client import tracing as client_tracing
from kubewright.client.client import Client
from kubewright.controllers import tracing
from kubewright.controllers.context import Context
from kubewright.controllers.requests import Request
from kubewright.machinery.errors import Conflict
from kubewright.models.core_v1 import ConfigMap
from tests.controllers.running import config_map, managed, on_a_cluster, until


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What was collected; the provider of a process can be set once only, so it is the modules' here."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    class Traced:
        SpanKind = trace.SpanKind
        StatusCode = trace.StatusCode
        ProxyTracerProvider = trace.ProxyTracerProvider
        get_tracer_provider = staticmethod(lambda: provider)
        get_tracer = staticmethod(provider.get_tracer)

    for module in (client_tracing, tracing):
        monkeypatch.setattr(module, "opentelemetry", lambda: Traced)
    return exporter


def test_a_span_for_each_reconcile_with_its_requests_in_it(spans: InMemorySpanExporter) -> None:
    async def test(client: Client) -> None:
        ids: dict[str, str] = {}

        async def reconcile(ctx: Context, request: Request) -> None:
            again = request.name in ids
            ids[request.name] = ctx.reconcile_id
            if request.name == "good" and not again:
                await ctx.client.api(ConfigMap, "default").patch("good", {"data": {"a": "b"}})
            if request.name == "failing" and not again:
                raise OSError("for once")
            if request.name == "changed" and not again:
                raise Conflict("it has changed")

        def reconciles(name: str) -> list[object]:
            return [
                span
                for span in spans.get_finished_spans()
                if (span.attributes or {}).get("object") == f"default/{name}"
            ]

        for name in ("good", "failing", "changed"):
            await client.api(ConfigMap, "default").create(config_map(name))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(
                lambda: all(len(reconciles(name)) == 2 for name in ids) and len(ids) == 3, "all, twice"
            )
        finished = spans.get_finished_spans()
        good, _ = [each for each in finished if (each.attributes or {}).get("object") == "default/good"]
        attributes = dict(good.attributes or {})
        assert len(str(attributes.pop("reconcileID"))) == 16
        assert good.name == "reconcile configmap"
        assert attributes == {
            "controller": "configmap",
            "controllerGroup": "",
            "controllerKind": "ConfigMap",
            "object": "default/good",
            "result": "success",
        }
        (patch,) = [each for each in finished if each.name == "PATCH"]
        assert patch.parent is not None
        assert patch.parent.span_id == good.context.span_id
        failing, _ = [each for each in finished if (each.attributes or {}).get("object") == "default/failing"]
        assert (failing.attributes or {})["result"] == "error"
        assert (failing.status.status_code, failing.status.description) == (
            StatusCode.ERROR,
            "OSError: for once",
        )
        assert failing.events[0].name == "exception"
        changed, _ = [each for each in finished if (each.attributes or {}).get("object") == "default/changed"]
        assert (changed.attributes or {})["result"] == "requeue"
        assert changed.status.status_code == StatusCode.UNSET

    on_a_cluster(test)


def test_an_error_that_cannot_be_told_concerns_its_key_alone(spans: InMemorySpanExporter) -> None:
    class UntoldError(Exception):
        def __str__(self) -> str:
            raise ValueError("not even this")

    async def test(client: Client) -> None:
        reconciled = []

        async def reconcile(ctx: Context, request: Request) -> None:
            reconciled.append(request.name)
            if request.name == "a":
                raise UntoldError

        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await client.api(ConfigMap, "default").create(config_map("a"))
            await until(lambda: reconciled.count("a") > 1, "it is tried again")
            await client.api(ConfigMap, "default").create(config_map("b"))
            await until(lambda: "b" in reconciled, "others go on")
        failed = [each for each in spans.get_finished_spans() if each.status.description == "UntoldError"]
        assert failed

    on_a_cluster(test)


def test_it_is_not_needed() -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from kubewright.controllers.outcomes import outcome_of\n"
        "from kubewright.controllers.reconciling import Reconciling\n"
        "from kubewright.controllers.tracing import ReconcileTracing\n"
        "with ReconcileTracing().span(Reconciling('c', '', 'K', '', 'n', 'i')) as span:\n"
        "    span.ended(outcome_of(None))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
