"""What msgspec notes on classes, made by one thread at a time.

msgspec puts what it knows of a class onto the class before it is complete, since types may be recursive. A
thread that makes a decoder meanwhile finds it there, uses it, and crashes the process. A decoder that is
complete may be used by any number of threads.
"""

from __future__ import annotations

from threading import RLock
from typing import Final

__all__ = ["TYPE_LOCK"]

TYPE_LOCK: Final = RLock()
"""Held while a decoder of classes is made; what classes carry is as global as they are."""
