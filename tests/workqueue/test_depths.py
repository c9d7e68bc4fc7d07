"""How many keys wait, by priority: always what a walk through all of them would count."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kubewright.workqueue import QueueMetrics, WorkQueue
from tests.workqueue.running import run

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 6), st.integers(-2, 2)),
        st.tuples(st.just("get"), st.just(0), st.just(0)),
        st.tuples(st.just("done"), st.integers(0, 6), st.just(0)),
    ),
    max_size=60,
)


@given(STEPS)
def test_depths_are_what_waits(steps: list[tuple[str, int, int]]) -> None:
    async def main() -> None:
        metrics = QueueMetrics()
        queue = WorkQueue[int](metrics=metrics)
        taken: set[int] = set()
        for what, key, priority in steps:
            if what == "add":
                queue.add(key, priority=priority)
            elif what == "get" and len(queue):
                taken.add(await queue.get())
            elif what == "done" and key in taken:
                taken.remove(key)
                queue.done(key)
            counted = Counter([*queue._ready.values(), *queue._dirty.values()])
            assert {each: n for each, n in queue.depths().items() if n} == counted
            assert 0 in queue.depths()
            assert sum(queue.depths().values()) == metrics.snapshot().depth

    run(main())


def test_a_key_that_was_raised_counts_once() -> None:
    queue = WorkQueue[str]()
    for key in "abc":
        queue.add(key)
    queue.add("b", priority=5)
    assert queue.depths() == {0: 2, 5: 1}
