"""What comes of one reconcile, and what is done about it: rules without I/O."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, TypeGuard

from kubewright.controllers.registration import shown
from kubewright.controllers.requests import Request, Result, Terminal
from kubewright.machinery.errors import Conflict, describe_error
from kubewright.workqueue import WorkQueue

__all__ = ["Outcome", "OutcomeKind", "not_async", "outcome_of"]


class OutcomeKind(StrEnum):
    """How a reconcile ended; the values are those of controller-runtime's metric."""

    SUCCESS = "success"
    REQUEUE_AFTER = "requeue_after"
    CONFLICT = "requeue"
    """Somebody else has written meanwhile: no error, but to be looked at again."""
    ERROR = "error"
    TERMINAL = "terminal"
    """An error that is not retried; the metric counts it with the others as well."""


class Outcome(NamedTuple):
    """How a reconcile ended."""

    kind: OutcomeKind
    requeue_after: float = 0.0
    error: BaseException | None = None

    @property
    def is_failure(self) -> bool:
        """Whether it is reported as an error: a conflict is not."""
        return self.kind in (OutcomeKind.ERROR, OutcomeKind.TERMINAL)

    @property
    def shown(self) -> str:
        """The error in words; empty when there is none."""
        return "" if self.error is None else describe_error(self.error)

    def settle(self, queue: WorkQueue[Request], request: Request, *, priority: int) -> float | None:
        """Put the key back into its queue as the outcome calls for; returns in how many seconds, or None.

        What is retried keeps its priority; a key that succeeded has no failures any more.
        """
        match self.kind:
            case OutcomeKind.SUCCESS | OutcomeKind.TERMINAL:
                queue.forget(request)
                return None
            case OutcomeKind.REQUEUE_AFTER:
                queue.forget(request)
                queue.add_after(request, self.requeue_after, priority=priority)
                return self.requeue_after
            case OutcomeKind.CONFLICT | OutcomeKind.ERROR:
                return queue.add_rate_limited(request, priority=priority)


_SUCCESS: Final = Outcome(OutcomeKind.SUCCESS)


def _is_all(error: object, kind: type[Exception]) -> TypeGuard[Exception]:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_all(each, kind) for each in error.exceptions)
    return isinstance(error, kind)


def outcome_of(returned: object) -> Outcome:
    """What a reconciler's answer means, which is None, a Result, or what it raised.

    A group, as TaskGroups raise it, is what all in it are.
    """
    if returned is None:
        return _SUCCESS
    if isinstance(returned, Result):
        return Outcome(OutcomeKind.REQUEUE_AFTER, returned.requeue_after)
    if _is_all(returned, Terminal):
        return Outcome(OutcomeKind.TERMINAL, error=returned)
    if _is_all(returned, Conflict):
        return Outcome(OutcomeKind.CONFLICT, error=returned)
    if isinstance(returned, BaseException):
        return Outcome(OutcomeKind.ERROR, error=returned)
    error = TypeError(f"a reconciler returns None or a Result, not {type(returned).__name__}")
    return Outcome(OutcomeKind.TERMINAL, error=error)


def not_async(reconcile: object) -> Outcome:
    """What comes of a reconciler that returned something that cannot be awaited."""
    name = shown(reconcile)
    return Outcome(
        OutcomeKind.TERMINAL, error=TypeError(f"{name} is no async function; write async def {name}")
    )
