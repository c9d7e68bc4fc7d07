"""Applying to a server that takes its time with definitions; see tests/conformance for the rest."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from aiohttp import web

from kubewright.client import apply_yaml
from kubewright.client.client import Client
from kubewright.machinery.errors import NotFound, RequestTimeout, TransportError
from tests.client.discovery_server import aggregated, group, resource
from tests.client.peers import Asked, peer, run, status

MANIFESTS = """
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true}, {name: v1alpha1, served: false}]
"""
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"
WIDGET = "/apis/example.com/v1/namespaces/default/widgets/w"


class SlowServer:
    """Establishes a definition when it was looked at twice, and serves it when asked three times more."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.definition: dict[str, Any] = {}
        self.looks = 0
        self.discoveries = 0

    def __call__(self, asked: Asked, _: web.BaseRequest) -> web.StreamResponse | None:
        path = asked.target.partition("?")[0]
        if path == "/api":
            return web.json_response(aggregated())
        if path == "/apis":
            return web.json_response(self._groups())
        self.steps.append(f"{asked.method} {path}")
        if path.startswith("/apis/apiextensions.k8s.io/"):
            return web.json_response(self._definition(asked))
        if path == WIDGET and self._is_served():
            return web.json_response(msgspec.json.decode(asked.body))
        return status(404, "NotFound")

    def _definition(self, asked: Asked) -> dict[str, Any]:
        if asked.method == "PATCH":
            self.definition = msgspec.json.decode(asked.body)
        else:
            self.looks += 1
        if self._is_established():
            conditions = [{"type": "Other"}, {"type": "Established", "status": "True"}]
            self.definition["status"] = {"conditions": conditions}
        return self.definition

    def _groups(self) -> dict[str, Any]:
        if self._is_established():
            self.discoveries += 1
        groups = [group("apiextensions.k8s.io", {"v1": [DEFINITION]})]
        if self._is_served():
            groups.append(group("example.com", {"v1": [resource("widgets", "Widget")]}))
        return aggregated(*groups)

    def _is_established(self) -> bool:
        return self.looks >= 2

    def _is_served(self) -> bool:
        return self._is_established() and self.discoveries > 3


DEFINITION = resource("customresourcedefinitions", "CustomResourceDefinition", scope="Cluster")


def test_what_was_defined_is_applied_when_it_is_served() -> None:
    server = SlowServer()

    async def test() -> None:
        async with peer(server, tls=False) as made, Client(made.config) as client:
            applied = await client.apply_yaml(MANIFESTS)
        assert [each.kind for each in applied] == ["CustomResourceDefinition", "Widget"]
        assert server.steps == [
            f"PATCH {DEFINITIONS}",
            f"GET {DEFINITIONS}",
            f"GET {DEFINITIONS}",
            f"PATCH {WIDGET}",
        ]

    run(test)


class SeveralServers(SlowServer):
    """Serves two definitions at once, but for what the server answers that has heard of nothing."""

    def __init__(self, *, refusals: list[web.Response], forgetful: int = 0) -> None:
        super().__init__()
        self.looks = 2
        self._refusals = refusals
        self._forgetful = forgetful

    def __call__(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse | None:
        if asked.target.startswith(WIDGET) and self._refusals:
            self.steps.append("refused")
            return self._refusals.pop(0)
        return super().__call__(asked, request)

    def _groups(self) -> dict[str, Any]:
        self.discoveries += 1
        groups = [group("apiextensions.k8s.io", {"v1": [DEFINITION]})]
        # The first definition is known to the first that is asked, and for a while not to the next ones.
        if not 2 < self.discoveries <= 2 + self._forgetful:
            groups.append(group("example.com", {"v1": [resource("widgets", "Widget")]}))
        groups.append(group("example.org", {"v1": [resource("gadgets", "Gadget")]}))
        return aggregated(*groups)

    def _is_served(self) -> bool:
        return True


def unknown() -> web.Response:
    """How kube-apiserver answers under paths that it does not know."""
    return web.Response(status=404, text="404 page not found\n")


def test_another_server_that_does_not_know_the_definition_yet_is_given_time() -> None:
    server = SeveralServers(refusals=[unknown() for _ in range(3)])

    async def test() -> None:
        async with peer(server) as made, Client(made.config) as client:
            applied = await client.apply_yaml(MANIFESTS)
        assert [each.kind for each in applied] == ["CustomResourceDefinition", "Widget"]
        assert server.steps == [f"PATCH {DEFINITIONS}", *["refused"] * 3, f"PATCH {WIDGET}"]

    run(test)


def test_other_servers_are_not_given_time_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply_yaml, "_OTHER_SERVERS", 0.1)
    server = SeveralServers(refusals=[unknown() for _ in range(100)])

    async def test() -> None:
        async with peer(server) as made, Client(made.config) as client:
            with pytest.raises(NotFound, match=re.escape("Widget 'w' (document 1): 404 page not found")):
                await client.apply_yaml(MANIFESTS)
            # Of what was not defined here, nothing is expected.
            server.steps.clear()
            with pytest.raises(NotFound, match="404 page not found"):
                await client.apply_yaml(MANIFESTS.partition("---")[0])
        assert server.steps == ["refused"]

    run(test)


def test_a_namespace_that_is_missing_is_told_at_once() -> None:
    missing = {
        "kind": "Status",
        "status": "Failure",
        "reason": "NotFound",
        "message": 'namespaces "default" not found',
        "details": {"name": "default", "kind": "namespaces"},
        "code": 404,
    }
    server = SeveralServers(refusals=[web.json_response(missing, status=404)])

    async def test() -> None:
        async with peer(server) as made, Client(made.config) as client:
            with pytest.raises(NotFound, match='namespaces "default" not found'):
                await client.apply_yaml(MANIFESTS)
        assert server.steps == [f"PATCH {DEFINITIONS}", "refused"]

    run(test)


def test_definitions_are_discovered_together() -> None:
    """What one server has discovered is not lost when the next one that answers is behind."""
    second = MANIFESTS.partition("---")[2].replace("widget", "gadget").replace("Widget", "Gadget")
    server = SeveralServers(refusals=[], forgetful=2)

    async def test() -> None:
        async with peer(server) as made, Client(made.config) as client:
            await client.apply_yaml(f"{MANIFESTS}---{second.replace('example.com', 'example.org')}")
            known = {each.gvk.kind for each in await client.discovery.resources()}
        assert known == {"CustomResourceDefinition", "Gadget", "Widget"}
        assert server.discoveries == 5

    run(test)


def test_a_connection_that_breaks_is_told_with_the_object() -> None:
    def cut(asked: Asked, _: web.BaseRequest) -> web.StreamResponse | None:
        if asked.target in {"/api", "/apis"}:
            return web.json_response(
                aggregated(group("example.com", {"v1": [resource("widgets", "Widget")]}))
            )
        return None

    async def test() -> None:
        async with peer(cut, tls=False) as made, Client(made.config) as client:
            with pytest.raises(
                TransportError, match=re.escape("Widget 'w' (document 1): the connection")
            ) as raised:
                await client.apply_yaml(MANIFESTS.partition("---")[0])
            assert raised.value.was_sent
            assert not isinstance(raised.value, RequestTimeout)

    run(test)
