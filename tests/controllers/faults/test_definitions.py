"""Kinds that are not served yet, come, go and come back, while an operator of them runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers import Context, Manager, Request, Source, controller_of, set_controller_reference
from kubewright.informers import reflector
from kubewright.machinery.errors import NotFound
from kubewright.machinery.gvk import GroupVersionResource
from kubewright.machinery.resource import Resource
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import FaultProxy
from tests.client.peers import run
from tests.controllers.faults.operators import check_log, quick, reported
from tests.controllers.running import PATIENCE, managed, until
from tests.controllers.servers import Server
from tests.informers.faults.widgets import define, undefine


class Placed(Resource, api_version="placed.example.com/v1", kind="Widget"):
    """A kind that says where it is served: the server answers 404 itself."""

    gvr = GroupVersionResource("placed.example.com", "v1", "widgets")
    namespaced = True

    spec: dict[str, Any] = {}


KINDS: dict[str, Callable[[Client], Any]] = {
    "placed": lambda client: Placed,
    "dynamic": lambda client: client.dynamic("dynamic.example.com/v1", "Widget"),
}

NAMESPACE = "default"


class Widgets:
    """Gives each widget a ConfigMap of its name and size, and takes it away with the widget."""

    def __init__(self, direct: Client, form: str) -> None:
        self._direct = direct
        self._form = form
        self._group = f"{form}.example.com"

    async def reconcile(self, ctx: Context, request: Request) -> None:
        maps = ctx.client.api(ConfigMap, request.namespace)
        kind = KINDS[self._form](ctx.client)
        # In the form that it watches: what has another one comes from another cache.
        api = kind if isinstance(kind, Api) else ctx.client.api(kind)
        try:
            widget = await api.in_namespace(request.namespace).get(request.name)
        except NotFound:
            try:
                child = await maps.get(request.name)
                await maps.delete(request.name, uid=child.metadata.uid)
            except NotFound:
                pass
            return
        wanted = ConfigMap.from_dict({"metadata": {"name": request.name, "namespace": request.namespace}})
        set_controller_reference(widget, wanted)
        wanted.data = {"size": str(widget.to_dict()["spec"]["size"])}
        await maps.apply(wanted, manager="widgets", force=True)

    async def create(self, name: str, size: int) -> None:
        """By somebody who is not the operator."""
        widgets = self._direct.dynamic(f"{self._group}/v1", "Widget", NAMESPACE)
        await widgets.create(
            {
                "apiVersion": f"{self._group}/v1",
                "kind": "Widget",
                "metadata": {"name": name},
                "spec": {"size": size},
            }
        )

    async def until_children(self, **expected: str) -> None:
        """Wait until the children are those, with their sizes."""
        found: dict[str, str] = {}
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    maps = [each async for each in self._direct.api(ConfigMap, NAMESPACE).list()]
                    found = {
                        each.metadata.name: each.data["size"]
                        for each in maps
                        if (owner := controller_of(each)) is not None
                        and owner.api_version.startswith(self._group)
                    }
                    if found == expected:
                        return
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"there is {found}, not {expected}") from None


@pytest.mark.parametrize(
    ("form", "namespaces"),
    [
        ("placed", NAMESPACE),
        # What is found by discovery is asked for again after seconds only.
        pytest.param("dynamic", "", marks=pytest.mark.slow),
    ],
)
def test_a_kind_that_comes_goes_and_comes_back(
    server: Server,
    proxy: FaultProxy,
    form: str,
    namespaces: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(reflector, "_GONE_AFTER", 0.2)
    group = f"{form}.example.com"

    async def test() -> None:
        config = msgspec.structs.replace(server.config, server=proxy.url)
        async with Client(server.config) as direct, Client(config, timeout=10) as client:
            widgets = Widgets(direct, form)

            def controllers(manager: Manager) -> None:
                manager.controller(KINDS[form](client), widgets.reconcile, owns=[ConfigMap], workers=2)

            async with managed(client, controllers, namespaces=namespaces) as manager:
                controller = manager.controller_named("widget")
                await until(lambda: caplog.records, "it says that it waits")
                assert not controller.is_synced
                await define(direct, group)
                await widgets.create("a", 1)
                await widgets.create("b", 1)
                await widgets.until_children(a="1", b="1")
                # It goes while the operator looks on.
                await undefine(direct, group)
                await widgets.until_children()
                await define(direct, group)
                await widgets.create("a", 2)
                await widgets.until_children(a="2")
                # It goes while nobody is connected, and comes back with another object of the name.
                proxy.refuse()
                proxy.cut()
                await undefine(direct, group)
                proxy.resume()
                await widgets.until_children()
                await define(direct, group)
                await widgets.create("a", 3)
                await widgets.until_children(a="3")
                # And while nobody is connected it goes and comes back at once.
                proxy.refuse()
                proxy.cut()
                await undefine(direct, group)
                await define(direct, group)
                await widgets.create("a", 4)
                await widgets.create("c", 4)
                proxy.resume()
                await widgets.until_children(a="4", c="4")
            await undefine(direct, group)

    with quick(), caplog.at_level(logging.INFO):
        run(test)
    check_log(caplog)


def test_another_controller_does_not_wait_for_a_kind_that_is_absent(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """And the manager stops at once although one of its controllers never began."""

    async def test() -> None:
        seen: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            seen.append(request.name)

        async def never(ctx: Context, request: Request) -> None:
            raise AssertionError

        async with Client(server.config) as client:
            absent = client.dynamic("absent.example.com/v1", "Widget")
            nobody = Source(absent, lambda _: [])

            def controllers(manager: Manager) -> None:
                manager.controller(absent, never, name="absent", owns=[ConfigMap])
                manager.controller(ConfigMap, never, name="owns-absent", owns=[absent])
                manager.controller(ConfigMap, never, name="watches-absent", watches=[nobody])
                manager.controller(ConfigMap, reconcile, name="present")

            async with managed(client, controllers):
                await client.api(ConfigMap, NAMESPACE).apply(
                    {"metadata": {"name": "some"}}, manager="test", force=True
                )
                await until(lambda: "some" in seen, "it is reconciled")
                await until(lambda: "absent.example.com" in caplog.text, "it says what it waits for")
                begun = asyncio.get_running_loop().time()
            assert asyncio.get_running_loop().time() - begun < 20, (
                "nothing is waited for until it is cancelled"
            )
        assert len(reported(caplog, "kubewright")) <= 4, "each that waits says so once"

    run(test)
