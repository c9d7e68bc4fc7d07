"""The event loop for a server that has one to itself."""

from __future__ import annotations

import asyncio

__all__ = ["new_event_loop"]


def new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop's, which makes TLS and sockets a quarter cheaper, where it is installed; else asyncio's own."""
    try:
        import uvloop  # noqa: PLC0415 - there is none on some systems
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
