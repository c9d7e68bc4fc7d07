"""What an admission webhook adds to a write, beyond the time that it takes itself."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from bench.row import Row
from bench.scale import scaled
from bench.servers import Embedded, Target

_COUNT = scaled(400, tiny=2)
_ROUNDS = scaled(5, tiny=1)
"""The figure is the median of so many; each is made of medians of `_COUNT` requests, one after the other."""

_MAPS = "/api/v1/namespaces/default/configmaps"
_CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


def rows() -> list[Row]:
    """A create with a webhook, less one without, less a call of the webhook by a client of its own."""
    with Embedded(lambda target: None) as embedded, embedded.start() as target:
        command = [sys.executable, "-m", "bench.admission_webhook"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            webhook = json.loads(process.stdout.readline())
            added = asyncio.run(_measured(target, webhook))
        finally:
            process.stdin.close()
            process.wait(30)
    return [Row("server: what a webhook adds to a create, beyond its own time", "1 ms", "ms", added, 1.0, 1)]


async def _measured(target: Target, webhook: dict[str, Any]) -> float:
    server = ssl.create_default_context(cafile=target.ca)
    server.load_cert_chain(target.cert, target.key)
    theirs = ssl.create_default_context(cadata=webhook["authority"])
    url = f"https://127.0.0.1:{webhook['port']}/allow"
    number = 0
    async with aiohttp.ClientSession() as session:

        async def send(method: str, path: str, body: object, codes: tuple[int, ...]) -> None:
            async with session.request(method, target.url + path, json=body, ssl=server) as response:
                await response.read()
                assert response.status in codes, response.status

        async def create() -> None:
            nonlocal number
            number += 1
            await send("POST", _MAPS, _config_map(f"measured-{number}"), (201,))

        review = json.dumps({"request": {"uid": "u", "object": _config_map("a")}}).encode()

        async def call() -> None:
            async with session.post(url, data=review, ssl=theirs) as response:
                await response.read()

        found = []
        for _ in range(_ROUNDS):
            without = await _median(create)
            await send("POST", _CONFIGURATIONS, _configuration(url, webhook["authority"]), (201,))
            with_it = await _median(create)
            await send("DELETE", f"{_CONFIGURATIONS}/measured", None, (200,))
            found.append(with_it - without - await _median(call))
    return max(statistics.median(found) * 1000, 0.001)


async def _median(work: Callable[[], Awaitable[None]]) -> float:
    """The seconds that something takes; the first few times do not count."""
    taken = []
    for _ in range(_COUNT + 20):
        begin = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken[20:])


def _config_map(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}}


def _configuration(url: str, authority: str) -> dict[str, object]:
    bundle = base64.b64encode(authority.encode()).decode()
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}
    hook = {
        "name": "measured.example.com",
        "clientConfig": {"url": url, "caBundle": bundle},
        "rules": [rule],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "measured"},
        "webhooks": [hook],
    }
