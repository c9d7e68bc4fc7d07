"""The programs of docs/from-official-client.md work as written, one after the other."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Pod
from kubewright.sync import Client
from kubewright.testing import Cluster
from tests.docs.pages import programs, run

PAGE = "from-official-client.md"

POD: dict[str, Any] = {
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "nginx"}]},
}
DEPLOYMENT: dict[str, Any] = {
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "shop"}},
        "template": {**POD, "metadata": {"labels": {"app": "shop"}}},
    },
}


def test_the_programs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def told() -> list[str]:
        return capsys.readouterr().out.splitlines()

    script, objects, patches, watches, commands, errors = programs(PAGE)
    names: dict[str, Any] = {}
    with Cluster.in_thread(controllers="-deployment") as cluster, Client(cluster.config) as client:
        monkeypatch.setenv("KUBECONFIG", cluster.kubeconfig)
        client.api(Pod, "default").create(POD)
        client.api(Pod, "default").wait_for("web", "Ready", timeout=30)
        client.api(Deployment, "default").create(DEPLOYMENT)

        def execute(program: str) -> None:
            asyncio.run(run(program, PAGE, names))

        execute(script)
        assert told() == ["web Running", "no such pod"]
        execute(objects)
        execute(patches)
        assert told() == ["4"]
        image = client.api(Deployment, "default").get("web").spec.template.spec.containers[0].image
        assert image == "nginx:2"
        execute(watches)
        assert told() == ["ADDED web"]
        execute(commands)
        ended, _, line = told()
        assert ended == "0 hello"
        assert line
        execute(errors)
        assert told() == ["spec.containers[0].image Required value"]
