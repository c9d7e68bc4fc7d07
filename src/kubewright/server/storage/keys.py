"""A sorted set of strings that is quick to change and to cut ranges out of.

One sorted list would move half of its content on each insertion, which shows from some ten thousand
keys on. So it is a list of sorted lists, split when they grow too long: the idea of B-trees with one level.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import Final

__all__ = ["SortedKeys", "end_of_prefix"]

MAX_CHUNK: Final = 1024
"""Where a list is split. Measured with 200,000 keys: an insertion takes 1.5 µs with 250 to 1,000,
1.9 µs with 4,000 and 15 µs with one list."""

_LAST: Final = "\U0010ffff"


class SortedKeys:
    """A sorted set of strings."""

    __slots__ = ("_chunks", "_firsts", "_max_chunk")

    def __init__(self, *, max_chunk: int = MAX_CHUNK) -> None:
        self._max_chunk = max_chunk
        # _firsts[i] is at most the first key of chunk i, and greater than every key of the chunks before.
        self._firsts: list[str] = [""]
        self._chunks: list[list[str]] = [[]]

    def __len__(self) -> int:
        return sum(map(len, self._chunks))

    def add(self, key: str) -> None:
        """Add a key that is not in the set."""
        at = bisect_right(self._firsts, key) - 1
        chunk = self._chunks[at]
        insort(chunk, key)
        if len(chunk) > self._max_chunk:
            half = len(chunk) // 2
            self._chunks.insert(at + 1, chunk[half:])
            self._firsts.insert(at + 1, chunk[half])
            del chunk[half:]

    def remove(self, key: str) -> None:
        """Remove a key that is in the set."""
        at = bisect_right(self._firsts, key) - 1
        chunk = self._chunks[at]
        del chunk[bisect_left(chunk, key)]
        if not chunk and at:
            del self._chunks[at]
            del self._firsts[at]

    def between(self, start: str, end: str | None) -> list[str]:
        """The keys from `start` to before `end`, or to the last."""
        first, low = self._place(start)
        if end is None:
            last, high = len(self._chunks) - 1, len(self._chunks[-1])
        else:
            last, high = self._place(end)
        if first == last:
            return self._chunks[first][low:high]
        if first > last:
            return []
        found = self._chunks[first][low:]
        for chunk in self._chunks[first + 1 : last]:
            found += chunk
        found += self._chunks[last][:high]
        return found

    def _place(self, key: str) -> tuple[int, int]:
        at = bisect_right(self._firsts, key) - 1
        return at, bisect_left(self._chunks[at], key)


def end_of_prefix(prefix: str) -> str | None:
    """The least string that is greater than all that start with the prefix; None where there is none."""
    stem = prefix.rstrip(_LAST)
    return stem[:-1] + chr(ord(stem[-1]) + 1) if stem else None
