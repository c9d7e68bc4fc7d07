"""Both stores against the plainest model there is: the list of all writes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kubewright.server.storage import (
    Compacted,
    Entry,
    Event,
    FutureRevision,
    KeyExists,
    KeyMissing,
    MemoryStorage,
    RevisionMismatch,
    Watch,
)
from tests.server.storage.stores import is_silent, opened, stored, take, value

T = TypeVar("T")

KEYS = ("/a", "/a/", "/a/a", "/a/b", "/ab", "/b/a", "/b/é", "/b/\U0010ffff", "b")
PREFIXES = ("", "/", "/a", "/a/", "/b/", "/b/\U0010ffff", "none")

keys = st.sampled_from(KEYS)
prefixes = st.sampled_from(PREFIXES)
back = st.integers(-1, 12) | st.integers(0, 200)
"""How many revisions before the current one."""

contents = st.integers(0, 999).map(str) | st.integers(100, 999).map(lambda number: str(number) * 200)
"""Short ones, and such as history keeps in another form than the current state."""

writes = st.tuples(
    st.sampled_from(["create", "update", "update", "delete"]),
    keys,
    contents,
    st.booleans() | st.just(True),
)


class Model:
    """All writes, as events; everything else is computed from them the slow way."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.compacted = 0

    @property
    def revision(self) -> int:
        return 1 + len(self.events)

    def state(self, revision: int) -> dict[str, Entry]:
        state: dict[str, Entry] = {}
        for event in self.events[: max(revision - 1, 0)]:
            if event.type == "DELETED":
                del state[event.key]
            else:
                made = state[event.key].create_revision if event.key in state else event.revision
                state[event.key] = Entry(event.key, event.value, event.revision, made)
        return state

    def write(self, verb: str, key: str, content: str, expected: int) -> object:
        """What a write gives: the revision, or the class of the error."""
        current = self.state(self.revision).get(key)
        if verb == "create":
            if current is not None:
                return KeyExists
        elif current is None:
            return KeyMissing
        elif current.revision != expected:
            return RevisionMismatch
        revision = self.revision + 1
        previous = current.value if current is not None else None
        kind: Any = {"create": "ADDED", "update": "MODIFIED", "delete": "DELETED"}[verb]
        self.events.append(Event(kind, key, stored(content, revision), previous, revision))
        return revision

    def refusal(self, revision: int) -> type[Exception] | None:
        if revision < self.compacted:
            return Compacted
        return FutureRevision if revision > self.revision else None


