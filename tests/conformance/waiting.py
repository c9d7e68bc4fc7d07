"""Waiting for what a server does in its own time: roles come into force, definitions are established."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["eventually"]

PATIENCE = 30.0
"""Seconds; kube-apiserver needs less than one for what is waited for here, on an idle machine."""


def eventually(condition: Callable[[], bool], what: str, *, patience: float = PATIENCE) -> None:
    """Asks until the condition holds; fails the test when it does not in time."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"waited {patience:.0f} seconds: {what}"
        time.sleep(0.02)
