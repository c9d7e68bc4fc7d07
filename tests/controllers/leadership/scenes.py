"""A namespace with operators that stand for election, and the history of what they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.models.core_v1 import ConfigMap
from tests.controllers.leadership.history import (
    History,
    overlaps,
    read_acts,
    recorded,
    stale_writes,
    uneven,
)
from tests.controllers.leadership.processes import Operator, operators
from tests.controllers.leadership.small_operator import Options, Timing
from tests.controllers.servers import Server

__all__ = ["PATIENCE", "Scene", "on_stage", "two_leaders"]

PATIENCE = 60.0
"""Seconds in which things happen that are not timed, on a busy machine."""


class Scene(NamedTuple):
    """What a test works with."""

    maps: Api[ConfigMap]
    operators: list[Operator]
    history: History
    folder: Path

    @property
    def leader(self) -> Operator:
        """Whose manager holds the Lease."""
        return next(each for each in self.operators if f".{each.pid}." in self.history.holder)

    async def create(self, role: str, name: str) -> None:
        """Make an item or a counter."""
        await self.maps.create({"metadata": {"name": name, "labels": {"role": role}}})


@asynccontextmanager
async def on_stage(
    server: Server, folder: Path, timing: Timing, *, count: int, again: bool, unfenced: bool = False
) -> AsyncIterator[Scene]:
    """So many operators in a fresh namespace; all have ended, and the history is whole, after the block."""
    async with Client(server.config) as client:
        made = await client.core_v1.namespaces().create({"metadata": {"generateName": "leadership-"}})
        namespace = made.metadata.name
        options = [
            Options(
                name=f"operator-{number}",
                kubeconfig=str(server.kubeconfig),
                namespace=namespace,
                acts=str(folder / f"{number}.acts"),
                timing=timing,
                again=again,
                unfenced=unfenced,
            )
            for number in range(count)
        ]
        async with recorded(client, namespace) as history:
            with operators(*options, folder=folder) as started:
                scene = Scene(client.api(ConfigMap, namespace), started, history, folder)
                await history.until(lambda: history.holder, within=PATIENCE)
                yield scene
            # What they had sent when they were killed is there by then.
            await asyncio.sleep(0.3)


def two_leaders(scene: Scene) -> list[str]:
    """All that would show that there were two leaders."""
    history = scene.history
    acts = read_acts(scene.folder.glob("*.acts"))
    assert acts, "nobody has led"
    return [*stale_writes(history.held, history.written), *uneven(history.written), *overlaps(acts)]