class Stores(RuleBasedStateMachine):
    kind = "memory"

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.storage: MemoryStorage = self.do(opened(self.kind, Path(self.directory.name)))
        self.model = Model()
        self.watches: list[tuple[Watch, str, int]] = []

    def teardown(self) -> None:
        self.do(self.storage.close())
        self.watches.clear()
        self.runner.close()
        self.directory.cleanup()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    @rule(batch=st.lists(writes, min_size=1, max_size=8))
    def write(self, batch: list[tuple[str, str, str, bool]]) -> None:
        """Several writers at once; they come in the order in which they were started."""
        expectations = []
        for verb, key, content, right in batch:
            current = self.model.state(self.model.revision).get(key)
            expected = current.revision if current is not None and right else self.model.revision
            expectations.append((expected, self.model.write(verb, key, content, expected)))

        async def all_at_once() -> list[Any]:
            calls = []
            for (verb, key, content, _), (expected, _) in zip(batch, expectations, strict=True):
                if verb == "create":
                    calls.append(self.storage.create(key, value(content)))
                else:
                    method = getattr(self.storage, verb)
                    calls.append(method(key, value(content), expected_revision=expected))
            return await asyncio.gather(*calls, return_exceptions=True)

        results = self.do(all_at_once())
        told = [result.revision if isinstance(result, Entry) else type(result) for result in results]
        assert told == [expectation for _, expectation in expectations]

    @rule(key=keys, back=back)
    def get(self, key: str, back: int) -> None:
        revision = self.model.revision - back
        if refusal := self.model.refusal(revision):
            with pytest.raises(refusal):
                self.storage.get(key, revision=revision)
        else:
            assert self.storage.get(key, revision=revision) == self.model.state(revision).get(key)

    @rule(prefix=prefixes, back=back, limit=st.integers(1, 5))
    def list_in_pages(self, prefix: str, back: int, limit: int) -> None:
        revision = self.model.revision - back
        if refusal := self.model.refusal(revision):
            with pytest.raises(refusal):
                self.storage.list(prefix, revision=revision, limit=limit)
            return
        expected = [
            entry for key, entry in sorted(self.model.state(revision).items()) if key.startswith(prefix)
        ]
        assert self.storage.list(prefix, revision=revision).entries == expected
        listed: list[Entry] = []
        page = self.storage.list(prefix, revision=revision, limit=limit)
        while True:
            assert page.revision == revision
            assert len(page.entries) <= limit
            listed += page.entries
            assert page.remaining == len(expected) - len(listed)
            assert (page.next is None) == (page.remaining == 0)
            if page.next is None:
                break
            page = self.storage.list(prefix, revision=revision, limit=limit, start=page.next)
        assert listed == expected

    @rule(prefix=prefixes, back=back)
    def watch(self, prefix: str, back: int) -> None:
        revision = self.model.revision - back
        if refusal := self.model.refusal(revision):
            with pytest.raises(refusal):
                self.storage.watch(prefix, after_revision=revision)
        else:
            self.watches.append((self.storage.watch(prefix, after_revision=revision), prefix, revision))

    @rule()
    def read_watches(self) -> None:
        for number, (watch, prefix, after) in enumerate(self.watches):
            expected = [
                event for event in self.model.events[max(after - 1, 0) :] if event.key.startswith(prefix)
            ]
            assert self.do(take(watch, len(expected))) == expected
            assert self.do(is_silent(watch))
            assert watch.progress == self.model.revision
            self.watches[number] = (watch, prefix, self.model.revision)

    @rule()
    def drop_a_watch(self) -> None:
        if self.watches:
            self.watches.pop(0)

    @rule(back=back)
    def compact(self, back: int) -> None:
        revision = self.model.revision - back
        if revision > self.model.revision:
            with pytest.raises(FutureRevision):
                self.do(self.storage.compact(revision))
        else:
            self.do(self.storage.compact(revision))
            self.model.compacted = max(self.model.compacted, revision)

    @invariant()
    def agrees(self) -> None:
        assert self.storage.revision == self.model.revision
        assert self.storage.compact_revision == self.model.compacted
        assert self.storage.watchers == len(self.watches)
        state = self.model.state(self.model.revision)
        assert self.storage.list("").entries == [state[key] for key in sorted(state)]
        assert self.storage.history_bytes == self.history_bytes(state)

    def history_bytes(self, state: dict[str, Entry]) -> int:
        """The values that history must keep: those live at the compaction, and all written since."""
        kept = {entry.revision: entry.value for entry in self.model.state(self.model.compacted).values()}
        for event in self.model.events:
            if event.revision > self.model.compacted:
                kept[event.revision] = event.value
        live = {entry.revision for entry in state.values()}
        return sum(len(value) for revision, value in kept.items() if revision not in live)


class FileStores(Stores):
    kind = "file"

    @rule()
    def reopen(self) -> None:
        self.do(self.storage.close())
        self.watches.clear()
        self.storage = self.do(opened(self.kind, Path(self.directory.name)))


# No shrinking: it takes minutes, and the steps of a failure are short enough to be read.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)

TestMemory = Stores.TestCase
TestMemory.settings = settings(phases=PHASES, deadline=None, max_examples=60, stateful_step_count=40)
TestFile = FileStores.TestCase
TestFile.settings = settings(phases=PHASES, deadline=None, max_examples=25, stateful_step_count=30)
