"""The permissions of files, and whether the file system that they are on keeps any."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

__all__ = ["chmod_helps", "mode_of"]


def mode_of(path: Path) -> int:
    """The permissions of a file; none of what is not there or cannot be looked at, which reading it tells."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def chmod_helps(path: Path, bits: int) -> bool:
    """Whether permissions can be taken from a file or folder.

    They cannot where all files have the same ones, as on CIFS, exFAT and folders that virtual machines share.
    It is tried with another of its kind, beside the file or in the folder, which is removed again. Where none
    can be made nobody knows, and it is said to help.
    """
    is_folder = path.is_dir()
    probe = (path if is_folder else path.parent) / f".probe.{secrets.token_hex(8)}"
    make, remove, mode = (
        (probe.mkdir, probe.rmdir, 0o700) if is_folder else (probe.touch, probe.unlink, 0o600)
    )
    try:
        make(mode)
    except OSError:
        return True
    try:
        with suppress(OSError):  # Some of those file systems refuse it.
            probe.chmod(mode)
        return not mode_of(probe) & bits
    finally:
        with suppress(OSError):
            remove()
