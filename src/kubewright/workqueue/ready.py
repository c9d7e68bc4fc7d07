"""The keys that may be handed out now, by priority and then in the order they came."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

__all__ = ["ReadyKeys"]

K = TypeVar("K", bound=Hashable)


class _Lane(Generic[K]):
    """First in, first out, for the keys of one priority; keys can leave it from the middle.

    A key that left stays in `order` until its turn comes, and is then skipped. When it came back meanwhile,
    it is there again behind that; so of several, the last one counts.
    """

    __slots__ = ("gone", "gone_total", "order")

    def __init__(self) -> None:
        self.order: Final[deque[K]] = deque()
        self.gone: Final[dict[K, int]] = {}
        """How often each key is in `order` without counting."""
        self.gone_total = 0

    def __len__(self) -> int:
        return len(self.order) - self.gone_total

    def pop(self) -> K:
        """Take the first out. There must be one."""
        while True:
            key = self.order.popleft()
            if not self.gone or not self._skip(key):
                return key

    def remove(self, key: K) -> None:
        """Take out a key that is in the lane, wherever it is."""
        self.gone[key] = self.gone.get(key, 0) + 1
        self.gone_total += 1
        if self.gone_total > len(self):
            # So a lane is never more than twice as long as what is in it, and removing is O(1) on average.
            for _ in range(len(self.order)):
                present = self.order.popleft()
                if not self._skip(present):
                    self.order.append(present)

    def clear(self) -> None:
        """Take out all, also what only waits to be skipped."""
        self.order.clear()
        self.gone.clear()
        self.gone_total = 0

    def _skip(self, key: K) -> bool:
        times = self.gone.get(key)
        if times is None:
            return False
        if times == 1:
            del self.gone[key]
        else:
            self.gone[key] = times - 1
        self.gone_total -= 1
        return True


class ReadyKeys(Generic[K]):
    """A set of keys with priorities, from which the first of the highest priority is popped.

    Within a priority keys are popped in the order in which they got it. Pushing and popping take constant
    time, whatever the number of keys.
    """

    __slots__ = ("_lanes", "_ordinary", "_priorities", "popped_priority", "priority_of")

    def __init__(self) -> None:
        self.priority_of: Final[dict[K, int]] = {}
        """The keys; for others to look at, not to change."""
        self.popped_priority = 0
        """The priority of the key that was popped last."""
        self._ordinary: Final[_Lane[K]] = _Lane()
        """Priority 0, which mostly is all there is."""
        self._lanes: Final[dict[int, _Lane[K]]] = {}
        self._priorities: Final[list[int]] = []
        """The priorities of `_lanes`, ascending. A lane that gets empty is dropped."""

    def push(self, key: K, priority: int) -> bool:
        """Add a key at the end of its priority; False when it is there already.

        One that is there with a lower priority moves to the end of the higher one; a lower priority changes
        nothing.
        """
        present = self.priority_of.get(key)
        if present is None:
            self.priority_of[key] = priority
            if priority == 0:
                self._ordinary.order.append(key)
            else:
                self._lane(priority).order.append(key)
            return True
        if priority > present:
            self.priority_of[key] = priority
            self._leave(key, present)
            self._lane(priority).order.append(key)
        return False

    def pop(self) -> K:
        """Take out the first key of the highest priority. There must be one."""
        if not self._priorities:
            key = self._ordinary.order.popleft() if not self._ordinary.gone else self._ordinary.pop()
        else:
            key = self._pop_ranked()
        self.popped_priority = self.priority_of.pop(key)
        return key

    def release(self) -> None:
        """Give back the memory of the largest size. Only for when there are no keys."""
        # A dict keeps its table until it is cleared, however empty it has become.
        self.priority_of.clear()
        self._ordinary.clear()

    def depths(self) -> dict[int, int]:
        """How many keys there are of each priority."""
        return {0: len(self._ordinary), **{priority: len(lane) for priority, lane in self._lanes.items()}}

    def _pop_ranked(self) -> K:
        highest = self._priorities[-1]
        if highest < 0 and len(self._ordinary):
            return self._ordinary.pop()
        lane = self._lanes[highest]
        key = lane.pop()
        if not len(lane):
            self._drop(highest)
        return key

    def _leave(self, key: K, priority: int) -> None:
        lane = self._lane(priority)
        lane.remove(key)
        if priority != 0 and not len(lane):
            self._drop(priority)

    def _lane(self, priority: int) -> _Lane[K]:
        if priority == 0:
            return self._ordinary
        lane = self._lanes.get(priority)
        if lane is None:
            lane = self._lanes[priority] = _Lane()
            self._priorities.insert(bisect_left(self._priorities, priority), priority)
        return lane

    def _drop(self, priority: int) -> None:
        del self._lanes[priority]
        del self._priorities[bisect_left(self._priorities, priority)]
