"""Random histories, lists and failures: the store is always what the server had at one revision."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kubewright.client.list_watch import ListWatch
from kubewright.informers.reflector import Reflector
from kubewright.informers.store import Store
from kubewright.machinery.errors import ApiError, DecodeError, KubewrightError, TransportError
from kubewright.machinery.label_selectors import parse_label_selector
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing.clock import ManualClock
from tests.informers.objects import FORM, Server, Told, frame, refusal, state_of

KEYS = ("one/a", "one/b", "one/c", "two/a", "two/b")
SELECTORS = tuple(parse_label_selector(text) for text in ("app=web", "app!=web", "!app", "app"))
LABELS = st.dictionaries(st.just("app"), st.sampled_from(["web", "api"]))
DATA = st.dictionaries(st.sampled_from("xy"), st.sampled_from("12"))


def by_data(obj: ConfigMap) -> list[str]:
    return list(obj.data.values())


def by_app(obj: ConfigMap) -> list[str | None]:
    return [obj.metadata.labels.get("app")]


class Reflected(RuleBasedStateMachine):
    """A server with a history, and a reflector whose requests it answers, in part and with failures."""

    def __init__(self) -> None:
        super().__init__()
        self.server = Server()
        self.store = Store[ConfigMap]([""])
        self.store.add_index("data", by_data)
        self.told = Told()
        self.clock = ManualClock()
        self.gone = False
        """Whether the kind was not served for so long that the objects are gone."""
        self.reflector: Any = None

    @initialize(streams=st.booleans())
    def begin(self, streams: bool) -> None:
        random = Random(1)  # noqa: S311 - the same in every run
        self.reflector = Reflector(
            FORM,
            self.store.parts[""],
            [self.told],
            ListWatch(streams=streams, random=random),
            transform=None,
            clock=self.clock.time,
        )

    @rule(key=st.sampled_from(KEYS), labels=LABELS, data=DATA)
    def write(self, key: str, labels: Any, data: Any) -> None:
        self.server.write(key, labels=labels, data=data)

    @rule(key=st.sampled_from(KEYS))
    def delete(self, key: str) -> None:
        self.server.delete(key)

    @rule()
    def compact(self) -> None:
        self.server.compact()

    @rule(
        frames=st.none() | st.integers(0, 8),
        behind=st.integers(0, 5),
        end=st.sampled_from(["end", "cut", "expired", "undecodable", "forbidden", "open"]),
    )
    def connect(self, frames: int | None, behind: int, end: str) -> None:
        """One request, of whose answer so many frames come through."""
        reflector = self.reflector
        options = reflector.options()
        try:
            if not options.watch:
                reflector.page(self.server.page(options))
                self.gone = self.gone and reflector.requests.in_pass
                return
            coming = self.server.frames(options, behind=behind)
            for sent in coming[:frames]:
                reflector.frames([sent])
                self.gone = self.gone and reflector.requests.in_pass
                self.always_what_the_server_had()
        except ApiError as error:
            self.fail(error)
            return
        if end == "open" and not reflector.requests.in_pass:
            return  # The next request stands for what comes on the same connection.
        if end in {"end", "open"}:
            reflector.ended(lasted=1)
            return
        errors: dict[str, KubewrightError] = {
            "cut": TransportError("cut"),
            "expired": refusal(410, "Expired"),
            "undecodable": DecodeError("bad"),
            "forbidden": refusal(403, "Forbidden"),
        }
        self.fail(errors[end])

    @rule(seconds=st.sampled_from([1, 4, 11]))
    def not_served(self, seconds: int) -> None:
        self.reflector.options()
        before = len(self.store)
        self.fail(refusal(404, "NotFound"))
        self.clock.advance(seconds)
        self.gone = self.gone or len(self.store) < before

    @precondition(lambda self: self.reflector is not None and self.is_following())
    @rule(back=st.integers(1, 6))
    def repeat(self, back: int) -> None:
        """Events come again that came before."""
        past = [each for each in self.server.log if each[0] <= int(self.reflector.revision)]
        for _, kind, obj in past[-back:]:
            self.reflector.frames([frame(kind, obj)])

    @rule(name=st.sampled_from(["data", "app"]))
    def index(self, name: str) -> None:
        self.store.add_index(name, by_data if name == "data" else by_app)

    @rule()
    def look(self) -> None:
        """Lookups make their groups when they are first asked for."""
        list(self.store.keys_in("one"))
        list(self.store.keys_selected(SELECTORS[0]))

    @invariant()
    def always_what_the_server_had(self) -> None:
        shown = {key: state_of(obj) for key, obj in self.store.items()}
        assert shown == self.told.now
        if self.reflector is None or not self.reflector.is_complete or self.gone:
            assert shown == {}
            return
        objects = self.server.at(int(self.reflector.revision))
        assert {key: obj.to_dict() for key, obj in self.store.items()} == objects

    @invariant()
    def always_found(self) -> None:
        """Groups that are there, and indexes, say what a look at all objects would."""
        read = {key: obj.copy() for key, obj in self.store.items()}
        for index in self.store.indexes.values():
            wanted: dict[str, set[str]] = {}
            for key, obj in read.items():
                found = by_data(obj) if index.name == "data" else obj.metadata.labels.values()
                for value in found:
                    wanted.setdefault(value, set()).add(key)
            assert {value: set(index.keys(value)) for value in index.values()} == wanted
        if self.store._by_labels is not None:
            for selector in SELECTORS:
                assert set(self.store.keys_selected(selector)) == {
                    key for key, obj in read.items() if selector.matches(obj.metadata.labels)
                }
        if self.store._by_namespace is not None:
            for namespace in ("one", "two", "three"):
                assert set(self.store.keys_in(namespace)) == {
                    key for key in read if key.startswith(f"{namespace}/")
                }

    def teardown(self) -> None:
        """When the connection holds, the store is soon what is there now."""
        if self.reflector is None:
            return
        for _ in range(20):
            self.connect(None, 0, "end")
        assert not self.gone
        assert self.told.now == {
            key: (obj["metadata"]["uid"], int(obj["metadata"]["resourceVersion"]))
            for key, obj in self.server.now.items()
        }
        self.always_what_the_server_had()
        self.always_found()

    def is_following(self) -> bool:
        requests = self.reflector.requests
        return bool(requests.revision and not requests.in_pass)

    def fail(self, error: KubewrightError) -> None:
        assert 0 <= self.reflector.failed(error, lasted=0) <= 30


Reflected.TestCase.settings = settings(max_examples=150, stateful_step_count=30)
TestReflected = Reflected.TestCase
