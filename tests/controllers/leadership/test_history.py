"""The oracles: what they take for two leaders, and what not."""

from __future__ import annotations

from tests.controllers.leadership.history import Act, Held, Written, overlaps, stale_writes, uneven


def written(revision: int, writer: str, count: int = 0, name: str = "counter") -> Written:
    return Written(revision, name, writer, {"count": str(count)} if count else {})


def test_writes_in_ones_own_terms() -> None:
    held = [Held(10, "a"), Held(20, "a"), Held(30, ""), Held(40, "b"), Held(60, "a")]
    assert not stale_writes(held, [written(11, "a"), written(29, "a"), written(41, "b"), written(61, "a")])


def test_a_write_in_the_term_of_another_or_of_nobody() -> None:
    held = [Held(10, "a"), Held(30, ""), Held(40, "b")]
    late, too_late, early = written(31, "a"), written(41, "a"), written(9, "a")
    assert stale_writes(held, [late]) == ["a wrote counter at 31, when nobody led"]
    assert stale_writes(held, [too_late]) == ["a wrote counter at 41, when b led"]
    assert len(stale_writes(held, [early, late, too_late, written(42, "b")])) == 3


def test_additions() -> None:
    assert not uneven(
        [written(3, "b", 3), written(1, "a", 1), written(2, "a", 2), written(4, "b", 1, "other")]
    )
    assert uneven([written(1, "a", 1), written(2, "b", 1)]) == ["b wrote 1 to counter after 1"]
    assert uneven([written(1, "a", 1), written(2, "b", 3)]) == ["b wrote 3 to counter after 1"]


def test_terms_by_the_clock() -> None:
    one = [Act("a", 1.0, 1.1), Act("a", 5.0, 5.1)]
    assert not overlaps([*one, Act("b", 5.05, 5.2), Act("b", 9.0, 9.1)])
    assert overlaps([*one, Act("b", 4.0, 4.1)]) == ["b led 0.900 seconds before a had ended"]
    stopped_in_between = Act("a", 5.0, 99.0)
    assert not overlaps([*one, stopped_in_between, Act("b", 10.0, 10.1)]), "it may have been leader at 5"
