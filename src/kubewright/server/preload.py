"""Loading in a thread what a server needs last and waits for longest."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Final

__all__ = ["preload_http"]

_SERVER: Final = "aiohttp.web_server"

_READS_CERTIFICATES: Final = "aiohttp.connector"
"""The module of aiohttp that reads all of the system's certificates when it is imported."""

_STEP: Final = 0.002
"""Seconds between two looks at how far the thread is; a small part of the time that it takes."""


@contextmanager
def preload_http() -> Iterator[None]:
    """Import aiohttp beside what the block does.

    aiohttp reads the system's certificates when it is imported, which takes a fifth of the start of a server,
    and while OpenSSL does that, Python can run other code. The block begins when it does, not before: two
    threads that both import hold each other up. Whoever imports aiohttp in the block waits for the thread;
    what goes wrong in the thread goes wrong there again. The end of the block waits for it, too, unless the
    process ends.
    """
    thread = threading.Thread(target=_load, name="kubewright-preload", daemon=True)
    thread.start()
    while thread.is_alive() and _READS_CERTIFICATES not in sys.modules:
        thread.join(_STEP)
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        # Where a signal raises them amid an import, the lock of imports may stay taken: the thread would wait
        # for it for ever, and this for the thread.
        raise
    except BaseException:
        thread.join()
        raise
    thread.join()


def _load() -> None:
    try:
        import_module(_SERVER)
    except ImportError:
        # Told where it is imported in earnest.
        return
