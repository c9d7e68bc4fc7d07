"""What the reconciles of an operator came to, as a test needs to know it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from kubewright.controllers.outcomes import OutcomeKind
from kubewright.testing.settling import NotSettled, first_few

if TYPE_CHECKING:
    from kubewright.controllers.controller import Reconciled
    from kubewright.controllers.requests import Request

__all__ = ["Failure", "Reconciles", "ReconcilesFailed"]

_WORTH_TELLING: Final = 10
"""Reconciles of one object in one wait that are many."""


class _Key(NamedTuple):
    controller: str
    request: Request

    def __str__(self) -> str:
        return f"{self.controller} {self.request}"


class Failure(NamedTuple):
    """An object whose last reconcile failed."""

    controller: str
    request: Request
    error: BaseException

    def __str__(self) -> str:
        return f"{self.controller} {self.request}: {str(self.error) or type(self.error).__name__}"


class ReconcilesFailed(ExceptionGroup[Exception]):
    """The last reconciles of some objects failed; `failures` says of which, `exceptions` with what."""

    failures: Sequence[Failure]

    def __new__(cls, failures: Sequence[Failure]) -> Self:
        """Of one failure or more."""
        message = (
            f"the last reconciles of these failed: {first_few(failures)}. They are retried as the clock "
            "advances; a test that expects them to fail says settled(allow_errors=True)"
        )
        made = super().__new__(cls, message, [_exception(each.error) for each in failures])
        made.failures = failures
        return made

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__(self.message, self.exceptions)


class Reconciles:
    """Counts reconciles, and remembers which objects failed last."""

    def __init__(self) -> None:
        self._ended: Final = Counter[str]()
        self._failures: Final[dict[_Key, BaseException]] = {}
        self._counts: Final = Counter[_Key]()
        self._writing: Final = Counter[_Key]()
        """How often each object was reconciled since `begin`; and how often not for the last time."""
        self._last_writes: Final[dict[_Key, list[str]]] = {}
        self._limit = 0

    def note(self, reconciled: Reconciled) -> None:
        """Take in one that has ended. After a conflict the object is looked at again at once."""
        controller, request, outcome, writes = reconciled
        key = _Key(controller.name, request)
        self._ended[controller.name] += 1
        self._counts[key] += 1
        if outcome.error is not None and outcome.is_failure:
            self._failures[key] = outcome.error
        else:
            self._failures.pop(key, None)
        is_conflict = outcome.kind is OutcomeKind.CONFLICT
        if is_conflict:
            controller.queue.expedite(request)
        if writes or is_conflict:
            self._writing[key] += 1
            self._last_writes[key] = [name for each in writes for name in each.names()]

    def begin(self, limit: int) -> None:
        """Count anew; `limit` is for `check`."""
        self._limit = limit
        for each in (self._counts, self._writing, self._last_writes):
            each.clear()

    def check(self) -> None:
        """Raise NotSettled when an object was reconciled too often, and wrote something each time."""
        for key, count in self._writing.items():
            if count >= self._limit:
                writes = self._last_writes[key]
                what = f"its last writes were {first_few(writes)}" if writes else "its writes were conflicts"
                raise NotSettled(f"{key} was reconciled {self._limit} times without settling: {what}")

    def count(self, controller: str = "") -> int:
        """How many have ended, of all controllers or of one."""
        return self._ended[controller] if controller else self._ended.total()

    def failures(self) -> list[Failure]:
        """The objects whose last reconcile failed."""
        return [Failure(*key, error) for key, error in self._failures.items()]

    def summary(self) -> list[str]:
        """What is worth telling of those since `begin`, when there is no end."""
        often = [f"{key} ({count} times)" for key, count in self._counts.items() if count >= _WORTH_TELLING]
        found = [f"reconciled often: {first_few(often)}"] if often else []
        if self._failures:
            found.append(f"failed last: {first_few(self.failures())}")
        return found


def _exception(error: BaseException) -> Exception:
    # What a reconcile ends with is no KeyboardInterrupt: controllers let those through.
    assert isinstance(error, Exception)  # noqa: S101 - see above
    return error
