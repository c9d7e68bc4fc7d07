"""How much memory an operator needs for many objects, and for huge ones."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.config import config_from_kubeconfig
from kubewright.models.core_v1 import ConfigMap
from tests.controllers.faults.operators import define, healed
from tests.controllers.servers import App
from tests.server.processes import ServerProcess

ROOT = Path(__file__).parents[3]

AT_ONCE = 100


async def fill(client: Client, namespace: str, apps: int, huge: int, size: int) -> None:
    """Apps of a kilobyte, and ConfigMaps that are nobody's and hold `size` bytes each."""

    async def create(api: Any, obj: dict[str, Any]) -> None:
        async with limit:
            await api.create(obj)

    limit = asyncio.Semaphore(AT_ONCE)
    color = "x" * 800
    async with asyncio.TaskGroup() as tasks:
        for number in range(apps):
            app = {"metadata": {"name": f"a{number}"}, "spec": {"size": number, "color": color}}
            tasks.create_task(create(client.api(App, namespace), app))
        for number in range(huge):
            data = {"x": os.urandom(size // 2).hex()}
            config = {"metadata": {"name": f"huge{number}"}, "data": data}
            tasks.create_task(create(client.api(ConfigMap, namespace), config))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory as Linux shows it")
@pytest.mark.parametrize(
    ("apps", "huge", "left", "most"),
    [
        # Each App and its child are some 2 kB in the cache.
        (300, 0, 6_000, 8_000),
        # 20 MB are kept; and beside them pages of the list, which hold few of them.
        (5, 25, 26_000, 52_000),
    ],
    ids=["many", "huge"],
)
def test_an_operator_needs_memory_for_what_there_is(
    tmp_path: Path, apps: int, huge: int, left: int, most: int
) -> None:
    """In kB beyond what it needs with one object."""
    with ServerProcess(tmp_path) as server:
        config = config_from_kubeconfig(Path(server.kubeconfig).read_text())

        async def prepare() -> str:
            async with Client(config) as client:
                namespace = await define(client)
                await fill(client, namespace, apps, huge, 800_000)
                return namespace

        async def check(namespace: str) -> None:
            async with Client(config) as client:
                await healed(client, namespace)

        namespace = asyncio.run(prepare())
        command = [sys.executable, "-m", "tests.controllers.faults.memory"]
        ran = subprocess.run(
            [*command, server.kubeconfig, namespace, str(apps)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        before, after, peak, reconciled = json.loads(ran.stdout)
        assert reconciled == apps
        assert after - before < left, f"{after - before:,} kB are left"
        assert peak - before < most, f"{peak - before:,} kB were needed"
        asyncio.run(check(namespace))
