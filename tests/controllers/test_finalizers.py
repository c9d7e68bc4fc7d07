"""Finalizers: there before anything happens, gone after the cleanup, and never those of others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright.controllers.context import Context
from kubewright.controllers.finalizers import (
    add_finalizer,
    drop_finalizer,
    ensure_finalizer,
    finalize,
    has_finalizer,
    remove_finalizer,
)
from kubewright.controllers.requests import Request
from kubewright.machinery.errors import Conflict, NotFound
from kubewright.machinery.status import Status
from tests.controllers.running import managed, until
from tests.controllers.servers import App, Server, Setting, app, on

OURS, THEIRS, LAST = "example.com/ours", "example.com/theirs", "example.com/last"


async def nothing(obj: App) -> None: ...


def test_in_memory() -> None:
    obj = app()
    assert add_finalizer(obj, OURS)
    assert not add_finalizer(obj, OURS)
    assert add_finalizer(obj, THEIRS)
    assert has_finalizer(obj, OURS)
    assert remove_finalizer(obj, OURS)
    assert not remove_finalizer(obj, OURS)
    assert obj.metadata.finalizers == [THEIRS]
    deleted = App.from_dict({"metadata": {"name": "a", "deletionTimestamp": "2026-01-01T12:00:00Z"}})
    assert not add_finalizer(deleted, OURS), "the server would refuse it"
    assert not deleted.metadata.finalizers


@pytest.mark.parametrize("name", ["", "cleanup", "example.com/", "-/a", "example.com/a b"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(ValueError, match=r"is no name of a finalizer; write it as example\.com/cleanup"):
        add_finalizer(app(), name)


def test_it_is_there_before_anything_happens(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.apps.create(app())
        ready = await finalize(setting.apps, made, OURS, nothing)
        assert ready is not None
        assert (await setting.apps.get("web")).metadata.finalizers == [OURS]
        assert ready.metadata.finalizers == [OURS]
        assert await finalize(setting.apps, ready, OURS, nothing) is ready
        assert len(setting.writes) == 2, "it is written once"
        second = await ensure_finalizer(setting.apps, ready, THEIRS)
        assert second.metadata.finalizers == [OURS, THEIRS]

    on(server, test)


def test_an_object_that_has_changed_is_looked_at_again(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = await setting.apps.create(app())
        await setting.apps.patch("web", {"metadata": {"finalizers": [THEIRS]}})
        with pytest.raises(Conflict):
            await finalize(setting.apps, made, OURS, nothing)
        assert (await setting.apps.get("web")).metadata.finalizers == [THEIRS]
        stale = await setting.apps.get("web")
        await setting.apps.delete("web")
        with pytest.raises(Conflict):
            await finalize(setting.apps, stale, OURS, nothing)
        await setting.apps.patch("web", {"metadata": {"finalizers": []}})
        with pytest.raises(ValueError, match="has no resourceVersion"):
            await finalize(setting.apps, app(), OURS, nothing)

    on(server, test)


def test_the_cleanup_runs_until_it_succeeds(server: Server) -> None:
    async def test(setting: Setting) -> None:
        cleaned: list[str] = []

        async def cleanup(obj: App) -> None:
            assert (await setting.apps.get("web")).metadata.deletion_timestamp is not None
            cleaned.append(obj.metadata.name)
            if len(cleaned) == 1:
                raise ZeroDivisionError

        made = await finalize(setting.apps, await setting.apps.create(app()), OURS, cleanup)
        assert made is not None
        await setting.apps.delete("web")
        deleted = await setting.apps.get("web")
        with pytest.raises(ZeroDivisionError):
            await finalize(setting.apps, deleted, OURS, cleanup)
        assert has_finalizer(await setting.apps.get("web"), OURS), "it is kept until it has succeeded"
        assert await finalize(setting.apps, deleted, OURS, cleanup) is None
        with pytest.raises(NotFound):
            await setting.apps.get("web")
        assert len(cleaned) == 2
        await drop_finalizer(setting.apps, deleted, OURS)  # Nothing is left to be done.

    on(server, test)


def test_others_write_while_the_cleanup_runs(server: Server) -> None:
    async def test(setting: Setting) -> None:
        cleaned = 0

        async def cleanup(obj: App) -> None:
            nonlocal cleaned
            cleaned += 1
            finalizers = {"finalizers": [LAST, OURS]}
            await setting.apps.patch("web", {"metadata": finalizers, "spec": {"size": 9}})

        made = app()
        made.metadata.finalizers = [THEIRS, OURS, LAST]
        await setting.apps.create(made)
        await setting.apps.delete("web")
        assert await finalize(setting.apps, await setting.apps.get("web"), OURS, cleanup) is None
        found = await setting.apps.get("web")
        assert (found.metadata.finalizers, found.spec.size) == ([LAST], 9)
        assert cleaned == 1, "a conflict is no reason to clean up again"
        assert await finalize(setting.apps, found, OURS, cleanup) is None
        assert cleaned == 1, "it has been done"
        writes = len(setting.writes)
        assert await ensure_finalizer(setting.apps, found, OURS) is found, "it is being deleted"
        assert len(setting.writes) == writes
        await drop_finalizer(setting.apps, found, LAST)

    on(server, test)


def test_many_at_once_lose_nobody_s(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = app()
        made.metadata.finalizers = [THEIRS]
        await setting.apps.create(made)

        async def until_it_is_so(name: str, *, wanted: bool) -> None:
            while True:
                found = await setting.apps.get("web")
                try:
                    await (ensure_finalizer if wanted else drop_finalizer)(setting.apps, found, name)
                except Conflict:
                    continue
                return

        async def come_and_go(number: int) -> None:
            name = f"example.com/f{number}"
            for _ in range(4):
                await until_it_is_so(name, wanted=True)
                assert has_finalizer(await setting.apps.get("web"), name)
                await until_it_is_so(name, wanted=False)
                assert not has_finalizer(await setting.apps.get("web"), name)

        async with asyncio.TaskGroup() as tasks:
            for number in range(5):
                tasks.create_task(come_and_go(number))
        assert (await setting.apps.get("web")).metadata.finalizers == [THEIRS]

    on(server, test)


def test_another_object_of_the_name_is_left_alone(server: Server) -> None:
    async def test(setting: Setting) -> None:
        made = app()
        made.metadata.finalizers = [OURS]
        await setting.apps.create(made)
        await setting.apps.delete("web")
        old = await setting.apps.get("web")
        await setting.apps.patch("web", {"metadata": {"finalizers": []}})
        new = await setting.apps.create(made)
        await drop_finalizer(setting.apps, old, OURS)
        found = await setting.apps.get("web")
        assert (found.metadata.uid, found.metadata.finalizers) == (new.metadata.uid, [OURS])

    on(server, test)


def test_objects_without_types(server: Server) -> None:
    async def test(setting: Setting) -> None:
        await setting.apps.create(app())
        api = setting.client.dynamic("helpers.example.com/v1", "App", setting.namespace)
        ready = await ensure_finalizer(api, await api.get("web"), OURS)
        assert ready.metadata.finalizers == [OURS]
        await drop_finalizer(api, ready, OURS)
        assert not (await api.get("web")).metadata.finalizers

    on(server, test)


def test_in_a_reconcile(server: Server) -> None:
    async def test(setting: Setting) -> None:
        outside: dict[str, str] = {}
        log: list[str] = []

        async def cleanup(obj: App) -> None:
            log.append("cleanup")
            if log.count("cleanup") < 3:
                raise ConnectionError("not now")
            outside.pop(obj.metadata.uid, None)

        async def reconcile(ctx: Context, request: Request) -> None:
            try:
                found = await ctx.client.api(App, request.namespace).get(request.name)
            except NotFound:
                log.append("gone")
                return
            ready = await finalize(ctx, found, OURS, cleanup)
            if ready is None:
                return
            stored = await ctx.client.uncached.api(App, request.namespace).get(request.name)
            assert has_finalizer(stored, OURS)
            outside[ready.metadata.uid] = ready.metadata.name
            log.append("made")

        def set_up(manager: Any) -> None:
            manager.controller(App, reconcile)

        await setting.apps.create(app())
        async with managed(setting.client, set_up, namespaces=[setting.namespace]):
            await until(lambda: outside, "reconciled")
            assert not isinstance(await setting.apps.delete("web"), Status), "it is kept for a while"
            await until(lambda: log[-1] == "gone", "it has gone")
        assert not outside
        assert log.count("cleanup") == 3
        assert "made" not in log[log.index("cleanup") :]

    on(server, test)
