"""Conversion of custom resources: the handler that gives an API server's reviews to conversion functions."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from kubewright.crd.conversion_review import Versions, review, versions_of
from kubewright.machinery.resource import Resource

__all__ = ["ConversionHandler"]

_THREADS: Final = 8
"""How many reviews are under way at once. Python runs one at a time anyway; there are more so that functions
which hang or wait hold up only some of the others."""


class ConversionHandler:
    """Answers ConversionReviews, each in a thread: functions may take long, and the loop waits for none.

    A function that never returns keeps its thread, and so the process from ending: Python cannot stop it.
    """

    def __init__(self) -> None:
        self._versions: Versions = {}
        self._threads: Final = ThreadPoolExecutor(_THREADS, thread_name_prefix="kubewright-conversion")

    def add(self, *kinds: type[Resource]) -> None:
        """Convert between the versions of these kinds too. Raises DeclarationError; see `versions_of`."""
        # A new table, because threads read the present one.
        self._versions = {**self._versions, **versions_of(*kinds)}

    async def __call__(self, body: bytes, within: float | None = None) -> bytes:
        """Answer a review. Raises DecodeError for a body that is none.

        No thread can be stopped, so that `within` changes nothing: callers stop waiting by themselves.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, review, self._versions, body)

    def close(self) -> None:
        """Begin no further conversion; those under way end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)
