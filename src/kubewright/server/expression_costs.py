"""Evaluating CEL without holding the event loop: cheap expressions on it, others in the worker thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from kubewright.crd.cel.evaluator import CostLimitReached, limit_cost
from kubewright.server.large_requests import run_in_worker

__all__ = ["evaluate"]

_T = TypeVar("_T")

_ON_LOOP: Final = 100_000
"""What expressions may cost on the event loop: a tenth of what kube-apiserver lets one expression cost, which
takes 100 ms here. Hardly any expression costs more than 1,000."""


async def evaluate(work: Callable[[], _T]) -> _T:
    """Run a function that evaluates expressions; again from the start in the worker thread if they cost much.

    So it must change nothing. What it asks of the event loop it has to ask from any thread.
    """
    try:
        with limit_cost(_ON_LOOP):
            return work()
    except CostLimitReached:
        return await run_in_worker(work)
