"""The programs of docs/client.md, and the one of docs/index.md, work as written."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright import Client
from kubewright.models.core_v1 import Pod
from kubewright.sync import Client as BlockingClient
from kubewright.testing import Cluster
from tests.docs.pages import programs, run

PAGE = "client.md"
FIRST, OBJECTS, WAITING, WATCHING, PODS = programs(PAGE)

POD: dict[str, Any] = {
    "metadata": {"name": "web-0", "labels": {"app": "web", "tier": "control-plane"}},
    "spec": {"containers": [{"name": "main", "image": "nginx"}]},
}


def test_objects(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            monkeypatch.setenv("KUBECONFIG", cluster.kubeconfig)
            pods = client.api(Pod, "default")
            names: dict[str, Any] = {}
            await run(FIRST, PAGE, names)
            await run(OBJECTS, PAGE, names | {"client": client, "pods": pods})
            (left,) = await pods.list().to_list()
            assert left.metadata.finalizers == ["foregroundDeletion"]  # for a garbage collector

    asyncio.run(main())
    assert capsys.readouterr().out == "default/web-0 {'app': 'web', 'tier': 'back'}\n"


def test_pods(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        async with Cluster() as cluster, Client(cluster.config) as client:
            pods = client.api(Pod, "default")
            await pods.create(POD)
            names: dict[str, Any] = {"client": client, "pods": pods, "Pod": Pod}
            for program in (WAITING, WATCHING, PODS):
                await run(program, PAGE, names)

    asyncio.run(main())
    first, *log, result, _ = capsys.readouterr().out.splitlines()
    assert first == "ADDED web-0"
    assert log
    assert result == "0 hello"


def test_the_first_page(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = programs("index.md")
    with Cluster.in_thread(controllers="none") as cluster, BlockingClient(cluster.config) as client:
        client.api(Pod, "kube-system").create(POD)
        monkeypatch.setenv("KUBECONFIG", cluster.kubeconfig)
        asyncio.run(run(program, "index.md", {}))
    assert capsys.readouterr().out == "web-0 Pending\n"
