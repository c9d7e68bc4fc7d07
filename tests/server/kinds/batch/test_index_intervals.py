"""The indexes of Indexed Jobs as texts."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.kinds.batch.index_intervals import IntervalError, count_indexes, overlap_error

INDEXES = st.sets(st.integers(0, 40), max_size=20)


def written(indexes: set[int]) -> str:
    """The shortest text for some indexes."""
    starts = sorted(index for index in indexes if index - 1 not in indexes)
    ends = sorted(index for index in indexes if index + 1 not in indexes)
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


@given(INDEXES)
def test_as_many_as_are_written(indexes: set[int]) -> None:
    assert count_indexes(written(indexes), 41) == len(indexes)


@given(INDEXES, INDEXES)
def test_what_is_in_both_overlaps_and_nothing_else(completed: set[int], failed: set[int]) -> None:
    overlap = overlap_error(written(completed), written(failed), 41)

    common = completed & failed
    expected = f"failedIndexes and completedIndexes overlap at index: {min(common)}" if common else ""
    assert overlap == expected


@given(st.text(alphabet="0123-, x", max_size=20), st.text(alphabet="0123-, x", max_size=20))
def test_no_text_raises_anything_else(completed: str, failed: str) -> None:
    overlap_error(completed, failed, 30)
    with suppress(IntervalError):
        count_indexes(completed, 30)


@pytest.mark.parametrize("text", ["1" * 100_000, "0," * 100_000, "-" * 100_000])
def test_long_texts_are_read_at_once(text: str) -> None:
    with pytest.raises(IntervalError):
        count_indexes(text, 30)
