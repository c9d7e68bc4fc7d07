"""Reading out of informers: indexes, labels, writes that are seen, scopes and forms, on both servers."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from kubewright.client.client import Client
from kubewright.informers import Informers
from kubewright.machinery.errors import NotFound, WaitTimeout
from kubewright.models.coordination_v1 import Lease
from kubewright.models.core_v1 import Namespace as NamespaceKind
from tests.conformance.api.conftest import Use
from tests.conformance.informers.leases import lease
from tests.conformance.namespaces import Namespace, new_namespace
from tests.informers.faults.connecting import same_as_server
from tests.informers.faults.histories import PATIENCE, History

SELECTORS = [
    "app=web",
    "app!=web",
    "app in (web,db)",
    "app notin (web)",
    "app",
    "!app",
    "app=web,tier=1",
    "a=b",
]


def by_holder(obj: Lease) -> list[str | None]:
    return [obj.spec.holder_identity]


@pytest.mark.parametrize("streams", [False, True], ids=["pages", "streams"])
def test_indexes_and_labels(use: Use[object], namespace: Namespace, streams: bool) -> None:
    """Whatever happens, they find what a list with a selector, or a look at each object, finds."""

    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        random = Random(1)  # noqa: S311 - the same in every run
        async with Informers(client, streams=streams) as informers:
            informer = informers.of(Lease, namespace.name, index={"holder": by_holder})
            await informer.synced(timeout=PATIENCE)
            last = await api.create(lease("first"))
            for _ in range(60):
                name = f"l{random.randrange(8)}"
                labels = {
                    key: random.choice(["web", "db", "1"]) for key in ("app", "tier") if random.random() < 0.7
                }
                try:
                    if random.random() < 0.3:
                        await api.delete(name)
                    else:
                        wanted = lease(name, random.choice(["one", "two"]), **labels)
                        last = await api.apply(wanted, manager="test", force=True)
                except NotFound:
                    pass
            last = await api.create(lease("end"))
            await informer.seen(last)
            for selector in SELECTORS:
                found = sorted(each.metadata.name for each in informer.list(labels=selector))
                expected = sorted([each.metadata.name async for each in api.list(labels=selector)])
                assert found == expected, selector
                in_namespace = informer.keys(namespace.name, labels=selector)
                assert sorted(in_namespace) == [f"{namespace.name}/{name}" for name in expected]
            for holder in ("one", "two", "nobody", "no such"):
                assert sorted(each.key for each in informer.by("holder", holder)) == sorted(
                    each.key for each in informer.list() if each.spec.holder_identity == holder
                )
            assert informer.list("elsewhere") == []
            # An index that comes later has what is there.
            again = informers.of(Lease, namespace.name, index={"name": lambda each: [each.metadata.name]})
            assert again is informer
            assert [each.metadata.name for each in informer.by("name", "end")] == ["end"]

    use(test)


def test_what_was_written_is_read(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        async with Informers(client) as informers:
            informer = informers.of(Lease, namespace.name)

            async def write(name: str) -> None:
                key = f"{namespace.name}/{name}"
                for turn in range(10):
                    written = await api.apply(lease(name, f"turn {turn}"), manager="test", force=True)
                    await informer.seen(written)
                    found = informer.get(key)
                    assert found is not None
                    assert found.spec.holder_identity == f"turn {turn}"
                    assert found.metadata.resource_version == written.metadata.resource_version
                await api.delete(name)
                await informer.seen(await api.create(lease(f"{name}-mark")))
                assert informer.get(key) is None

            await asyncio.gather(*(write(f"l{number}") for number in range(8)))
            with pytest.raises(WaitTimeout, match="was not seen by the informer of Lease"):
                await informer.seen("999999999", timeout=0.05)

    use(test)


@pytest.mark.parametrize("streams", [False, True], ids=["pages", "streams"])
def test_several_namespaces(use: Use[object], namespace: Namespace, streams: bool) -> None:
    names = sorted([namespace.name, new_namespace(namespace.client).name])
    other = new_namespace(namespace.client).name

    async def test(client: Client) -> None:
        async with Informers(client, streams=streams) as informers:
            history = History()
            informer = informers.of(Lease, names, index={"holder": by_holder})
            informer.on_change(history)
            await informer.synced(timeout=PATIENCE)
            for where in (*names, other):
                last = await client.api(Lease, where).create(lease("a", where))
                if where != other:
                    await informer.seen(last)
            assert sorted(informer.keys()) == [f"{where}/a" for where in names]
            for where in names:
                assert [each.metadata.namespace for each in informer.list(where)] == [where]
                assert [each.key for each in informer.by("holder", where)] == [f"{where}/a"]
            assert informer.list(other) == []
            assert informer.get(f"{other}/a") is None
            await client.api(Lease, names[0]).delete("a")
            await history.until_told("DELETED", "a")
            assert informer.keys() == [f"{names[1]}/a"]
            # And of all namespaces, those and more.
            everywhere = informers.of(Lease)
            await everywhere.synced(timeout=PATIENCE)
            assert {f"{names[1]}/a", f"{other}/a"} <= set(everywhere.keys())
            assert everywhere.keys(other) == [f"{other}/a"]

    use(test)


def test_forms(use: Use[object], namespace: Namespace) -> None:
    """Typed, dynamic, and metadata alone; of kinds with namespaces and without."""

    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        dynamic = client.dynamic("coordination.k8s.io/v1", "Lease", namespace.name)
        async with Informers(client) as informers:
            typed, plain = informers.of(api), informers.of(dynamic)
            metadata, spaces = informers.of(api.metadata()), informers.of(NamespaceKind)
            assert len({id(each) for each in (typed, plain, metadata, spaces)}) == 4
            await informers.synced(timeout=PATIENCE)
            histories = [History() for _ in range(3)]
            typed.on_change(histories[0])
            plain.on_change(histories[1])
            metadata.on_change(histories[2])
            for holder in ("one", "two"):
                written = await api.apply(lease("a", holder, app="web"), manager="test", force=True)
                await typed.seen(written)
                await plain.seen(written.metadata.resource_version)
                await metadata.seen(written.metadata.resource_version)
                key = f"{namespace.name}/a"
                found, known, meta = typed.get(key), plain.get(key), metadata.get(key)
                assert found is not None
                assert known is not None
                assert meta is not None
                assert found.spec.holder_identity == known["spec"]["holderIdentity"] == holder
                assert meta.metadata == known.metadata == found.metadata
                assert (meta.kind, known.kind) == ("PartialObjectMetadata", "Lease")
            await same_as_server(typed, api)
            await same_as_server(plain, dynamic)
            await same_as_server(metadata, api.metadata())
            await informers.of(api).seen(last := await api.create(lease("end")))
            for each in histories:
                await each.until_told("ADDED", "end")
                assert each.check()[last.key].revision == int(last.metadata.resource_version)
            space = spaces.get(namespace.name)
            assert space is not None
            assert space.metadata.name == namespace.name

    use(test)


def test_transforms(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        api = client.api(Lease, namespace.name)
        written = await api.apply(lease("a", "one", app="web"), manager="test", force=True)
        assert written.metadata.managed_fields

        def no_labels(obj: Lease) -> None:
            obj.metadata.labels = {}

        async with Informers(client) as informers:
            whole = informers.of(Lease, namespace.name, transform=None)
            lean = informers.of(Lease, namespace.name)
            changed = informers.of(Lease, namespace.name, transform=no_labels)
            assert len({id(each) for each in (whole, lean, changed)}) == 3
            await informers.synced(timeout=PATIENCE)
            key = f"{namespace.name}/a"
            assert whole.get(key) == written
            for informer, labels in ((lean, {"app": "web"}), (changed, {})):
                found = informer.get(key)
                assert found is not None
                assert found.metadata.labels == labels
            assert changed.list(labels="app=web") == []
            dropped = lean.get(key)
            assert dropped is not None
            assert dropped.metadata.managed_fields == []
            deleted = History()
            whole.on_change(deleted)
            await api.delete("a")
            await deleted.until_told("DELETED", "a")

    use(test)


def test_sharing(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        async with Informers(client) as informers:
            one = informers.of(Lease, namespace.name)
            assert informers.of(client.api(Lease, namespace.name)) is one
            assert informers.of(Lease, [namespace.name]) is one
            assert informers.lister(Lease, namespace.name) is one
            assert informers.of(Lease) is not one
            assert informers.of(Lease, namespace.name, labels="a=b") is not one
            assert informers.of(Lease, namespace.name, labels={"a": "b"}) is informers.of(
                Lease, namespace.name, labels="a=b"
            )
            await one.close()
            again = informers.of(Lease, namespace.name)
            assert again is not one
            await again.synced(timeout=PATIENCE)

    use(test)
