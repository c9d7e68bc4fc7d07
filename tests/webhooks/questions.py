"""AdmissionReviews as a server sends them, and functions that are asked."""

from __future__ import annotations

import json
from typing import Any

from kubewright.webhooks.declaration import webhook_of
from tests.webhooks.apps import app
from tests.webhooks.caller import Caller, run

__all__ = ["KIND", "ask", "question", "ran"]

KIND = {"group": "webhooks.example.com", "version": "v1", "kind": "App"}


def question(version: str = "v1", **request: Any) -> dict[str, Any]:
    asked = {"uid": "u-1", "kind": KIND, "operation": "CREATE", "object": app(), "oldObject": None, **request}
    return {"apiVersion": f"admission.k8s.io/{version}", "kind": "AdmissionReview", "request": asked}


async def ask(caller: Caller, path: str, body: Any = None, **request: Any) -> dict[str, Any]:
    sent = json.dumps(question(**request) if body is None else body).encode()
    status, text = await caller.send(sent, path=path)
    assert status == 200, text
    answer = json.loads(text)
    assert answer["kind"] == "AdmissionReview"
    assert answer["response"]["uid"] == "u-1"
    response: dict[str, Any] = answer["response"]
    return response


def ran(function: Any, test: Any, **options: Any) -> None:
    """Run a test with the path of a function that is served."""
    declared = webhook_of(function)
    assert declared is not None

    async def with_caller(caller: Caller) -> None:
        caller.webhooks.add(function)
        await test(caller, declared.path)

    run(with_caller, **options)
