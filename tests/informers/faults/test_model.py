"""Random writes and faults: in the end an informer has what the server has, and has told a true story.

A hypothesis state machine; when it fails it prints the steps that were taken. The informer runs in a thread
with an event loop of its own, through a proxy that breaks its connections; the steps write straight to the
server, one after the other, and know the truth.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import partial
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kubewright.client.client import Client
from kubewright.informers import Change, Informer, Informers
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import FaultProxy
from tests.informers.faults.connecting import Server, config_of, fresh_namespace, named, short_pause
from tests.informers.faults.histories import PATIENCE, History, Told

NAMES = ["a", "b", "c", "d"]
APPS = ["web", "db"]

names = st.sampled_from(NAMES)
apps = st.sampled_from(APPS)


class State(NamedTuple):
    """What the server had at some revision."""

    uid: str
    state: dict[str, str]


class Loop:
    """An event loop in a thread; what runs in it is called from the outside."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(4 * PATIENCE)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def by_app(obj: ConfigMap) -> list[str | None]:
    return [obj.metadata.labels.get("app")]


class Watched:
    """One informer of the objects, and handlers of it: one that is quick, and one that the test holds."""

    def __init__(self, informer: Informer[ConfigMap], selected: str) -> None:
        self.informer = informer
        self.selected = selected
        """The value of the label `app` that is selected; empty for all."""
        self.quick, self.held = History(), History()
        self.let = asyncio.Event()
        self.let.set()
        informer.on_change(self.quick)
        informer.on_change(self.hold)

    async def hold(self, change: Change[ConfigMap]) -> None:
        await self.let.wait()
        self.held(change)


class Model(RuleBasedStateMachine):
    """Writes and faults; `teardown` compares."""

    server: Server
    streams = False

    def __init__(self) -> None:
        super().__init__()
        self.loop = Loop()
        self.proxy = FaultProxy(self.server.url)
        self.proxy.start()
        self.now: dict[str, ConfigMap] = {}
        self.states: dict[tuple[str, int], State] = {}
        """Each state that ever was, by name and revision."""
        self.deleted: dict[str, str] = {}
        """The objects that were deleted: the names, by uid."""
        self.count = 0
        self.last_revision = self.compacted = 0
        self.loop.run(self._begin())

    async def _begin(self) -> None:
        self.direct = Client(self.server.config)
        self.proxied = Client(config_of(self.server, self.proxy), timeout=3)
        self.namespace = await fresh_namespace(self.direct)
        self.maps = self.direct.api(ConfigMap, self.namespace)
        self.informers = Informers(self.proxied, streams=self.streams, idle_timeout=0.5, sleep=short_pause)
        await self.informers.__aenter__()
        self.watched = [
            Watched(self._of(""), ""),
            Watched(self._of("web"), "web"),
        ]

    def _of(self, selected: str) -> Informer[ConfigMap]:
        labels = f"app={selected}" if selected else ""
        return self.informers.of(ConfigMap, self.namespace, labels=labels, index={"app": by_app})

    # Writes.

    def _wrote(self, obj: ConfigMap) -> None:
        name, revision = obj.metadata.name, int(obj.metadata.resource_version)
        self.now[name] = obj
        state = {**obj.metadata.labels, **obj.data}
        self.states[name, revision] = State(obj.metadata.uid, state)
        self.last_revision = max(self.last_revision, revision)

    @rule(name=names, app=apps)
    def put(self, name: str, app: str) -> None:
        """Creates or updates; so that it may move in or out of what is selected."""
        self.count += 1
        body = named(name, {"app": app}, n=str(self.count))
        self._wrote(self.loop.run(self.maps.apply(body, manager="model", force=True)))

    @precondition(lambda self: self.now)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self._delete(data.draw(st.sampled_from(sorted(self.now))))

    @precondition(lambda self: self.now)
    @rule(data=st.data(), app=apps)
    def recreate(self, data: st.DataObject, app: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.now)))
        self._delete(name)
        self.put(name, app)

    @rule(app=apps)
    def appear_and_vanish(self, app: str) -> None:
        self.put("passing", app)
        self._delete("passing")

    def _delete(self, name: str) -> None:
        self.loop.run(self.maps.delete(name))
        self.deleted[self.now.pop(name).metadata.uid] = name

    # Faults.

    @rule(reset=st.booleans())
    def cut(self, reset: bool) -> None:
        self.proxy.cut(reset=reset)

    @rule(size=st.integers(1, 12_000), reset=st.booleans())
    def cut_after(self, size: int, reset: bool) -> None:
        self.proxy.cut_after(size, reset=reset)

    @rule()
    def stall(self) -> None:
        self.proxy.stall()

    @rule()
    def refuse(self) -> None:
        self.proxy.refuse()

    @rule()
    def black_hole(self) -> None:
        self.proxy.black_hole()

    @rule()
    def resume(self) -> None:
        self.proxy.resume()

    @rule()
    def compact(self) -> None:
        if self.last_revision > self.compacted:
            self.server.compact(self.last_revision)
            self.compacted = self.last_revision

    @rule(writes=st.lists(st.tuples(names, st.sampled_from([*APPS, ""])), min_size=1, max_size=5))
    def lose_history(self, writes: list[tuple[str, str]]) -> None:
        """Writes, and deletions ("" as app), of which the informers can learn by a list alone."""
        self.catch_up()
        self.proxy.refuse()
        self.proxy.cut()
        for name, app in writes:
            if app:
                self.put(name, app)
            elif name in self.now:
                self._delete(name)
        self.put("last", "web")
        self.compact()
        self.proxy.resume()

    @rule(which=st.integers(0, 1), held=st.booleans())
    def hold_handler(self, which: int, held: bool) -> None:
        self.loop.run(self._hold(self.watched[which], held=held))

    async def _hold(self, watched: Watched, *, held: bool) -> None:
        if held:
            watched.let.clear()
        else:
            watched.let.set()

    @rule()
    def catch_up(self) -> None:
        """Lets the informers see all that was written, so that not every fault meets the first list."""
        self.proxy.resume()
        self.loop.run(self._catch_up())

    async def _catch_up(self) -> None:
        # One that every informer selects.
        mark = await self.maps.apply(
            named("mark", {"app": "web"}, n=f"mark {self.count}"), manager="model", force=True
        )
        self.count += 1
        self._wrote(mark)
        for watched in self.watched:
            await watched.informer.seen(mark, timeout=2 * PATIENCE)

    @invariant()
    def readers_see_states_that_were(self) -> None:
        if self.count:
            self.loop.run(self._check_readers())

    async def _check_readers(self) -> None:
        for watched in self.watched:
            if watched.informer.is_synced:
                check_reads(watched.informer)
                for obj in watched.informer.list():
                    self._was(obj.metadata.name, int(obj.metadata.resource_version), obj.metadata.uid)

    def _was(self, name: str, revision: int, uid: str) -> State:
        found = self.states[name, revision]
        assert found.uid == uid
        return found

    # The end.

    def teardown(self) -> None:
        try:
            self.proxy.resume()
            self.loop.run(self._compare())
        finally:
            self.loop.run(self._end())
            self.proxy.close()
            self.loop.close()

    async def _compare(self) -> None:
        await self._catch_up()
        for watched in self.watched:
            listed = {
                obj.key: obj
                async for obj in self.maps.list(labels=f"app={watched.selected}" if watched.selected else "")
            }
            assert {key: obj.metadata.resource_version for key, obj in listed.items()} == {
                obj.key: obj.metadata.resource_version for obj in watched.informer.list()
            }
            for obj in listed.values():
                obj.metadata.managed_fields = []
            assert {obj.key: obj for obj in watched.informer.list()} == listed
            check_reads(watched.informer)
            watched.let.set()
            for history in (watched.quick, watched.held):
                await history.until(partial(knows, history, listed))
                left = history.check()
                assert {key: str(told.revision) for key, told in left.items()} == {
                    key: obj.metadata.resource_version for key, obj in listed.items()
                }
                self._check_story(history, watched.selected)

    def _check_story(self, history: History, selected: str) -> None:
        last: dict[str, Told] = {}
        gone: list[str] = []
        for told in history.told:
            if told.type != "DELETED":
                assert self._was(told.name, told.revision, told.uid).state == told.state
                assert not selected or told.state["app"] == selected
                assert told.uid not in gone or selected
                last[told.uid] = told
                continue
            gone.append(told.uid)
            # With the last known state: one that was, at or after the one that was told before.
            assert told.state in [
                each.state
                for (name, revision), each in self.states.items()
                if name == told.name and each.uid == told.uid and revision >= last[told.uid].revision
            ]
            assert not selected or told.state["app"] == selected
        if not selected:
            assert len(set(gone)) == len(gone)
            assert set(gone) <= set(self.deleted)

    async def _end(self) -> None:
        await self.informers.__aexit__(None, None, None)
        await self.proxied.close()
        await self.direct.close()


