"""Files that are on the disk, and not only on their way to it, so that they are whole after a power cut."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from typing import Final

__all__ = ["sync_all"]

_AT_ONCE: Final = 8
"""How many are waited for together: the file system writes its journal once for all of them. Of 40 small
files on a disk with ext4 it takes a quarter of the time that one after the other takes.
"""

_NOT_FOR_FOLDERS: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EISDIR})
"""What file systems answer that write the names in folders by themselves, or cannot be asked to."""


def sync_all(places: Iterable[Path]) -> None:
    """Wait until files, and the names in folders, are on the disk. Raises OSError."""
    waiting = list(dict.fromkeys(places))
    failed: list[OSError] = []

    def work() -> None:
        while waiting and not failed:
            try:
                place = waiting.pop()
            except IndexError:  # Another one was quicker.
                return
            try:
                _sync(place)
            except OSError as error:
                failed.append(error)

    threads = [Thread(target=work) for _ in range(min(_AT_ONCE, len(waiting)))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if failed:
        raise failed[0]


def _sync(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS or not place.is_dir():
            error.filename = str(place)
            raise
    finally:
        os.close(descriptor)
