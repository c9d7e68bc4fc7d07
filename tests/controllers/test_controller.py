"""Controllers on a cluster: which keys they reconcile, when, and what happens when that fails."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections import Counter
from itertools import pairwise

import pytest

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
    later = r"5\.0 ms|10 ms, after 2 failures|20 ms, after 3 failures"
    told = rf"configmap: default/a failed in [0-9.]+ ms: \w+Error: the moon; it is tried again in ({later})"
    failed = [record for record in caplog.records if re.fullmatch(told, record.message)]
    assert len(failed) == 3
    assert failed[0].exc_info is not None
    assert failed[0].__dict__["object"] == "default/a"
    assert len({record.__dict__["reconcile_id"] for record in failed}) == 3


def test_a_task_of_a_reconcile_that_fails_does_not_end_its_worker() -> None:
    """Before Python 3.13 a task group leaves its task with a request to cancel that nobody has made."""

    async def test(client: Client) -> None:
        tries: Counter[Request] = Counter()

        async def fail() -> None:
            await asyncio.sleep(0)
            raise ValueError("it fails")

        async def reconcile(ctx: Context, request: Request) -> None:
            tries[request] += 1
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(fail())

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: tries[A] > 2, "it is retried by the only worker")

    on_a_cluster(test)


def test_exit_in_a_reconcile_concerns_its_key_alone(caplog: pytest.LogCaptureFixture) -> None:
    async def test(client: Client) -> None:
        tries: Counter[str] = Counter()

        async def reconcile(ctx: Context, request: Request) -> None:
            tries[request.name] += 1
            if request.name == "a" and tries["a"] < 3:
                sys.exit(4)

        for name in "ab":
            await client.api(ConfigMap, "default").create(config_map(name))
        async with managed(client, lambda manager: manager.controller(ConfigMap, reconcile)):
            await until(lambda: tries["a"] == 3 and tries["b"] == 1, "all are reconciled")

    with caplog.at_level(logging.ERROR):
        on_a_cluster(test)
    assert "the reconcile called exit(4); stop the manager instead; it is tried" in caplog.text
    assert "sys.exit(4)" in caplog.text  # where, in the trace


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
    assert re.search(
        r"default/a failed in [0-9.]+ ms and is not retried: the size is not a number\n", caplog.text
    )


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


def test_a_mapping_reads_from_the_caches() -> None:
    async def test(client: Client) -> None:
        asked: Counter[Request] = Counter()
        mapped: list[str] = []

        async def reconcile(ctx: Context, request: Request) -> None:
            asked[request] += 1

        def set_up(manager: Manager) -> None:
            async def users(secret: Secret) -> list[Request]:
                mapped.append(secret.metadata.name)
                maps = manager.cached.api(ConfigMap, secret.metadata.namespace)
                return [Request.of(await maps.get("a"))]

            manager.controller(
                ConfigMap, reconcile, watches=[Source(Secret, users)], predicates=[labels_changed]
            )

        await client.api(ConfigMap, "default").create(config_map("a"))
        async with managed(client, set_up):
            await until(lambda: asked[A], "what was there")
            await until(lambda: client.request_counts["GET", 200] == 4, "both kinds are listed and watched")
            before, sent = asked[A], sum(client.request_counts.values())
            await client.api(Secret, "default").create({"metadata": {"name": "s"}})
            await until(lambda: asked[A] > before, "what the secret leads to")
            assert mapped == ["s"]
            # The creation of the secret was the only request.
            assert sum(client.request_counts.values()) == sent + 1

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
    assert re.search(
        r"default/a failed in [0-9.]+ ms: TimeoutError: the reconcile took longer than 0.1 seconds",
        caplog.text,
    )


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
