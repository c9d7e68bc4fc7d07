"""Events as kubectl shows them, on both servers."""

from __future__ import annotations

import asyncio
import subprocess

import pytest

from kubewright.controllers.event_correlation import COMBINED
from kubewright.controllers.events import EventRecorder
from kubewright.models.core_v1 import ConfigMap, Event, Namespace
from tests.controllers.servers import Server, Setting, app, on
from tests.realcluster.binaries import find_binaries

pytestmark = pytest.mark.real
"""For kubectl, which is built with the real server."""


async def kubectl(server: Server, *arguments: str) -> str:
    command = [str(find_binaries().kubectl), "--kubeconfig", str(server.kubeconfig), *arguments]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_events_of_an_object(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.apps.create(app())
        setting.writes.clear()
        async with EventRecorder(setting.client, component="app-controller", host="n1") as events:
            events.normal(made, "Scaled", "3 replicas")
            events.warning(made, "NoRoom", "node n1 is full", field_path="spec.size")
            events.normal(made, "Scaled", "3 replicas")
        assert len(setting.writes) == 2, "what was not sent yet is sent with its count"
        namespace = ("--namespace", setting.namespace)
        described = await kubectl(server, "describe", "apps.helpers.example.com", "web", *namespace)
        table = described.partition("Events:\n")[2].splitlines()
        assert table[0].split() == ["Type", "Reason", "Age", "From", "Message"]
        rows = [line.split() for line in table[2:]]
        assert sorted([row[0], row[1], " ".join(row[-2:])] for row in rows) == [
            ["Normal", "Scaled", "3 replicas"],
            ["Warning", "NoRoom", "is full"],
        ]
        assert any("(x2 over" in line for line in table), "the count"
        assert all("app-controller" in line for line in table[2:])
        got = await kubectl(server, "get", "events", "--output", "wide", "--no-headers", *namespace)
        assert sorted(line.split()[1:4] for line in got.splitlines()) == [
            ["Normal", "Scaled", "app/web"],
            ["Warning", "NoRoom", "app/web"],
        ]
        assert "app-controller, n1" in got
        assert "spec.size" in got

    on(server, test)


def test_events_of_an_object_without_a_namespace(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.client.api(Namespace).get(setting.namespace)
        async with EventRecorder(setting.client) as events:
            events.normal(made, "Seen", "hello")
        selected = f"involvedObject.uid={made.metadata.uid}"
        got = await kubectl(
            server, "get", "events", "-n", "default", "--field-selector", selected, "-o", "name"
        )
        assert len(got.splitlines()) == 1

    on(server, test)


def test_a_storm_becomes_few_events(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.client.api(ConfigMap, setting.namespace).create({"metadata": {"name": "a"}})
        async with EventRecorder(setting.client) as events:
            for number in range(100):
                events.normal(made, "Changed", f"change {number}")
        stored = [each async for each in setting.client.api(Event, setting.namespace).list()]
        combined = [each for each in stored if each.message.startswith(COMBINED)]
        assert len(stored) == 10
        assert [(each.count, each.message) for each in combined] == [(16, f"{COMBINED}change 24")]
        assert len(setting.writes) <= 26

    on(server, test)


def test_a_namespace_that_is_being_deleted(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.client.api(ConfigMap, setting.namespace).create(
            {"metadata": {"name": "a", "finalizers": ["example.com/kept"]}}
        )
        namespaces = setting.client.api(Namespace)
        await namespaces.delete(setting.namespace)
        async with EventRecorder(setting.client) as events:
            events.normal(made, "Last", "words")
        assert [each async for each in setting.client.api(Event, setting.namespace).list()] == []

    on(server, test)
    assert "Last" not in caplog.text
