"""Credentials that change while an informer runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from kubewright.client.client import Client
from kubewright.config.credentials import TokenFile
from kubewright.informers import Informers
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster, FaultProxy
from tests.client.peers import Asked, peer, run, status
from tests.client.watch_script import Script, Streamed, config_map, event, eventually, listed
from tests.informers.faults.connecting import config_of, fresh_namespace, named, short_pause
from tests.informers.faults.histories import PATIENCE, History


class Guarded(Script):
    """A script for those who have the right token; others are refused, and take no line."""

    word = "first"
    refused = 0

    async def __call__(self, asked: Asked, request: Any) -> Any:
        if asked.headers.get("Authorization") != f"Bearer {self.word}":
            self.refused += 1
            return status(401, "Unauthorized")
        return await super().__call__(asked, request)


def test_a_token_that_is_rotated(tmp_path: Path) -> None:
    """The old one is refused from one moment to the other, and the new one is there before or after that."""
    path = tmp_path / "token"
    path.write_text("first")

    async def test() -> None:
        script = Guarded(
            listed(10, config_map("a", 5)),
            Streamed([event("ADDED", config_map("b", 11))], then="cut"),
            Streamed([event("ADDED", config_map("c", 12))], then="cut"),
            Streamed([event("ADDED", config_map("d", 13))], then="hang"),
        )

        def keep_up(change: Any) -> None:
            # The server has told of b, and the connection is about to break.
            if change.key == "default/b":
                script.word = "second"
                path.write_text("second")
            if change.key == "default/c":
                script.word = "third"

        async with peer(script) as server:
            config = msgspec.structs.replace(server.config, credentials=TokenFile(path))
            async with Client(config) as client, Informers(client, sleep=short_pause) as informers:
                history = History()
                informer = informers.of(ConfigMap)
                informer.on_change(history)
                informer.on_change(keep_up)
                await history.until_told("ADDED", "c")
                # The third one is not in the file yet: the informer is refused, again and again, and says so.
                await eventually(lambda: script.refused >= 3, within=PATIENCE)
                assert "401" in str(informer.last_error) or "Unauthorized" in str(informer.last_error)
                assert sorted(informer.keys()) == ["default/a", "default/b", "default/c"]
                path.write_text("third")
                await history.until_told("ADDED", "d")
                assert history.short() == [("ADDED", name) for name in "abcd"]
            script.finished.set()
        # It was never listed again: nothing was lost.
        assert [query.get("resourceVersion") for query in script.queries if "watch" in query] == [
            "10",
            "11",
            "12",
        ]

    run(test)


def test_a_real_server_that_refuses_for_a_while(cluster: Cluster, proxy: FaultProxy, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("wrong")

    async def test() -> None:
        config = msgspec.structs.replace(config_of(cluster, proxy), credentials=TokenFile(path))
        async with (
            Client(cluster.config) as direct,
            Client(config) as client,
            Informers(client, sleep=short_pause) as informers,
        ):
            namespace = await fresh_namespace(direct)
            maps = direct.api(ConfigMap, namespace)
            await maps.create(named("a"))
            informer = informers.of(ConfigMap, namespace)
            await eventually(lambda: informer.last_error is not None, within=PATIENCE)
            assert not informer.is_synced
            path.write_text(cluster.token)
            await informer.synced(timeout=PATIENCE)
            assert informer.keys() == [f"{namespace}/a"]
            path.write_text("wrong again")
            proxy.cut()
            last = await maps.create(named("b"))
            path.write_text(cluster.token)
            await informer.seen(last)
            assert informer.last_error is None

    run(test)
