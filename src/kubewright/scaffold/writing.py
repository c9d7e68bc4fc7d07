"""Many files changed as one: all of them, or none.

What is new is put beside its place first, where a full disk or a missing right is found out while nothing
has changed; then all of it is moved. If a move fails, those before it are taken back. Ctrl-C and SIGTERM wait
until that is over, which takes milliseconds. What is moved is on the disk by then, and the moves are when the
call returns: no file is ever empty or half written. A process that is killed outright, or a power cut, may
leave files moved and others not, in the order in which they were given.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from kubewright.scaffold.durable import sync_all
from kubewright.scaffold.errors import ScaffoldError

__all__ = ["STAGING_PREFIX", "make_folder", "place_of", "write_all"]

STAGING_PREFIX: Final = ".kubewright-staged-"
"""How folders are called in which files wait to be moved; one that stays was left by a killed process."""

_READ_ONLY: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What the file system answers if files cannot be made, moved or deleted in a folder."""

_HELD: Final = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


class _Move(NamedTuple):
    """What happens to one file."""

    place: Path
    new: Path | None
    """Where its new content waits; None if it is to be deleted."""
    old: Path | None
    """Where a copy of its old content is; None if there was no such file."""


def place_of(folder: Path, path: str) -> Path:
    """Where a file of a project is, links followed. Raises ScaffoldError for one outside of the project."""
    root = folder.resolve()
    try:
        place = root.joinpath(*PurePosixPath(path).parts).resolve()
    except (OSError, RuntimeError):  # Links in a circle, which Python 3.11 has no error of its own for.
        raise ScaffoldError(f"{path} is a link that leads nowhere; put a file there") from None
    if not place.is_relative_to(root):
        raise ScaffoldError(f"{path} leads out of the project, to {place}; put a file of its own there")
    return place


def write_all(folder: Path, files: Mapping[str, bytes | None]) -> None:
    """Write files of a folder, or delete those that are None, all or none, in this order.

    Files keep their modes, and links what they lead to. Folders are made as needed, and go with the last file
    in them. Raises ScaffoldError, and then nothing has changed.
    """
    with _signals_held(), _told(folder):
        for left in folder.glob(f"{STAGING_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        staging = Path(tempfile.mkdtemp(prefix=STAGING_PREFIX, dir=folder))
        try:
            moves = _staged(staging, folder, files)
            sync_all(move.new for move in moves if move.new is not None)
            _move_all(folder, moves)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def make_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with files in it, or nothing at all. Raises ScaffoldError, also if it is there."""
    with _signals_held(), _told(folder):
        staging = Path(tempfile.mkdtemp(prefix=STAGING_PREFIX, dir=folder.parent))
        try:
            made = staging / folder.name
            made.mkdir()
            for path, content in files.items():
                place = made / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            sync_all([made, *made.rglob("*")])
            made.rename(folder)
            try:
                sync_all([folder.parent])
            except OSError:
                folder.rename(made)
                raise
        finally:
            shutil.rmtree(staging, ignore_errors=True)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Have signals that end a program wait; one that came meanwhile has its effect afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Make a sentence of what the file system refuses."""
    try:
        yield
    except OSError as error:
        raise ScaffoldError(
            f"{_culprit(error, folder)} cannot be written: {error.strerror or error}; nothing was changed, "
            "so mend that and run this again"
        ) from None


def _culprit(error: OSError, folder: Path) -> Path:
    """Return what cannot be written: never a file that waits, and the folder where that is read-only."""
    # Of a move both names are given, of which the second is where the file goes.
    name = os.fsdecode(error.filename2 or error.filename or folder)
    before, staging, _ = name.partition(STAGING_PREFIX)
    if staging:
        return Path(before or folder).absolute()
    place = Path(name).absolute()
    return place.parent if error.errno in _READ_ONLY else place


def _staged(staging: Path, folder: Path, files: Mapping[str, bytes | None]) -> list[_Move]:
    """Put what is new, and a copy of what was there, beside their places."""
    moves = []
    for number, (path, content) in enumerate(files.items()):
        place = place_of(folder, path)
        new = old = None
        if content is not None:
            new = staging / f"{number}.new"
            new.write_bytes(content)
        if place.exists():
            old = staging / f"{number}.old"
            shutil.copy2(place, old)
            if new is not None:
                shutil.copymode(place, new)
        moves.append(_Move(place, new, old))
    return moves


def _move_all(folder: Path, moves: list[_Move]) -> None:
    """Move what waits into its places; what was moved goes back if something cannot be."""
    changed = []
    with contextlib.ExitStack() as undo:
        for move in moves:
            changed += [*_make_parents(move.place.parent, undo), move.place.parent]
            undo.callback(_put_back, move)
            if move.new is not None:
                move.new.replace(move.place)
            else:
                move.place.unlink(missing_ok=True)
        sync_all(changed)
        undo.pop_all()
    for move in moves:
        if move.new is None:
            _remove_empty(move.place.parent, folder.resolve())


def _make_parents(parent: Path, undo: contextlib.ExitStack) -> list[Path]:
    """Make a folder with those around it; returns the folders in which there is a new one."""
    missing: list[Path] = []
    while not parent.exists():
        missing.append(parent)
        parent = parent.parent
    for each in reversed(missing):
        each.mkdir()
        undo.callback(each.rmdir)
    return [each.parent for each in missing]


def _put_back(move: _Move) -> None:
    if move.old is not None:
        move.old.replace(move.place)
    else:
        move.place.unlink(missing_ok=True)


def _remove_empty(folder: Path, root: Path) -> None:
    while folder != root:
        try:
            folder.rmdir()
        except OSError:  # Something else is in it.
            return
        folder = folder.parent
