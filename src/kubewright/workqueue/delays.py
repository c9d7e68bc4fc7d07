"""The keys that are to be added at a later time."""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from typing import Final, Generic, NamedTuple, TypeVar

__all__ = ["Delays"]

K = TypeVar("K", bound=Hashable)

_FEW: Final = 64
"""So many outdated entries are not worth the work of throwing them out."""


class _Delay(NamedTuple):
    when: float
    number: int
    priority: int


class Delays(Generic[K]):
    """Keys by the time they are due. A key is in it once: the earlier time and the higher priority win.

    Adding takes O(log n). The memory is proportional to the number of keys.
    """

    __slots__ = ("_delays", "_heap", "_number")

    def __init__(self) -> None:
        self._delays: Final[dict[K, _Delay]] = {}
        self._heap: list[tuple[float, int, K]] = []
        """When, number, key. An entry whose number is no longer that of the key's delay is outdated."""
        self._number = 0
        """Counts up, so that keys with equal times keep their order and are not compared themselves."""

    def __len__(self) -> int:
        return len(self._delays)

    def add(self, key: K, when: float, priority: int) -> None:
        """Have the key due at a time, or earlier when it already was."""
        known = self._delays.get(key)
        if known is not None:
            priority = max(priority, known.priority)
            if known.when <= when:
                self._delays[key] = known._replace(priority=priority)
                return
        self._number += 1
        self._delays[key] = _Delay(when, self._number, priority)
        heappush(self._heap, (when, self._number, key))
        if len(self._heap) > 2 * len(self._delays) + _FEW:
            self._heap = [(delay.when, delay.number, key) for key, delay in self._delays.items()]
            heapify(self._heap)

    def first(self) -> float | None:
        """The time at which the first key is due; None when there are no keys."""
        while self._heap:
            when, number, key = self._heap[0]
            if self._is_valid(key, number):
                return when
            heappop(self._heap)
        return None

    def pop_due(self, now: float) -> list[tuple[K, int]]:
        """Take out the keys that are due, with their priorities, in the order of their times."""
        due = []
        while self._heap and self._heap[0][0] <= now:
            _, number, key = heappop(self._heap)
            if self._is_valid(key, number):
                due.append((key, self._delays.pop(key).priority))
        if not self._delays:
            self.clear()
        return due

    def discard(self, key: K) -> int | None:
        """Forget a key; its priority, or None when it was not there."""
        delay = self._delays.pop(key, None)
        return None if delay is None else delay.priority

    def clear(self) -> None:
        """Forget all keys, and give back the memory."""
        self._delays.clear()
        self._heap.clear()

    def _is_valid(self, key: K, number: int) -> bool:
        delay = self._delays.get(key)
        return delay is not None and delay.number == number
