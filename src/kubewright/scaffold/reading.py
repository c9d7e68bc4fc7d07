"""Files of a project, read with errors that say what to do about them."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

from kubewright.scaffold.errors import ScaffoldError
from kubewright.scaffold.writing import place_of

__all__ = ["read_file"]

_MAX_FILE: Final = 10_000_000
"""Bytes. The largest scaffolded file has a few thousand, so this is not a scaffolded file any more."""


def read_file(folder: Path, path: str) -> bytes | None:
    """Return the content of a file of the project; None if there is none. Raises ScaffoldError."""
    place = place_of(folder, path)
    try:
        status = place.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_FILE:
            raise ScaffoldError(
                f"{path} is no file of a size that can be merged; move it away, and run this again"
            )
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise ScaffoldError(f"{path} would be below something that is no folder; move that away") from None
    except OSError as error:
        raise ScaffoldError(f"{path} cannot be read: {error.strerror}; correct its permissions") from None
