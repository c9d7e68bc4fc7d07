"""The high-water mark of a store: which revisions were acknowledged, kept apart from the database.

SQLite silently drops everything behind the first damaged frame of its write-ahead log, and takes an empty
file for a new database. The mark is how a store notices: a database that ends before the last acknowledged
revision has lost writes. It also bounds the revisions that can ever have been handed out, so that none is
used twice even after a loss.

A batch is marked after it is on disk and before it is acknowledged. That is a write without fsync: it
outlives the process, and after a power failure the mark may be behind the database but never ahead of it.
"""

from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from kubewright.server.storage.protocol import StorageDamaged

__all__ = ["ID_SIZE", "Mark", "sync_directory"]

ID_SIZE: Final = 16
"""The bytes of the identity that a database and its mark share; as many as of a UUID."""

RESERVED_AT_ONCE: Final = 1_000
"""How many revisions are reserved with one fsync. It costs a thousandth of an fsync per write, and bounds how
far revisions jump after a loss."""

_SLOT: Final = struct.Struct(f"<8s{ID_SIZE}sQQQ")
"""Magic bytes, identity, sequence number, acknowledged and reserved revision; a CRC-32 follows."""

_CHECKSUM: Final = struct.Struct("<I")
_MAGIC: Final = b"kwmark\0\1"
_SLOT_OFFSETS: Final = (0, 4096)
"""Two slots, written in turn, on different pages: a write that is cut off leaves the other one."""

_FILE_SIZE: Final = 8192


class Mark:
    """An open mark file. Its methods block for a write to the page cache; `reserve` at times for an fsync."""

    __slots__ = ("_descriptor", "_sequence", "acknowledged", "path", "reserved", "store_id")

    def __init__(
        self, path: Path, descriptor: int, store_id: bytes, sequence: int, acknowledged: int, reserved: int
    ) -> None:
        """Use `create` and `open`."""
        self.path: Final = path
        self._descriptor = descriptor
        self._sequence = sequence
        self.store_id: Final = store_id
        """The identity of the database that the mark is about."""
        self.acknowledged = acknowledged
        """The last revision that a client may have seen."""
        self.reserved = reserved
        """A bound of the revisions that were handed out: none above it was."""

    @classmethod
    def create(cls, path: Path, store_id: bytes, revision: int) -> Self:
        """Make a durable mark at a revision, in the place of the file that is there. Raises OSError."""
        temporary = path.with_name(path.name + ".new")
        with suppress(FileNotFoundError):
            temporary.unlink()
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            # Of its full size, so that later writes need no space on a disk that is full.
            os.pwrite(descriptor, bytes(_FILE_SIZE), 0)
            mark = cls(path, descriptor, store_id, 0, revision, revision)
            mark._write_all()
            temporary.rename(path)
            sync_directory(path.parent)
        except BaseException:
            os.close(descriptor)
            raise
        return mark

    @classmethod
    def open(cls, path: Path) -> Self | None:
        """Open the mark; None when there is no file. Raises StorageDamaged, OSError."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            slots = [_read_slot(descriptor, offset) for offset in _SLOT_OFFSETS]
            _, store_id, sequence, acknowledged, reserved = max(
                (slot for slot in slots if slot is not None), key=lambda slot: slot[2]
            )
        except ValueError:
            os.close(descriptor)
            raise StorageDamaged(f"{path} is damaged: neither of its copies is whole") from None
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, store_id, sequence, acknowledged, reserved)

    def reserve(self, revision: int) -> None:
        """See that a revision may be handed out, before it is. Raises OSError."""
        if revision <= self.reserved:
            return
        before, self.reserved = self.reserved, revision + RESERVED_AT_ONCE
        try:
            self._write_all()
        except OSError:
            self.reserved = before
            raise

    def acknowledge(self, revision: int) -> None:
        """Record that a revision is on disk, before a client learns of it. Raises OSError."""
        self.acknowledged = revision
        self._write_slot()

    def close(self) -> None:
        """Have the mark on disk, if that works, and close the file. May be called again."""
        if self._descriptor >= 0:
            with suppress(OSError):
                os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def _write_all(self) -> None:
        for _ in _SLOT_OFFSETS:
            self._write_slot()
        os.fsync(self._descriptor)

    def _write_slot(self) -> None:
        self._sequence += 1
        content = _SLOT.pack(_MAGIC, self.store_id, self._sequence, self.acknowledged, self.reserved)
        offset = _SLOT_OFFSETS[self._sequence % len(_SLOT_OFFSETS)]
        os.pwrite(self._descriptor, content + _CHECKSUM.pack(zlib.crc32(content)), offset)


def sync_directory(path: Path) -> None:
    """Make new names in a directory survive a power failure. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_slot(descriptor: int, offset: int) -> tuple[bytes, bytes, int, int, int] | None:
    data = os.pread(descriptor, _SLOT.size + _CHECKSUM.size, offset)
    if len(data) < _SLOT.size + _CHECKSUM.size:
        return None
    content, checksum = data[: _SLOT.size], data[_SLOT.size :]
    if _CHECKSUM.pack(zlib.crc32(content)) != checksum:
        return None
    magic, store_id, sequence, acknowledged, reserved = _SLOT.unpack(content)
    return (magic, store_id, sequence, acknowledged, reserved) if magic == _MAGIC else None
