"""The ready keys against a list that is searched from its beginning."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubewright.workqueue.ready import ReadyKeys

PUSH = st.tuples(st.integers(0, 6), st.integers(-2, 2))
POP = st.none()


class Searched:
    """The same in the plainest way."""

    def __init__(self) -> None:
        self.keys: list[tuple[int, int]] = []

    def push(self, key: int, priority: int) -> bool:
        present = dict(self.keys).get(key)
        if present is None or priority > present:
            self.keys = [*((other, its) for other, its in self.keys if other != key), (key, priority)]
        return present is None

    def pop(self) -> int:
        first = max(self.keys, key=lambda item: item[1])  # the first of several
        self.keys.remove(first)
        return first[0]


@given(st.lists(st.one_of(PUSH, PUSH, POP), max_size=120))
def test_keys_come_by_priority_then_in_order(steps: list[tuple[int, int] | None]) -> None:
    ready, searched = ReadyKeys[int](), Searched()
    for step in steps:
        if step is not None:
            assert ready.push(*step) == searched.push(*step)
        elif searched.keys:
            assert ready.pop() == searched.pop()
        assert ready.priority_of == dict(searched.keys)
    while searched.keys:
        assert ready.pop() == searched.pop()
    assert not ready.priority_of
    assert not ready._lanes
    assert not ready._priorities


def test_keys_that_are_raised_again_and_again_take_no_memory() -> None:
    ready = ReadyKeys[str]()
    ready.push("low", 0)  # starves, so that nothing behind it in its lane is popped
    ready.push("lower", -1)
    for _ in range(1000):
        ready.push("a", 0)
        ready.push("a", 1)
        assert ready.pop() == "a"
        ready.push("b", -1)
        ready.push("b", 1)
        assert ready.pop() == "b"
    assert len(ready._ordinary.order) <= 3
    assert len(ready._lanes[-1].order) <= 3
    assert [ready.pop(), ready.pop()] == ["low", "lower"]


def test_release_keeps_nothing_of_keys_that_were_raised() -> None:
    ready = ReadyKeys[str]()
    ready.push("a", 0)
    ready.push("b", 0)
    ready.push("b", 1)
    assert [ready.pop(), ready.pop()] == ["b", "a"]
    ready.release()
    assert not ready._ordinary.order
    assert not ready._ordinary.gone
    ready.push("b", 0)
    assert ready.pop() == "b"
