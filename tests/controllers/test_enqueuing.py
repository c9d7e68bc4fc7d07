"""What changes call for is reconciled, whatever predicates, priorities and mappings do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.controllers import Context, Request, Source
from kubewright.controllers.manager import Manager
from kubewright.informers.changes import Change
from kubewright.models.core_v1 import ConfigMap, Secret
from tests.controllers.running import config_map, managed, on_a_cluster, until


def _fails(_: object) -> Any:
    raise RuntimeError("it is broken")


@pytest.mark.parametrize(
    "options",
    [
        {"predicates": [_fails]},
        {"priority": _fails},
        {"priority": lambda _: None},
        {"priority": lambda _: "high"},
    ],
)
def test_a_change_counts_whose_predicate_or_priority_fails(
    options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async def test(client: Client) -> None:
        seen: list[str] = []

        async def reconcile(_: Context, request: Request) -> None:
            seen.append(request.name)

        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile, **options)):
            await client.api(ConfigMap, "default").create(config_map("a"))
            await until(lambda: "a" in seen, "it is reconciled all the same")

    on_a_cluster(test)
    assert "configmap: a predicate or the priority of default/a failed, so that it counts" in caplog.text


@pytest.mark.parametrize("error", [RuntimeError("not now"), asyncio.CancelledError()])
def test_a_mapping_that_fails_is_asked_again(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        seen: list[str] = []
        asked: list[str] = []

        async def reconcile(_: Context, request: Request) -> None:
            seen.append(request.name)

        async def mapping(secret: Secret) -> list[Request]:
            asked.append(secret.metadata.name)
            if asked.count("bad") < 3 and secret.metadata.name == "bad":
                raise error
            return [Request("default", f"of-{secret.metadata.name}")]

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, watches=[Source(Secret, mapping)])

        secrets = client.api(Secret, "default")
        async with managed(client, set_up) as manager:
            await secrets.create({"metadata": {"name": "bad"}})
            await secrets.create({"metadata": {"name": "good"}})
            await until(lambda: {"of-bad", "of-good"} <= set(seen), "what it maps to is reconciled")
            (controller,) = manager.controllers
            await until(lambda: controller.is_idle, "nothing is left to be asked again")
        assert asked.count("bad") == 3

    on_a_cluster(test)
    assert "configmap: the mapping of Secret default/bad failed, and is asked again later" in caplog.text


def test_who_was_meant_before_a_failed_mapping_hears_too() -> None:
    async def test(client: Client) -> None:
        seen: set[str] = set()
        fails = False

        async def reconcile(_: Context, request: Request) -> None:
            seen.add(request.name)

        def mapping(secret: Secret) -> list[Request]:
            if fails:
                raise RuntimeError("not now")
            return [Request("default", secret.metadata.labels["for"])]

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, watches=[Source(Secret, mapping)])

        secrets = client.api(Secret, "default")
        await secrets.create({"metadata": {"name": "s", "labels": {"for": "first"}}})
        async with managed(client, set_up):
            await until(lambda: "first" in seen, "it is mapped")
            seen.clear()
            fails = True
            await secrets.patch("s", {"metadata": {"labels": {"for": "second"}}})
            await secrets.patch("s", {"metadata": {"labels": {"for": "third"}}})
            await secrets.delete("s")
            fails = False
            await until(lambda: {"first", "third"} <= seen, "whoever was or is meant is reconciled")

    on_a_cluster(test)


@pytest.mark.parametrize("mapped", [Request("default", "a"), None, "a", [("default", "a")]])
def test_what_a_mapping_returns_is_a_list_of_requests(mapped: Any) -> None:
    source = Source(ConfigMap, lambda _: mapped)
    with pytest.raises(TypeError, match="a mapping returns Requests in a list"):
        asyncio.run(source.requests(Change("default/a", None, config_map("a"))))


def test_what_a_mapping_returns_instead_is_not_told() -> None:
    """It is logged, and may be a Secret."""
    secret = Secret.from_dict({"metadata": {"name": "a"}, "stringData": {"password": "s3cret"}})
    source = Source(Secret, lambda _: [secret.to_dict()])
    with pytest.raises(TypeError, match="the list has something else: dict") as raised:
        asyncio.run(source.requests(Change("default/a", None, secret)))
    assert "s3cret" not in str(raised.value)
