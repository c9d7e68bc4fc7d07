"""How long a key that failed has to wait: per key, over all keys, or the longest of several answers."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Final, Generic, Protocol, TypeVar

from kubewright.workqueue.clock import Clock, LoopClock

__all__ = [
    "ExponentialBackoff",
    "FastSlow",
    "MaxOf",
    "RateLimiter",
    "TokenBucket",
    "default_rate_limiter",
]

FIRST_DELAY: Final = 0.005
LONGEST_DELAY: Final = 1000.0
"""Seconds; those of client-go's default limiter of controllers, as are the two below."""

RETRIES_PER_SECOND: Final = 10.0
RETRIES_AT_ONCE: Final = 100

K = TypeVar("K", bound=Hashable)
K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)


class RateLimiter(Protocol[K_contra]):
    """Says when a key may be tried again. Implementations keep nothing of a key once it is forgotten."""

    def when(self, key: K_contra) -> float:
        """The seconds that the key has to wait; each call counts as a failure of the key."""

    def forget(self, key: K_contra) -> None:
        """The key succeeded, or was given up: its next failure is its first."""

    def retries(self, key: K_contra) -> int:
        """How often the key failed since it was last forgotten."""


class _Failures:
    """Failures by key."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[Hashable, int] = {}

    def count(self, key: Hashable) -> int:
        """Count one more; the number there were before."""
        before = self._counts.get(key, 0)
        self._counts[key] = before + 1
        return before

    def forget(self, key: Hashable) -> None:
        if self._counts.pop(key, None) is not None and not self._counts:
            # An empty dict keeps the table of its largest size until it is cleared.
            self._counts.clear()

    def retries(self, key: Hashable) -> int:
        return self._counts.get(key, 0)


class ExponentialBackoff:
    """Each failure of a key doubles its delay, from `first` seconds up to `longest`.

    The delay is exact, without jitter, as client-go's is: keys that failed at once come back at once, which
    the queue's number of workers bounds. Raises ValueError unless 0 < first <= longest < infinity.
    """

    __slots__ = ("_doublings", "_failures", "_first", "_longest")

    def __init__(self, first: float = FIRST_DELAY, longest: float = LONGEST_DELAY) -> None:
        if not 0 < first <= longest < math.inf:
            raise ValueError(f"delays must be more than 0 and grow, not go from {first} to {longest}")
        self._first: Final = first
        self._longest: Final = longest
        # The power of two is not computed beyond this, since a float overflows at 1024.
        doublings = math.ceil(math.log2(longest) - math.log2(first))
        while math.ldexp(first, doublings - 1) < longest / 2:
            # Logarithms are rounded: those of two neighbouring numbers are equal.
            doublings += 1
        self._doublings: Final = doublings
        self._failures: Final = _Failures()

    def when(self, key: Hashable) -> float:
        """The delay after one more failure."""
        before = self._failures.count(key)
        if before >= self._doublings:
            return self._longest
        return min(self._longest, math.ldexp(self._first, before))

    def forget(self, key: Hashable) -> None:
        """Begin with the first delay again."""
        self._failures.forget(key)

    def retries(self, key: Hashable) -> int:
        """Failures since the key was last forgotten."""
        return self._failures.retries(key)


class FastSlow:
    """The first `attempts` failures of a key wait `fast` seconds, the others `slow`.

    Raises ValueError for delays that are negative or no numbers.
    """

    __slots__ = ("_attempts", "_failures", "_fast", "_slow")

    def __init__(self, fast: float, slow: float, attempts: int) -> None:
        if not (0 <= fast < math.inf and 0 <= slow < math.inf):
            raise ValueError(f"delays must be 0 or more seconds, not {fast} and {slow}")
        self._fast: Final = fast
        self._slow: Final = slow
        self._attempts: Final = attempts
        self._failures: Final = _Failures()

    def when(self, key: Hashable) -> float:
        """The delay after one more failure."""
        return self._fast if self._failures.count(key) < self._attempts else self._slow

    def forget(self, key: Hashable) -> None:
        """Begin with the fast attempts again."""
        self._failures.forget(key)

    def retries(self, key: Hashable) -> int:
        """Failures since the key was last forgotten."""
        return self._failures.retries(key)


class TokenBucket:
    """Lets `burst` retries pass at once and `qps` a second in the long run, of all keys together.

    It knows no keys: `forget` changes nothing, `retries` is 0. Raises ValueError unless qps > 0 and burst >=
    1.
    """

    __slots__ = ("_burst", "_clock", "_filled_at", "_qps", "_tokens")

    def __init__(
        self, qps: float = RETRIES_PER_SECOND, burst: int = RETRIES_AT_ONCE, *, clock: Clock | None = None
    ) -> None:
        if not (0 < qps < math.inf and burst >= 1):
            raise ValueError(f"qps must be more than 0 and burst at least 1, not {qps} and {burst}")
        self._qps: Final = qps
        self._burst: Final = float(burst)
        self._clock: Final[Clock] = LoopClock() if clock is None else clock
        self._tokens = float(burst)
        """Below zero when retries were let in ahead of time: each waits until its token is there."""
        self._filled_at = self._clock.time()

    def when(self, key: Hashable) -> float:
        """The seconds until there is a token for this retry, which takes it."""
        now = self._clock.time()
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._qps) - 1
        self._filled_at = now
        return max(0.0, -self._tokens / self._qps)

    def forget(self, key: Hashable) -> None:
        """Nothing: no key is known."""

    def retries(self, key: Hashable) -> int:
        """0: no key is known."""
        return 0


class MaxOf(Generic[K]):
    """Asks all of several limiters, and takes the longest delay.

    Raises ValueError when there are none.
    """

    __slots__ = ("_limiters",)

    def __init__(self, *limiters: RateLimiter[K]) -> None:
        if not limiters:
            raise ValueError("MaxOf needs at least one rate limiter")
        self._limiters: Final = limiters

    def when(self, key: K) -> float:
        """The longest of the delays; each limiter counts the failure."""
        return max([limiter.when(key) for limiter in self._limiters])

    def forget(self, key: K) -> None:
        """All forget."""
        for limiter in self._limiters:
            limiter.forget(key)

    def retries(self, key: K) -> int:
        """The most that one of them counted."""
        return max([limiter.retries(key) for limiter in self._limiters])


def default_rate_limiter(*, clock: Clock | None = None) -> RateLimiter[Hashable]:
    """client-go's limiter for controllers.

    Exponential per key, from 5 ms to 1000 s; over all keys 10 retries a second, after a pause 100 at once.
    """
    return MaxOf(ExponentialBackoff(), TokenBucket(clock=clock))
