"""How much is measured: the full counts, or with `--tiny` just enough to show that a subject still runs.

The choice is an environment variable, so that the processes that are measured inherit it.
"""

from __future__ import annotations

import os
from typing import Final, TypeVar

__all__ = ["TINY", "is_tiny", "scaled"]

TINY: Final = "KUBEWRIGHT_BENCH_TINY"
"""The variable that `--tiny` sets."""

_T = TypeVar("_T")


def is_tiny() -> bool:
    """Whether this run only checks that everything can be measured; its figures mean nothing."""
    return bool(os.environ.get(TINY))


def scaled(full: _T, *, tiny: _T) -> _T:
    """Return the count for this run."""
    return tiny if is_tiny() else full
