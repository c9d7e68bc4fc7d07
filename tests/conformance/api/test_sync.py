"""The blocking client, on both servers."""

from __future__ import annotations

import asyncio
import threading

import pytest

from kubewright.config import Config
from kubewright.machinery.errors import KubewrightError, NotFound
from kubewright.models.core_v1 import ConfigMap
from kubewright.sync import Client
from tests.conformance.namespaces import Namespace


def test_all_of_an_objects_life(config: Config, namespace: Namespace) -> None:
    with Client(config) as client:
        api = client.api(ConfigMap, namespace.name)
        made = api.create({"metadata": {"name": "a", "labels": {"app": "a"}}, "data": {"k": "1"}})
        assert client.core_v1.config_maps(namespace.name).get("a") == made
        assert [found.metadata.name for found in api.list(labels="app")] == ["a"]
        assert [found.metadata.name for found in api.list(labels="app", page_size=1).to_list()] == ["a"]
        assert api.patch("a", {"data": {"k": "2"}}).data == {"k": "2"}
        (cm,) = client.resource("cm", namespace.name).list(labels="app")
        assert cm["data"] == {"k": "2"}
        assert client.dynamic("v1", "ConfigMap", namespace.name).get("a")["data"] == {"k": "2"}
        assert client.version().minor == "36"
        assert client.raw("GET", "/readyz").body == b"ok"
        api.delete("a")
        with pytest.raises(NotFound):
            api.get("a")


def test_a_watch(config: Config, namespace: Namespace) -> None:
    with Client(config) as client:
        api = client.api(ConfigMap, namespace.name)
        api.create({"metadata": {"name": "a", "labels": {"app": "a"}}})
        seen = []
        for event in api.watch(labels="app"):
            seen.append((event.type, event.object.metadata.name))
            if len(seen) == 1:
                api.create({"metadata": {"name": "b", "labels": {"app": "b"}}})
            elif len(seen) == 2:
                api.delete("a")
            else:
                break
        assert seen == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a")]


def test_where_a_loop_runs_already(config: Config, namespace: Namespace) -> None:
    async def notebook() -> str:
        with Client(config) as client:
            return client.core_v1.namespaces().get(namespace.name).metadata.name

    assert asyncio.run(notebook()) == namespace.name


def threads() -> set[threading.Thread]:
    """Those of blocking clients: others, of servers for example, come and go."""
    return {each for each in threading.enumerate() if each.name == "kubewright-sync"}


def test_everything_is_closed(config: Config) -> None:
    before = threads()
    with Client(config) as client:
        client.version()
        assert len(threads() - before) == 1
    assert threads() <= before
    with pytest.raises(KubewrightError, match="the client is closed"):
        client.version()
    client.close()
    with Client(config):
        pass
