"""What is logged of how a reconcile ended: how long it took, what came of it, and when it is done again."""

from __future__ import annotations

import logging
from typing import Final

from kubewright.controllers.denials import Denial
from kubewright.controllers.failures import FIRST, Failure
from kubewright.controllers.outcomes import Outcome, OutcomeKind
from kubewright.controllers.reconciling import Reconciling
from kubewright.machinery.errors import KubewrightError

__all__ = ["RECONCILES", "report"]

RECONCILES: Final = "kubewright.controllers.reconciles"
"""The logger of these lines, so that they can be shown without all else that is of level DEBUG."""

_log: Final = logging.getLogger(RECONCILES)


def report(
    outcome: Outcome,
    reconciling: Reconciling,
    *,
    duration: float,
    again: float | None,
    failure: Failure = FIRST,
    denial: Denial | None = None,
    is_known: bool = False,
) -> None:
    """Log how a reconcile ended: errors as such, all else for those who look closely.

    A reconcile that failed for a `denial` has one line, without a trace; one that was reported before
    (`is_known`) is for those who look closely as well.

    It took `duration` seconds, and `again` is after how many its key comes back; None: not by itself. Which
    `failure` of the key it is counts for one that failed.
    """
    level = logging.ERROR if outcome.is_failure and not is_known else logging.DEBUG
    if not _log.isEnabledFor(level):
        return
    told = _told(outcome, duration, again, failure.number, denial)
    extra: dict[str, object] = {
        **reconciling.extra(),
        "short_message": told,
        "reconcile_result": str(outcome.kind),
        "reconcile_duration": round(duration, 6),
    }
    if again is not None:
        extra["reconcile_again"] = round(again, 6)
    trace = None
    if outcome.is_failure:
        extra |= {
            "error": outcome.shown,
            "reconcile_failures": failure.number,
            "trace_is_repeated": failure.is_repeated,
        }
        # What our own parts raise says all in one sentence, and so does what is not retried.
        known = outcome.kind is OutcomeKind.TERMINAL or isinstance(outcome.error, KubewrightError)
        trace = None if known or denial is not None else outcome.error
    _log.log(
        level, "%s: %s %s", reconciling.controller, reconciling.object, told, exc_info=trace, extra=extra
    )


def _told(
    outcome: Outcome, duration: float, again: float | None, failures: int, denial: Denial | None
) -> str:
    took = f"in {_seconds(duration)}"
    # A queue that is shut down takes nothing back.
    later = "" if again is None else f"in {_seconds(again)}"
    match outcome.kind:
        case OutcomeKind.CONFLICT:
            return f"has changed meanwhile ({took})" + (f"; it is looked at again {later}" if later else "")
        case OutcomeKind.ERROR:
            row = f", after {failures} failures" if failures > 1 else ""
            why = outcome.shown if denial is None else f"{denial.message}; {denial.remedy}"
            return f"failed {took}: {why}" + (f"; it is tried again {later}{row}" if later else "")
        case OutcomeKind.TERMINAL:
            why = outcome.shown if denial is None else f"{denial.message}; {denial.remedy}"
            return f"failed {took} and is not retried: {why}"
        case OutcomeKind.REQUEUE_AFTER:
            return f"reconciled {took}, again {later}"
        case _:
            return f"reconciled {took}"


def _seconds(seconds: float) -> str:
    """As people say it, in two or three digits."""
    if seconds < 0.01:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"
