"""The indexes of an Indexed Job as its status and its success policy write them, such as "0,2-5,9"."""

from __future__ import annotations

from collections.abc import Iterator

from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.label_selectors import parse_int64

__all__ = ["IntervalError", "count_indexes", "overlap_error"]


class IntervalError(ValueError):
    """What is wrong with a list of indexes, in upstream's words."""


def count_indexes(text: str, completions: int) -> int:
    """How many indexes the text lists. Raises IntervalError."""
    if not text:
        return 0
    last: int | None = None
    total = 0
    for interval in text.split(","):
        first, end = _interval(interval, completions)
        if last is not None and last >= first:
            raise IntervalError(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def overlap_error(completed: str, failed: str, completions: int) -> str:
    """What to say if an index is both completed and failed, else ""; intervals that are none do not count."""
    if not completed or not failed:
        return ""
    completed_left, failed_left = _intervals(completed, completions), _intervals(failed, completions)
    done, bad = next(completed_left, None), next(failed_left, None)
    while done is not None and bad is not None:
        if done[0] <= bad[1] and bad[0] <= done[1]:
            return f"failedIndexes and completedIndexes overlap at index: {max(done[0], bad[0])}"
        if done[0] <= bad[0]:
            done = next(completed_left, None)
        else:
            bad = next(failed_left, None)
    return ""


def _intervals(text: str, completions: int) -> Iterator[tuple[int, int]]:
    for interval in text.split(","):
        try:
            yield _interval(interval, completions)
        except IntervalError:
            continue


def _interval(text: str, completions: int) -> tuple[int, int]:
    limits = text.split("-")
    if len(limits) > 2:
        raise IntervalError(
            f"the fragment {go_quote(text)} violates the requirement that an index interval can have at most "
            "two parts separated by '-'"
        )
    first, *ends = [_index(limit, completions) for limit in limits]
    if not ends:
        return first, first
    if first >= ends[0]:
        raise IntervalError(f"non-increasing order, previous: {first}, current: {ends[0]}")
    return first, ends[0]


def _index(text: str, completions: int) -> int:
    index = parse_int64(text)
    if index is None:
        raise IntervalError(f"cannot convert string to integer for index: {go_quote(text)}")
    if index >= completions:
        raise IntervalError(f"too large index: {go_quote(text)}")
    return index
