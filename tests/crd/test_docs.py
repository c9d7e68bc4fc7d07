"""The programs of docs/custom-resources.md that declare kinds work as written."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kubewright import ApiError, Client, Invalid, NotFound, Resource
from kubewright.crd import validate
from kubewright.testing import Cluster

PAGE = (Path(__file__).parents[2] / "docs" / "custom-resources.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def program(having: str) -> str:
    """The first program of the page with these words."""
    found: str = next(each for each in PROGRAMS if having in each)
    return found


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Where programs are run."""
    made = ModuleType("documented_kinds")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def run(text: str, module: ModuleType) -> dict[str, Any]:
    """What a program leaves behind."""
    exec(compile(text, "docs/custom-resources.md", "exec", dont_inherit=True), vars(module))  # noqa: S102 - our own words
    return vars(module)


def test_the_declaration(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    app: Any = run(program("class App("), module)["app"]
    printed = capsys.readouterr().out
    assert "name: apps.example.com" in printed
    assert "description: What is wanted." in printed
    app.spec.min_replicas = 11
    with pytest.raises(Invalid, match="minReplicas must not exceed maxReplicas"):
        validate(app)


def test_the_versions(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = run(program("class Site("), module)
    assert capsys.readouterr().out == "example.com 80\n"
    serve = run(program("async def serve").replace("        ...\n", "        await use(client)\n"), module)[
        "serve"
    ]

    async def use(client: Client) -> None:
        old: Any = kinds["old"]
        await wait_for_kinds(client, type(old), kinds["Site"])
        await client.api(type(old), "default").create(old)
        found = await client.api(kinds["Site"], "default").get("web")
        assert found.spec == kinds["new"].spec
        old.spec.address = "nowhere"
        with pytest.raises(ApiError, match="'nowhere' has no port; write HOST:PORT"):
            await client.api(type(old), "default").create(old)

    async def ran() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await serve(client)

    module.use = use  # type: ignore[attr-defined]
    asyncio.run(ran())


async def wait_for_kinds(client: Client, *kinds: type[Resource]) -> None:
    """A definition is served a moment after it was created."""
    async with asyncio.timeout(60):
        for kind in kinds:
            while True:
                try:
                    await client.api(kind, "default").get("absent")
                except NotFound as error:
                    if error.status.details is not None and error.status.details.name == "absent":
                        break
                await asyncio.sleep(0.01)


def test_a_webhook_behind_a_service(module: ModuleType) -> None:
    run(program("class Site("), module)
    module.bundle = b"-----BEGIN CERTIFICATE-----"  # type: ignore[attr-defined]
    run("from kubewright.webhooks import WebhookServer\n" + program('names=["site.default.svc"]'), module)
