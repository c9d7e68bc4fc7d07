"""What informers know and tell, on both servers."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.client import Client
from kubewright.informers import Change, Informers
from kubewright.machinery.errors import NotSynced
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import Pod
from tests.conformance.api.conftest import Use
from tests.conformance.informers.leases import lease
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import pod
from tests.informers.faults.connecting import same_as_server
from tests.informers.faults.histories import PATIENCE, History

both = pytest.mark.parametrize("streams", [False, True], ids=["pages", "streams"])


@both
def test_what_is_there_and_what_happens(use: Use[object], namespace: Namespace, streams: bool) -> None:
    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        for name in ("a", "b", "c"):
            await api.create(lease(name))
        async with Informers(client, streams=streams) as informers:
            history = History()
            informer = informers.of(Lease, namespace.name)
            with pytest.raises(NotSynced, match="is not synced yet"):
                informer.list()
            registration = informer.on_change(history)
            await informers.synced(timeout=PATIENCE)
            await registration.synced(timeout=PATIENCE)
            assert sorted(history.short()) == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
            assert all(each.initial for each in history.told)
            await same_as_server(informer, api)
            history.forget()
            await api.patch("a", {"spec": {"holderIdentity": "somebody"}})
            await api.delete("b")
            await api.delete("c")
            last = await api.create(lease("c", "anew"))
            await informer.seen(last)
            await same_as_server(informer, api)
            await history.until_told("ADDED", "c")
            assert history.short() == [
                ("MODIFIED", "a"),
                ("DELETED", "b"),
                ("DELETED", "c"),
                ("ADDED", "c"),
            ]
            history.check()
            assert not any(each.initial for each in history.told)
            # Each reader has objects of its own.
            mine = informer.get(f"{namespace.name}/a")
            assert mine is not None
            mine.spec.holder_identity = "me"
            mine.metadata.labels["mine"] = "yes"
            await same_as_server(informer, api)

    use(test)


@both
def test_handlers_that_come_late_and_go(use: Use[object], namespace: Namespace, streams: bool) -> None:
    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        await api.create(lease("a", "one"))
        async with Informers(client, streams=streams) as informers:
            informer = informers.of(Lease, namespace.name)
            await informer.synced(timeout=PATIENCE)
            await informer.seen(await api.create(lease("b", "one")))
            late, gone = History(), History()
            await informer.on_change(late).synced(timeout=PATIENCE)
            assert sorted(late.short()) == [("ADDED", "a"), ("ADDED", "b")]
            removed = informer.on_change(gone)
            await removed.synced(timeout=PATIENCE)
            removed.remove()
            added: list[Lease] = []
            changed: list[tuple[Lease, Lease]] = []
            deleted: list[Lease] = []
            informer.on_add(added.append)
            informer.on_update(lambda old, new: changed.append((old, new)))
            done = asyncio.Event()

            async def last(obj: Lease) -> None:
                deleted.append(obj)
                done.set()

            informer.on_delete(last)
            await api.patch("a", {"spec": {"holderIdentity": "two"}})
            await api.delete("b")
            async with asyncio.timeout(PATIENCE):
                await done.wait()
            await late.until_told("DELETED", "b")
            await informer.seen(await api.create(lease("end")))
            await late.until_told("ADDED", "end")
            assert sorted(obj.metadata.name for obj in added) == ["a", "b", "end"]
            assert [(old.spec.holder_identity, new.spec.holder_identity) for old, new in changed] == [
                ("one", "two")
            ]
            assert [(obj.metadata.name, obj.spec.holder_identity) for obj in deleted] == [("b", "one")]
            assert len(gone.told) == 2

    use(test)


def test_all_again_from_time_to_time(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        await client.api(Lease, namespace.name).create(lease("a"))
        again = asyncio.Event()

        def count(change: Change[Lease]) -> None:
            if change.resync:
                assert change.type == "MODIFIED"
                assert change.old == change.new
                again.set()

        async with Informers(client) as informers:
            informers.of(Lease, namespace.name).on_change(count, resync=0.05)
            async with asyncio.timeout(PATIENCE):
                await again.wait()

    use(test)


@both
def test_labels_that_come_and_go(use: Use[object], namespace: Namespace, streams: bool) -> None:
    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        await api.create(lease("in", app="web"))
        await api.create(lease("out", app="db"))
        async with Informers(client, streams=streams) as informers:
            history = History()
            informer = informers.of(Lease, namespace.name, labels={"app": "web"})
            await informer.on_change(history).synced(timeout=PATIENCE)
            for value, kind in (("web", "ADDED"), ("db", "DELETED"), ("web", "ADDED")):
                history.forget()
                changed = await api.patch("out", {"metadata": {"labels": {"app": value}}})
                await history.until_told(kind, "out")
                assert history.short() == [(kind, "out")]
                # Even of one that goes, it is the state in which it was known.
                assert history.told[0].state == {"app": "web"}
                if value == "web":
                    await informer.seen(changed)
            await api.delete("in")
            await history.until_told("DELETED", "in")
            history.check()
            await same_as_server(informer, api, labels="app=web")

    use(test)


@both
def test_fields_that_come_and_go(use: Use[object], namespace: Namespace, streams: bool) -> None:
    async def test(client: Client) -> None:
        pods = client.api(Pod, namespace.name)
        for name in ("a", "b"):
            await pods.create(pod(name))
        async with Informers(client, streams=streams) as informers:
            history = History()
            running = informers.of(Pod, namespace.name, fields="status.phase=Running")
            one = informers.of(Pod, namespace.name, fields="metadata.name=b")
            await running.on_change(history).synced(timeout=PATIENCE)
            await one.synced(timeout=PATIENCE)
            assert running.list() == []
            assert one.keys() == [f"{namespace.name}/b"]
            for phase, kind in (("Running", "ADDED"), ("Failed", "DELETED"), ("Running", "ADDED")):
                history.forget()
                changed = await pods.patch("a", {"status": {"phase": phase}}, subresource="status")
                await history.until_told(kind, "a")
                assert history.short() == [(kind, "a")]
                if phase == "Running":
                    await running.seen(changed)
            history.check()
            assert running.keys() == [f"{namespace.name}/a"]

    use(test)


def test_many_pages(use: Use[object], namespace: Namespace) -> None:
    """More objects than a page of a list has."""

    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        for start in range(0, 1050, 50):
            await asyncio.gather(*(api.create(lease(f"l{number}")) for number in range(start, start + 50)))
        for streams in (False, True):
            async with Informers(client, streams=streams) as informers:
                history = History()
                informer = informers.of(Lease, namespace.name)
                await informer.on_change(history).synced(timeout=PATIENCE)
                assert len(history.told) == 1050
                assert sorted(informer.keys()) == sorted(
                    f"{namespace.name}/l{number}" for number in range(1050)
                )

    use(test)
