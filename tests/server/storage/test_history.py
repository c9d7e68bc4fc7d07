"""What history keeps of the values that are no longer current."""

from __future__ import annotations

import json
import tracemalloc

from kubewright.server.storage import Value
from kubewright.server.storage.history import History, planned

LARGE = json.dumps({f"field{number}": f"some text {number}" for number in range(500)}).encode()


def written(count: int) -> History:
    """A history of one key, created and then updated."""
    history = History()
    for number in range(count):
        current = history.current("/a")
        kind, expected = ("ADDED", 0) if current is None else ("MODIFIED", current.revision)
        # In two halves that were never one object, as writers hand them over.
        value = Value(b'{"revision":', b',"number":%d,"rest":%b}' % (number, LARGE))
        history.apply(planned(kind, "/a", value, expected, current, history.revision + 1))  # type: ignore[arg-type]
    return history


def test_what_is_superseded_takes_half_the_room_at_most() -> None:
    tracemalloc.start()
    try:
        history = written(100)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert history.bytes > 99 * len(LARGE), "the size of the values is what is bounded"
    assert used < history.bytes / 2


def test_it_is_read_as_it_was_written() -> None:
    history = written(5)
    for revision in range(2, 7):
        entry = history.get("/a", revision)
        assert entry is not None
        assert json.loads(entry.value)["revision"] == revision
    events = history.events_after(3, "")
    assert [event.revision for event in events] == [4, 5, 6]
    assert [json.loads(event.previous or b"")["revision"] for event in events] == [3, 4, 5]


def test_those_who_resume_at_the_same_place_share_what_is_read() -> None:
    history = written(20)
    first, second = history.events_after(1, ""), history.events_after(1, "/a")
    assert len(first) == 20
    assert all(one is other for one, other in zip(first, second, strict=True))
