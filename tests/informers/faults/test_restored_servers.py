"""Servers that come back with less than they had: restored from a backup, at a lower revision."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from kubewright.client import watch_loop
from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.informers import Informers
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import Cluster, FaultProxy
from tests.client.peers import run
from tests.informers.faults.connecting import named, same_as_server, short_pause
from tests.informers.faults.histories import PATIENCE, History


@contextmanager
def serving(folder: Path, port: int) -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none", port=port, data_dir=folder) as cluster:
        yield cluster


@pytest.mark.slow
@pytest.mark.parametrize(
    "streams", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["pages", "streams"]
)
@pytest.mark.parametrize("hard", [False, True], ids=["shut down", "crashed"])
def test_a_server_at_a_lower_revision_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streams: bool, hard: bool
) -> None:
    """It keeps a watch from a revision that it does not have silent: what was lost must be asked about."""
    monkeypatch.setattr(watch_loop, "_PROOF_AFTER", 0.2)
    data, backup = tmp_path / "data", tmp_path / "backup"

    async def test() -> None:
        with serving(data, 0) as cluster:
            port = int(cluster.url.rpartition(":")[2])
            async with Client(cluster.config) as client:
                maps = client.api(ConfigMap, "default")
                await maps.create(named("kept", k="1"))
                await maps.create(named("changed", k="1"))
                await maps.create(named("deleted later", k="1") | {"metadata": {"name": "deleted"}})
        shutil.copytree(data, backup)
        with FaultProxy(f"https://127.0.0.1:{port}") as proxy:
            running = serving(data, port)
            cluster = running.__enter__()
            through: Config = msgspec.structs.replace(cluster.config, server=proxy.url)
            async with (
                Client(through, timeout=10) as proxied,
                Informers(proxied, streams=streams, sleep=short_pause) as informers,
            ):
                history = History()
                informer = informers.of(ConfigMap, "default")
                informer.on_change(history)
                await informers.synced(timeout=PATIENCE)
                async with Client(cluster.config) as client:
                    maps = client.api(ConfigMap, "default")
                    await maps.patch("changed", {"data": {"k": "2"}})
                    await maps.delete("deleted")
                    for number in range(20):
                        last = await maps.create(named(f"lost{number}", k="1"))
                    await informer.seen(last)
                await history.until_told("ADDED", "lost19")
                history.check()
                history.forget()
                if hard:
                    proxy.refuse()
                    proxy.cut()
                running.__exit__(None, None, None)
                with serving(backup, port) as restored:
                    proxy.resume()
                    async with Client(restored.config) as client:
                        # All that the list has changed, and more would be too many.
                        await history.until(lambda: len(history.told) >= 22)
                        await same_as_server(informer, client.api(ConfigMap, "default"))
                        told = sorted(history.short())
                        assert told == [
                            ("ADDED", "deleted"),
                            *sorted(("DELETED", f"lost{number}") for number in range(20)),
                            ("MODIFIED", "changed"),
                        ]
                        assert history.of("changed")[0].state == {"k": "1"}
                        # It goes on from there, below the revision that it was at.
                        new = await client.api(ConfigMap, "default").create(named("new"))
                        assert int(new.metadata.resource_version) < int(last.metadata.resource_version)
                        await informer.seen(new)
                        await history.until_told("ADDED", "new")

    run(test)