def knows(history: History, listed: dict[str, ConfigMap]) -> bool:
    """Whether a handler has been told of all that is there, and that all else is gone."""
    left: dict[str, int] = {}
    for told in history.told:
        if told.type == "DELETED":
            left.pop(told.key, None)
        else:
            left[told.key] = told.revision
    return left == {key: int(obj.metadata.resource_version) for key, obj in listed.items()}


def check_reads(informer: Informer[ConfigMap]) -> None:
    """See that indexes, labels and namespaces find what a look at each object finds."""
    objects = {obj.key: obj for obj in informer.list()}
    assert sorted(informer.keys()) == sorted(objects)
    for app in APPS:
        expected = sorted(key for key, obj in objects.items() if obj.metadata.labels.get("app") == app)
        assert sorted(obj.key for obj in informer.by("app", app)) == expected
        assert sorted(informer.keys(labels=f"app={app}")) == expected
        assert sorted(obj.key for obj in informer.list(labels={"app": app})) == expected
    for namespace in {key.partition("/")[0] for key in objects}:
        assert sorted(informer.keys(namespace)) == sorted(objects)


SETTINGS = settings(
    # A step is a request or a broken connection: about ten seconds, and minutes with the profile "deep".
    max_examples=settings().max_examples // 12,
    stateful_step_count=30,
    suppress_health_check=list(HealthCheck),
    # What depends on the timing of sockets as well does not become smaller by trying.
    phases=[Phase.explicit, Phase.generate],
)


@pytest.mark.slow
@pytest.mark.parametrize("streams", [False, True], ids=["pages", "streams"])
def test_all_that_can_happen(server: Server, streams: bool) -> None:
    model = type("Model", (Model,), {"server": server, "streams": streams})
    run_state_machine_as_test(model, settings=SETTINGS)
