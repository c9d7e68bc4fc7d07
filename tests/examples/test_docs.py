"""The programs in docs/informers.md work as written, one after the other."""

from __future__ import annotations

import ast
import asyncio
import re
from contextlib import AsyncExitStack
from inspect import isawaitable
from pathlib import Path
from typing import Any

import pytest

from kubewright import Client, Informers
from kubewright.models.core_v1 import Pod
from kubewright.testing import Cluster
from tests.examples.programs import ROOT

PAGE = Path(ROOT, "docs", "informers.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

POD = {
    "metadata": {"name": "web-0", "labels": {"app": "web"}, "annotations": {"a": "b"}},
    "spec": {"containers": [{"name": "main", "image": "web:1"}], "nodeName": "n1"},
}


async def run(program: str, names: dict[str, Any]) -> None:
    """Run a piece of a program, in which `await` may stand anywhere, with and for the names of the others."""
    code = compile(program, "docs/informers.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, names)  # noqa: S307 - it is our own page
    if isawaitable(result):
        await result


def test_the_programs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            cluster = await stack.enter_async_context(Cluster(controllers="none"))
            monkeypatch.setenv("KUBECONFIG", cluster.kubeconfig)
            client = await stack.enter_async_context(Client(cluster.config))
            await client.core_v1.namespaces().create({"metadata": {"name": "shop"}})
            await client.api(Pod, "shop").create(POD)
            names: dict[str, Any] = {}
            await run(PROGRAMS[0], names)
            assert capsys.readouterr().out == "ADDED shop/web-0\n"
            informers = await stack.enter_async_context(Informers(client))
            names |= {"client": client, "informers": informers, "pods": informers.of(Pod)}
            await names["pods"].synced()
            for program in PROGRAMS[1:]:
                await run(program, names)
            await names["pods"].synced()
            slim = names["pods"].get("shop/web-0")
            assert not slim.metadata.annotations
            assert slim.metadata.labels == {"app": "web", "seen": "yes"}

    asyncio.run(main())
    assert capsys.readouterr().out == "new Pending\n"
    assert len(PROGRAMS) == 5
