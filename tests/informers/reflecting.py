"""A reflector with all that is around it, driven without a connection."""

from __future__ import annotations

from random import Random
from typing import Any

from kubewright.client.list_watch import ListWatch
from kubewright.informers.index import IndexFunction
from kubewright.informers.reflector import Reflector
from kubewright.informers.store import Store
from kubewright.machinery.errors import (
    KubewrightError,
)
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing.clock import ManualClock
from tests.informers.objects import FORM, Told, bookmark, data_of, frame, page, refusal, state_of


def by_data(obj: ConfigMap) -> list[str]:
    return list(obj.data.values())


class Setup:
    """A reflector with a store, an index and a handler."""

    def __init__(self, *, streams: bool = False, index: IndexFunction[ConfigMap] = by_data) -> None:
        self.clock = ManualClock()
        self.store = Store[ConfigMap]([""])
        self.store.add_index("data", index)
        self.told = Told()
        self.handlers = [self.told]
        random = Random(1)  # noqa: S311 - the same in every run
        self.reflector = Reflector(
            FORM,
            self.store.parts[""],
            self.handlers,
            ListWatch(streams=streams, random=random),
            transform=None,
            clock=self.clock.time,
        )

    @property
    def states(self) -> dict[str, tuple[str, int] | None]:
        """What readers see."""
        return {key.removeprefix("default/"): state_of(obj) for key, obj in self.store.items()}

    @property
    def values(self) -> dict[str, set[str]]:
        index = self.store.indexes["data"]
        return {
            value: {key.removeprefix("default/") for key in index.keys(value)} for value in index.values()
        }

    def list(self, revision: int, *items: dict[str, Any], more: str = "") -> None:
        assert not self.reflector.options().watch
        self.reflector.page(page(revision, *items, more=more))

    def follow(self, *frames: bytes) -> None:
        options = self.reflector.options()
        assert options.watch
        assert not options.send_initial_events
        self.reflector.frames(frames)

    def stream(self, *frames: bytes) -> None:
        assert self.reflector.options().send_initial_events
        self.reflector.frames(frames)

    def fail(self, error: KubewrightError) -> float:
        return self.reflector.failed(error, lasted=0)

    def relist(self) -> None:
        """Have a pass begin because the server has forgotten the revision."""
        self.fail(refusal(410, "Expired"))


def following(*, streams: bool = False, **arguments: Any) -> Setup:
    """One that knows the objects a and b as they were at revision 12."""
    setup = Setup(streams=streams, **arguments)
    a, b = data_of("a", 11, data={"x": "1"}), data_of("b", 12, data={"x": "2"})
    if streams:
        setup.stream(frame("ADDED", a), frame("ADDED", b), bookmark(12, end=True))
    else:
        setup.list(12, a, b)
    setup.told.take()
    return setup


A_AND_B = {"a": ("uid of a", 11), "b": ("uid of b", 12)}
