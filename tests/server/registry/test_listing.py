"""Lists: pages, tokens and selectors, on a store in memory."""

from __future__ import annotations

import asyncio
import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import BadRequest, Expired, Timeout
from kubewright.server.registry.delete import DeleteRequest, delete
from kubewright.server.registry.listing import Listed, list_selected, list_values
from kubewright.server.registry.selection import Selection, select
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from tests.server.registry.objects import config_map, made, new_store, replaced, write

EVERYTHING = Selection("", "", None)


def names(listed: Listed) -> list[str]:
    return [read_meta(value).name for value in listed.values]


def token_of(**fields: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


async def filled() -> Store:
    """a1, a2 and a3 in ns, a2 with another label, and b1 in another namespace."""
    store = new_store()
    await made(
        store,
        config_map("a1", odd="yes"),
        config_map("a2", odd="no"),
        config_map("a3", odd="yes"),
        config_map("b1", "other", odd="yes"),
    )
    return store


def test_all_of_a_namespace_or_of_all() -> None:
    async def check() -> None:
        store = await filled()
        listed = await list_values(store, Selection("ns", "", None))
        assert names(listed) == ["a1", "a2", "a3"]
        assert (listed.revision, listed.token, listed.remaining) == (store.storage.revision, "", None)
        assert names(await list_values(store, EVERYTHING)) == ["a1", "a2", "a3", "b1"]
        assert names(await list_values(store, Selection("n", "", None))) == []

    asyncio.run(check())


def test_one_by_name() -> None:
    async def check() -> None:
        store = await filled()
        assert names(await list_values(store, Selection("ns", "a2", None))) == ["a2"]
        assert names(await list_values(store, Selection("ns", "b1", None))) == []
        wanted = select(store.type, namespace="ns", fields="metadata.name=a2", labels="odd=yes")
        assert names(await list_values(store, wanted)) == []

    asyncio.run(check())


def test_pages_stay_at_their_revision() -> None:
    async def check() -> None:
        store = await filled()
        first = await list_values(store, EVERYTHING, limit=2)
        assert (names(first), first.remaining) == (["a1", "a2"], 2)
        await made(store, config_map("a4"))
        await delete(store, "a3", DeleteRequest(), write())
        second = await list_values(store, EVERYTHING, limit=2, token=first.token)
        assert names(second) == ["a3", "b1"]
        assert (second.revision, second.token, second.remaining) == (first.revision, "", None)

    asyncio.run(check())


def test_tokens_are_upstreams() -> None:
    async def check() -> None:
        store = await filled()
        token = (await list_values(store, Selection("ns", "", None), limit=1)).token
        read = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        assert read == {"v": "meta.k8s.io/v1", "rv": store.storage.revision, "start": "a1\x00"}

    asyncio.run(check())


@given(limit=st.integers(1, 7), odd=st.lists(st.booleans(), max_size=12))
def test_pages_of_selected_objects_are_the_list(limit: int, odd: list[bool]) -> None:
    async def check() -> None:
        store = new_store()
        await made(store, *(config_map(f"a{n:02}", odd=str(is_odd)) for n, is_odd in enumerate(odd)))
        wanted = select(store.type, namespace="ns", labels="odd=True")
        whole = await list_values(store, wanted)
        assert names(whole) == [f"a{n:02}" for n, is_odd in enumerate(odd) if is_odd]
        found: list[str] = []
        token = ""
        while True:
            page = await list_values(store, wanted, limit=limit, token=token)
            assert len(page.values) <= limit
            found += names(page)
            token = page.token
            if not token:
                break
            assert len(page.values) == limit
        assert found == names(whole)

    asyncio.run(check())


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("!", "Only base64 data is allowed|Invalid base64"),
        ("a" * 5000, "it is too long"),
        (token_of(v="x", rv=1, start="a"), "server does not recognize this encoded version x"),
        (token_of(v="meta.k8s.io/v1", rv=0, start="a"), "incorrect encoded start resourceVersion"),
        (token_of(v="meta.k8s.io/v1", rv=-2, start="a"), "incorrect encoded start resourceVersion"),
        (token_of(v="meta.k8s.io/v1", rv=2**64, start="a"), "continue key is not valid"),
        (token_of(v="meta.k8s.io/v1", rv=1, start=""), "encoded start key empty"),
        (token_of(v="meta.k8s.io/v1", rv=1, start="../secrets/a"), "not valid: ../secrets/a"),
        (token_of(v="meta.k8s.io/v1", rv=1, start="/a"), "not valid: /a"),
        (base64.b64encode(b"[]").decode(), "continue key is not valid"),
        (base64.b64encode(b"\xff").decode(), "continue key is not valid"),
    ],
)
def test_what_is_no_token(token: str, why: str) -> None:
    async def check() -> None:
        store = await filled()
        with pytest.raises(BadRequest, match=f"^invalid continue token: .*({why})"):
            await list_values(store, EVERYTHING, token=token)

    asyncio.run(check())


@given(st.text(max_size=40))
def test_no_token_is_too_strange(token: str) -> None:
    store = new_store()
    try:
        asyncio.run(list_values(store, EVERYTHING, token=token))
    except BadRequest:
        assert token
    else:
        assert not token


def test_tokens_outlive_writes_but_not_compaction() -> None:
    async def check() -> None:
        store = await filled()
        first = await list_values(store, EVERYTHING, limit=1)
        await replaced(store, config_map("a3", odd="no"))
        await store.storage.compact(store.storage.revision)
        with pytest.raises(Expired, match="continue parameter is too old") as caught:
            await list_values(store, EVERYTHING, limit=1, token=first.token)
        # The rest can still be had, as it is now.
        rest = caught.value.status.metadata.continue_
        assert names(await list_values(store, EVERYTHING, token=rest)) == ["a2", "a3", "b1"]
        with pytest.raises(Expired, match="The resourceVersion for the provided list is too old"):
            await list_values(store, EVERYTHING, at_revision=first.revision)

    asyncio.run(check())


def test_revisions() -> None:
    async def check() -> None:
        store = await filled()
        now = store.storage.revision
        assert names(await list_values(store, EVERYTHING, at_revision=now - 3)) == ["a1"]
        assert names(await list_values(store, Selection("ns", "a1", None), at_revision=now - 3)) == ["a1"]
        assert names(await list_values(store, Selection("ns", "a3", None), at_revision=now - 3)) == []
        with pytest.raises(Timeout, match=f"Too large resource version: {now + 1}, current: {now}"):
            await list_values(store, EVERYTHING, at_revision=now + 1)

    asyncio.run(check())


def test_without_conversion_selected_lists_are_lists() -> None:
    async def check() -> None:
        store = await filled()
        wanted = select(store.type, namespace="ns", labels="odd=yes")
        assert await list_selected(store, wanted, limit=1) == await list_values(store, wanted, limit=1)

    asyncio.run(check())
