"""Kinds that are not served yet, come, go and come back, while an informer of them runs."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.informers import Informer, Informers, reflector
from kubewright.machinery.errors import NotFound, WaitTimeout
from kubewright.machinery.gvk import GroupVersionResource
from kubewright.machinery.resource import Resource
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import FaultProxy
from tests.client.peers import Asked, peer, run, status
from tests.client.watch_script import config_map, eventually, listed
from tests.informers.faults.connecting import Server, config_of, short_pause
from tests.informers.faults.histories import PATIENCE, History
from tests.informers.faults.widgets import define, undefine


class Widget(Resource, api_version="typed.example.com/v1", kind="Widget"):
    """A kind that says what it is, and not where it is served: that is found by discovery."""

    spec: dict[str, Any] = {}


class Placed(Resource, api_version="placed.example.com/v1", kind="Widget"):
    """A kind that says where it is served: the server answers 404 itself."""

    gvr = GroupVersionResource("placed.example.com", "v1", "widgets")
    namespaced = True

    spec: dict[str, Any] = {}


GROUPS = ["dynamic.example.com", "typed.example.com", "placed.example.com"]


def of_group(informers: Informers, client: Client, group: str) -> Informer[Any]:
    kinds: dict[str, Any] = {
        "typed.example.com": Widget,
        "placed.example.com": Placed,
        "dynamic.example.com": client.dynamic("dynamic.example.com/v1", "Widget"),
    }
    return informers.of(kinds[group])


async def create_widget(client: Client, group: str, name: str) -> None:
    """Creates a widget as soon as its definition is in force."""
    widgets = client.dynamic(f"{group}/v1", "Widget", "default")
    await widgets.create(
        {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": 1}}
    )


@pytest.mark.parametrize("group", GROUPS)
def test_a_definition_that_comes_goes_and_comes_back(
    server: Server, proxy: FaultProxy, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reflector, "_GONE_AFTER", 0.2)

    async def test() -> None:
        async with (
            Client(server.config) as direct,
            Client(config_of(server, proxy), timeout=10) as client,
            Informers(client, sleep=short_pause) as informers,
        ):
            history = History()
            informer = of_group(informers, client, group)
            informer.on_change(history)
            await eventually(lambda: informer.last_error is not None, within=PATIENCE)
            with pytest.raises(WaitTimeout, match=r"Widget was not synced within 0.5 seconds: .*"):
                await informer.synced(timeout=0.5)
            await define(direct, group)
            await informer.synced(timeout=PATIENCE)
            await create_widget(direct, group, "a")
            await create_widget(direct, group, "b")
            await history.until_told("ADDED", "b")
            assert sorted(informer.keys()) == ["default/a", "default/b"]
            # It goes while the informer looks on.
            await undefine(direct, group)
            await history.until(lambda: len(history.told) >= 4)
            assert sorted(history.short()[2:]) == [("DELETED", "a"), ("DELETED", "b")]
            await eventually(lambda: informer.last_error is not None, within=PATIENCE)
            assert informer.list() == []
            # It comes back.
            await define(direct, group)
            await create_widget(direct, group, "a")
            await history.until(lambda: len(history.told) >= 5)
            assert informer.keys() == ["default/a"]
            # It goes while the informer is not connected, so that no deletion is told by the server.
            proxy.refuse()
            proxy.cut()
            await undefine(direct, group)
            proxy.resume()
            await history.until(lambda: len(history.told) >= 6)
            assert informer.list() == []
            assert history.short()[4:] == [("ADDED", "a"), ("DELETED", "a")]
            # And comes back once more, with another object of the name.
            await define(direct, group)
            await create_widget(direct, group, "a")
            await history.until(lambda: len(history.told) >= 7)
            history.check()
            assert len({each.uid for each in history.of("a")}) == 3
            await undefine(direct, group)

    run(test)


def test_a_kind_that_is_away_for_a_moment_keeps_its_objects(
    server: Server, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of several servers may not have heard of it yet; what is there when it is back is told."""
    monkeypatch.setattr(reflector, "_GONE_AFTER", 1000.0)
    group = "dynamic.example.com"

    async def test() -> None:
        async with (
            Client(server.config) as direct,
            Client(config_of(server, proxy), timeout=10) as client,
            Informers(client, sleep=short_pause) as informers,
        ):
            await define(direct, group)
            await create_widget(direct, group, "a")
            await create_widget(direct, group, "b")
            history = History()
            informer = of_group(informers, client, group)
            await informer.on_change(history).synced(timeout=PATIENCE)
            proxy.refuse()
            proxy.cut()
            await undefine(direct, group)
            proxy.resume()
            await eventually(lambda: isinstance(informer.last_error, NotFound), within=PATIENCE)
            assert len(informer) == 2
            assert len(history.told) == 2
            await define(direct, group)
            await create_widget(direct, group, "a")
            await history.until(lambda: len(history.told) >= 5)
            history.check()
            assert sorted(history.short()[2:]) == [("ADDED", "a"), ("DELETED", "a"), ("DELETED", "b")]
            await undefine(direct, group)

    run(test)


def test_a_proxy_that_finds_nothing_is_no_reason_to_take_objects_for_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not found is what something between here and the server says, too: of the kind, and of all else."""
    monkeypatch.setattr(reflector, "_GONE_AFTER", 0.0)
    answers: list[Any] = [listed(10, config_map("a", 5))]

    async def handle(asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response(answers.pop().body) if answers else status(404)

    async def test() -> None:
        async with (
            peer(handle, tls=False) as server,
            Client(server.config) as client,
            Informers(client, sleep=short_pause) as informers,
        ):
            told: list[str] = []
            informer = informers.of(ConfigMap)
            informer.on_delete(lambda obj: told.append(obj.key))
            await informer.synced(timeout=PATIENCE)
            await eventually(lambda: len(server.asked) > 20, within=PATIENCE)
            assert any(asked.target.startswith("/apis") for asked in server.asked), (
                "it was asked what it serves"
            )
            assert informer.keys() == ["default/a"]
            assert told == []

    run(test)
