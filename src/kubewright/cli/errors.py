"""How commands end when something is wrong: one sentence on standard error, and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from kubewright.machinery.errors import KubewrightError

__all__ = ["one_sentence"]


@contextmanager
def one_sentence(refused: type[click.ClickException] = click.ClickException) -> Iterator[None]:
    """Make of a KubewrightError, or of a file that cannot be read or written, the end of the command.

    `refused` has the exit code, which is 1 unless it says another. A reader of standard output that wants no
    more is left to click, which ends without a word.
    """
    try:
        yield
    except KubewrightError as error:
        told = " ".join(str(error).split())
    except BrokenPipeError:
        raise
    except OSError as error:
        # What has no name is a stream.
        place = error.filename if error.filename is not None else "standard output"
        told = f"{error.strerror or error}: {place}; name another path"
    else:
        return
    raise refused(told)
