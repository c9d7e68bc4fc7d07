"""How often keys have failed in a row, and whether the traces of their errors were told before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kubewright.controllers.outcomes import Outcome, OutcomeKind
from kubewright.controllers.requests import Request

__all__ = ["FIRST", "Failure", "Failures"]

_MOST_ERRORS: Final = 16
"""How many errors of a group or of a chain of causes are looked at, to tell two of them apart."""


class Failure(NamedTuple):
    """A reconcile that failed, among those of its key."""

    number: int
    """Among the failures in a row, from 1 on; conflicts are none, and do not end a row."""
    is_repeated: bool
    """Whether the one before failed in the same way: with errors of the same types, in the same places."""


FIRST: Final = Failure(1, is_repeated=False)


class Failures:
    """The keys of a controller that fail at present.

    As many are known as there are in the queue to be tried again: one that has succeeded, or is not retried,
    is forgotten.
    """

    def __init__(self) -> None:
        self._last: Final[dict[Request, tuple[int, int]]] = {}
        """How often they failed, and what tells the last way from others."""

    def after(self, request: Request, outcome: Outcome) -> Failure:
        """Take note of how a reconcile ended."""
        if outcome.kind is OutcomeKind.CONFLICT:
            return FIRST
        count, before = self._last.pop(request, (0, 0))
        if outcome.kind is not OutcomeKind.ERROR or outcome.error is None:
            return FIRST
        way = hash(tuple(_way(outcome.error)))
        self._last[request] = count + 1, way
        return Failure(count + 1, is_repeated=count > 0 and way == before)


def _way(error: BaseException) -> Iterator[object]:
    """The types of an error and its causes, and the lines in which they were raised; no words, which vary."""
    waiting: list[BaseException | None] = [error]
    for each in waiting:
        if each is None:
            continue
        yield id(type(each))
        trace = each.__traceback__
        while trace is not None:
            yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
            trace = trace.tb_next
        if len(waiting) < _MOST_ERRORS:
            waiting += each.exceptions[:_MOST_ERRORS] if isinstance(each, BaseExceptionGroup) else ()
            waiting += (each.__cause__ or (None if each.__suppress_context__ else each.__context__),)
