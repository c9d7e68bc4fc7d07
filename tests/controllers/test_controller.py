"""Controllers on a cluster: which keys they reconcile, when, and what happens when that fails."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.controllers.context import Context
from kubewright.controllers.manager import Manager
from kubewright.controllers.predicates import labels_changed
from kubewright.controllers.requests import Request, Result, Terminal
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import Conflict, NotFound
from kubewright.machinery.meta import OwnerReference
from kubewright.machinery.status import Status
from kubewright.models.core_v1 import ConfigMap, Secret
from tests.controllers.running import config_map, managed, on_a_cluster, until

A, B = Request("default", "a"), Request("default", "b")


def test_what_is_there_and_what_changes_is_reconciled() -> None:
    async def test(client: Client) -> None:
        seen: list[tuple[str, str]] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            try:
                found = await ctx.client.api(ConfigMap, request.namespace).get(request.name)
            except NotFound:
                seen.append((request.name, "gone"))
            else:
                seen.append((request.name, found.data.get("sky", "")))

        maps = client.api(ConfigMap, "default")
        await maps.create(config_map("a", sky="blue"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: ("a", "blue") in seen, "what was there")
            await maps.create(config_map("b", sky="red"))
            await until(lambda: ("b", "red") in seen, "what came")
            await maps.patch("a", {"data": {"sky": "grey"}})
            await until(lambda: ("a", "grey") in seen, "what changed")
            await maps.delete("b")
            await until(lambda: seen[-1] == ("b", "gone"), "what went")

    on_a_cluster(test)


def test_one_key_is_never_with_two_workers() -> None:
    async def test(client: Client) -> None:
        active: Counter[Request] = Counter()
        most: Counter[Request] = Counter()
        together = 0

        async def reconcile(ctx: Context, request: Request) -> None:
            nonlocal together
            active[request] += 1
            most[request] = max(most[request], active[request])
            together = max(together, active.total())
            await asyncio.sleep(0.01)
            active[request] -= 1

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, workers=8)

        maps = client.api(ConfigMap, "default")
        for name in "abcd":
            await maps.create(config_map(name))
        async with managed(client, set_up):
            for number in range(30):
                await maps.patch("abcd"[number % 4], {"data": {"n": str(number)}})
            await until(lambda: not active.total() and len(most) >= 4, "all were reconciled")
        assert set(most.values()) == {1}
        assert together > 1, "several workers work at once"

    on_a_cluster(test)


def test_what_fails_is_retried_and_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        tries: Counter[str] = Counter()

        async def reconcile(ctx: Context, request: Request) -> None:
            tries[request.name] += 1
            if request.name == "a" and tries["a"] < 4:
                raise ZeroDivisionError("the moon")
            if request.name == "b":
                raise RecursionError

        maps = client.api(ConfigMap, "default")
        for name in "abc":
            await maps.create(config_map(name))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: tries["a"] == 4 and tries["b"] > 2 and tries["c"], "retried")
        assert tries["c"] == 1

    with caplog.at_level(logging.ERROR):
        on_a_cluster(test)
    failed = [record for record in caplog.records if "default/a failed: the moon" in record.message]
    assert len(failed) == 3
    assert failed[0].exc_info is not None
    assert failed[0].__dict__["object"] == "default/a"
    assert len({record.__dict__["reconcile_id"] for record in failed}) == 3


def test_what_is_terminal_is_not_retried_until_it_changes(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        tries: Counter[str] = Counter()

        async def reconcile(ctx: Context, request: Request) -> None:
            tries[request.name] += 1
            if request.name == "a":
                raise Terminal("the size is not a number")

        maps = client.api(ConfigMap, "default")
        await maps.create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)) as manager:
            await until(lambda: tries["a"] == 1, "tried")
            queue = manager.controller_named("configmap").queue
            assert queue.retries(A) == 0
            assert len(queue) == 0
            await maps.patch("a", {"data": {"n": "1"}})
            await until(lambda: tries["a"] == 2, "tried again")

    on_a_cluster(test)
    assert "default/a is not retried: the size is not a number" in caplog.text


def test_a_conflict_is_retried_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        tries: Counter[str] = Counter()

        async def reconcile(ctx: Context, request: Request) -> None:
            tries[request.name] += 1
            if request == A and tries["a"] < 3:
                raise Conflict(Status(message="somebody else"))

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: tries["a"] == 3, "retried")

    with caplog.at_level(logging.INFO):
        on_a_cluster(test)
    assert "somebody else" not in caplog.text


def test_asking_again_later() -> None:
    async def test(client: Client) -> None:
        times: list[float] = []

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            if request != A:
                return None
            times.append(asyncio.get_running_loop().time())
            return Result(requeue_after=0.2)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: len(times) >= 3, "asked again")
        assert all(later - before >= 0.19 for before, later in pairwise(times))

    on_a_cluster(test)


def test_what_is_owned_leads_to_its_owner() -> None:
    async def test(client: Client) -> None:
        asked: Counter[Request] = Counter()

        async def reconcile(ctx: Context, request: Request) -> None:
            asked[request] += 1

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, owns=[Secret], predicates=[labels_changed])

        owner = await client.api(ConfigMap, "default").create(config_map("a"))
        reference = OwnerReference(
            api_version="v1", kind="ConfigMap", name="a", uid=owner.metadata.uid, controller=True
        )
        async with managed(client, set_up):
            await until(lambda: asked[A], "the owner")
            before = asked[A]
            secrets = client.api(Secret, "default")
            await secrets.create({"metadata": {"name": "s", "ownerReferences": [reference.to_dict()]}})
            await until(lambda: asked[A] > before, "its secret came")
            before = asked[A]
            await secrets.delete("s")
            await until(lambda: asked[A] > before, "its secret went")
            await secrets.create({"metadata": {"name": "other"}})

    on_a_cluster(test)


def test_other_sources() -> None:
    async def test(client: Client) -> None:
        asked: Counter[Request] = Counter()

        async def reconcile(ctx: Context, request: Request) -> None:
            asked[request] += 1

        async def users(secret: Secret) -> list[Request]:
            return [Request("default", name) for name in secret.metadata.annotations.get("users", "").split()]

        def set_up(manager: Manager) -> None:
            manager.controller(
                ConfigMap, reconcile, watches=[Source(Secret, users)], predicates=[labels_changed]
            )

        async with managed(client, set_up):
            secrets = client.api(Secret, "default")
            await secrets.create({"metadata": {"name": "s", "annotations": {"users": "a b"}}})
            await until(lambda: asked[A] and asked[B], "both")
            before = asked[A]
            await secrets.patch("s", {"metadata": {"annotations": {"users": "b"}}})
            await until(lambda: asked[A] > before, "who is meant no more hears of it")

    on_a_cluster(test)


async def by_patch(maps: Api[ConfigMap], name: str, count: int) -> None:
    await maps.patch(name, {"data": {"count": str(count)}})


async def by_retry(maps: Api[ConfigMap], name: str, count: int) -> None:
    def change(found: ConfigMap) -> None:
        found.data["count"] = str(count)

    await maps.retry_on_conflict(name, change)


@pytest.mark.parametrize("write", [by_patch, by_retry])
def test_a_reconcile_sees_what_the_last_one_wrote(
    write: Callable[[Api[ConfigMap], str, int], Awaitable[None]],
) -> None:
    async def test(client: Client) -> None:
        stale: list[str] = []
        written: dict[str, int] = {}

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            if not request.name.startswith("n"):
                return None
            maps = ctx.client.api(ConfigMap, request.namespace)
            found = await maps.get(request.name)
            count = int(found.data.get("count", "0"))
            if count != written.get(request.name, 0):
                stale.append(f"{request.name}: {count}, and {written[request.name]} was written")
            if count >= 20:
                return None
            await write(maps, request.name, count + 1)
            written[request.name] = count + 1
            return Result(requeue_after=0.0001)

        maps = client.api(ConfigMap, "default")
        for number in range(10):
            await maps.create(config_map(f"n{number}"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile, workers=4)):
            await until(lambda: list(written.values()) == [20] * 10, f"{written}")
        assert not stale

    on_a_cluster(test)


def test_a_reconcile_does_not_see_what_the_last_one_deleted() -> None:
    async def test(client: Client) -> None:
        log: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            if request != A or len(log) >= 40:
                return None
            maps = ctx.client.api(ConfigMap, "default")
            children = [each.metadata.name async for each in maps.list(labels="child")]
            log.append(f"{len(children)}")
            if children:
                await maps.delete(children[0])
            else:
                await maps.create({"metadata": {"name": f"c{len(log)}", "labels": {"child": ""}}})
            return Result(requeue_after=0.0001)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: len(log) >= 40, "enough")
        assert "".join(log) == "01" * 20

    on_a_cluster(test)


def test_a_reconcile_does_not_see_an_object_whose_last_finalizer_it_took_away() -> None:
    async def test(client: Client) -> None:
        cleaned: Counter[str] = Counter()
        gone: set[str] = set()

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            maps = ctx.client.api(ConfigMap, "default")
            try:
                found = await maps.get(request.name)
            except NotFound:
                gone.add(request.name)
                return None
            if found.metadata.deletion_timestamp is None:
                return None
            cleaned[request.name] += 1
            await maps.patch(request.name, {"metadata": {"finalizers": None}})
            return Result(requeue_after=0.0001)

        maps = client.api(ConfigMap, "default")
        names = [f"n{number}" for number in range(20)]
        for name in names:
            await maps.create({"metadata": {"name": name, "finalizers": ["example.com/hold"]}})
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile, workers=4)):
            await asyncio.gather(*(maps.delete(name) for name in names))
            await until(lambda: set(names) <= gone, "all are gone")
        assert cleaned == dict.fromkeys(names, 1)

    on_a_cluster(test)


def test_indexes_of_the_cache() -> None:
    async def test(client: Client) -> None:
        found: dict[str, list[str]] = {}

        async def reconcile(ctx: Context, request: Request) -> None:
            blue = await ctx.client.api(ConfigMap, "default").by("sky", "blue")
            found[request.name] = sorted(each.metadata.name for each in blue)

        def set_up(manager: Manager) -> None:
            manager.index(ConfigMap, {"sky": lambda obj: [obj.data.get("sky", "")]})
            manager.controller(ConfigMap, reconcile)
            with pytest.raises(ValueError, match="ConfigMap has an index 'sky' already"):
                manager.index(ConfigMap, {"sky": lambda _: []})

        maps = client.api(ConfigMap, "default")
        await maps.create(config_map("a", sky="blue"))
        await maps.create(config_map("b", sky="red"))
        await maps.create(config_map("c", sky="blue"))
        async with managed(client, set_up):
            await until(lambda: found.get("b") == ["a", "c"], "what the index has")

    on_a_cluster(test)


def test_a_reconcile_that_takes_too_long_is_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        ended: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            if request == A:
                try:
                    await asyncio.sleep(60)
                finally:
                    ended.append("cancelled")

        def set_up(manager: Manager) -> None:
            manager.controller(ConfigMap, reconcile, timeout=0.1)

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, set_up) as manager:
            await until(lambda: len(ended) >= 2, "cancelled and tried again")
            assert manager.controller_named("configmap").metrics.timeouts >= 2

    on_a_cluster(test)
    assert "default/a failed: the reconcile took longer than 0.1 seconds" in caplog.text


def test_what_a_reconciler_waits_for_may_be_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        tries = 0

        async def reconcile(ctx: Context, request: Request) -> None:
            nonlocal tries
            if request == A:
                tries += 1
                task = asyncio.create_task(asyncio.sleep(60))
                task.cancel()
                await task

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: tries >= 2, "the worker goes on")

    on_a_cluster(test)
    assert "what the reconcile waited for was cancelled" in caplog.text


@pytest.mark.parametrize(
    ("options", "why"), [({"workers": 0}, "needs one at least"), ({"timeout": 0}, "more than 0 seconds")]
)
def test_options_that_cannot_be(options: dict[str, int], why: str) -> None:
    async def reconcile(ctx: Context, request: Request) -> None: ...

    async def test(client: Client) -> None:
        async with Manager(client) as manager:
            with pytest.raises(ValueError, match=why):
                manager.controller(ConfigMap, reconcile, **options)  # type: ignore[arg-type]

    on_a_cluster(test)
