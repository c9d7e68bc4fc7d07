"""Connections that come while what listens for them ends, and what of them the collector finds open."""

from __future__ import annotations

import contextlib
import gc
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

__all__ = ["coming", "left_open"]

_PATIENCE = 60.0
"""Seconds that a connection may take on a busy machine."""

_PAUSE = 0.0005
"""Seconds between two connections of a thread, so that the others get to something as well."""


@contextlib.contextmanager
def coming(address: str) -> Iterator[None]:
    """Connections to an address, one after the other, for as long as the block lasts."""
    ended = threading.Event()
    threads = [threading.Thread(target=_connect, args=[address, ended]) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _connect(address: str, ended: threading.Event) -> None:
    host, _, port = address.rpartition(":")
    while not ended.wait(_PAUSE):
        with contextlib.suppress(OSError):
            socket.create_connection((host, int(port)), timeout=_PATIENCE).close()


@contextlib.contextmanager
def left_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The transports and sockets that nobody has closed by the end of the block."""
    found: list[str] = []

    def note(told: Any) -> None:
        if isinstance(told.exc_value, ResourceWarning):
            found.append(str(told.exc_value))

    gc.collect()
    with monkeypatch.context() as patched:
        patched.setattr("sys.unraisablehook", note)
        yield found
        gc.collect()
