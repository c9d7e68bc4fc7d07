"""Where reconciles are that do not end: the line of the program at which each waits."""

from __future__ import annotations

import asyncio
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import kubewright

if TYPE_CHECKING:
    from kubewright.controllers.requests import Request

__all__ = ["waiting_at"]

_NOT_THE_PROGRAM: Final = (str(Path(kubewright.__file__).parent), sysconfig.get_paths()["stdlib"])
"""Whose lines say little about why a reconcile waits."""

_DEEPEST: Final = 1000
"""Calls within calls that are followed; Python allows no more by default."""


def waiting_at(controller: str, request: Request) -> str:
    """The file and line at which the reconcile of an object waits, as ` at app.py:12`; empty if unknown."""
    for task in asyncio.all_tasks():
        if task.get_name().endswith(f" of {controller}"):
            frames = list(_frames(task.get_coro()))
            if any(frame.f_locals.get("request") == request for frame in frames):
                own = [frame for frame in frames if not frame.f_code.co_filename.startswith(_NOT_THE_PROGRAM)]
                return f" at {Path(own[-1].f_code.co_filename).name}:{own[-1].f_lineno}" if own else ""
    return ""


def _frames(awaited: Any) -> Iterator[FrameType]:
    """The frames of a coroutine and of what it awaits, the innermost last."""
    for _ in range(_DEEPEST):
        frame = next((found for name in _FRAMES if (found := getattr(awaited, name, None))), None)
        if frame is None:
            return
        yield frame
        awaited = next((found for name in _AWAITED if (found := getattr(awaited, name, None))), None)


_FRAMES: Final = ("cr_frame", "gi_frame", "ag_frame")
_AWAITED: Final = ("cr_await", "gi_yieldfrom", "ag_await")
"""What coroutines, generators and asynchronous generators call these."""
