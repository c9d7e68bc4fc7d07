"""The programs in docs/webhooks.md work as written, one after the other."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from kubewright import Client, Manager
from kubewright.testing import Cluster, define
from kubewright.webhooks import Denied, Review, WebhookServer

PAGE = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text()
FUNCTIONS, LOOKING, IN_A_TEST, IN_A_CLUSTER, SECRET, FILES = re.findall(
    r"```python\n(.*?)```", PAGE, re.DOTALL
)


def named(*programs: str) -> dict[str, Any]:
    """What programs define, read without this file's future imports."""
    names: dict[str, Any] = {"__name__": "docs"}
    for program in programs:
        exec(compile(program, "docs/webhooks.md", "exec", dont_inherit=True), names)  # noqa: S102 - our own page
    return names


def test_in_a_test() -> None:
    asyncio.run(named(FUNCTIONS, IN_A_TEST)["test_defaults"]())


def test_in_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(named(FUNCTIONS, IN_A_TEST, IN_A_CLUSTER)["test_webhooks"]())
    assert capsys.readouterr().out == (
        '1\nadmission webhook "vapp-v1.example.com" denied the request: App.example.com "web" is invalid: '
        'spec.image: Invalid value: "web:2": field is immutable\n'
    )


def test_the_function() -> None:
    names = named(FUNCTIONS)
    app = names["App"].from_dict({"metadata": {"name": "web"}, "spec": {"image": "web"}})

    async def test() -> None:
        review = Review(app)
        await names["check"](review)
        assert review.warnings == ["an image without a tag may change at any time"]
        app.metadata.labels["protected"] = "yes"
        with pytest.raises(Denied, match="web is protected"):
            await names["check"](Review(app, old=app, operation="DELETE"))

    asyncio.run(test())


def test_looking_at_others() -> None:
    """With the page's manager, whose caches have what was created before."""
    names = named(FUNCTIONS, LOOKING)
    app_kind: Any = names["App"]

    async def test() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await define(client, app_kind)
            apps = client.api(app_kind, "default")
            web = await apps.create({"metadata": {"name": "web"}, "spec": {"image": "web:1"}})
            async with Manager(client, webhooks=False, signals=False) as manager:
                names["setup"](manager)
                check = names["one_per_image"]
                await check(Review(web, client=manager.cached))
                other = app_kind.from_dict({"metadata": {"name": "b"}, "spec": {"image": "web:1"}})
                with pytest.raises(Denied, match="web runs web:1 already"):
                    await check(Review(other, namespace="default", client=manager.cached))

    asyncio.run(test())


def test_the_certificates() -> None:
    for program in (SECRET, FILES):
        assert isinstance(named(SECRET, program)["webhooks"], WebhookServer)
