"""How commands end when something is wrong: one sentence on standard error, and an exit code."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.printable import printable

__all__ = [
    "TRACEBACK",
    "WrongUse",
    "is_reported",
    "mark_reported",
    "one_sentence",
    "sentence_of",
    "show_error",
    "told",
]

TRACEBACK: Final = "KUBEWRIGHT_TRACEBACK"
"""The environment variable that asks for the traceback of an error, before its sentence."""

_REPORTED: Final = "_kubewright_is_reported"
"""The attribute of errors that are in a JSON document already."""

# Not by pathlib, which would take a tenth of the time that the help of the command has.
_PACKAGE: Final = __file__.removesuffix(f"cli{os.sep}errors.py")
_PARENT: Final = _PACKAGE.removesuffix(f"kubewright{os.sep}")

_OF_STREAMS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""What goes wrong with a stream that takes no more; of files they are told with a name, of sockets never."""


class WrongUse(click.ClickException):
    """What the caller has to mend in the call or in the folder, with the exit code of usage errors."""

    exit_code = 2


@contextmanager
def one_sentence(refused: type[click.ClickException] = click.ClickException) -> Iterator[None]:
    """Make of a KubewrightError, or of a file that cannot be read or written, the end of the command.

    `refused` has the exit code, which is 1 unless it says another; a file that is not there is always wrong
    use. A reader of standard output that wants no more is left to click, which ends without a word. What is
    neither is left alone: it is a bug.
    """
    try:
        yield
    except (BrokenPipeError, click.ClickException):
        raise
    except Exception as error:
        sentence = told(error)
        if sentence is None:
            raise
        raise (WrongUse if _is_wrong_path(_first(error)) else refused)(sentence) from error


def told(error: BaseException) -> str | None:
    """An error in one sentence; None for one that nobody foresaw."""
    first = _first(error)
    if isinstance(first, KubewrightError):
        return " ".join(str(first).split())
    if isinstance(first, OSError):
        return _system(first)
    return None


def _is_wrong_path(error: BaseException) -> bool:
    """Whether a path leads to nothing, or to something of another kind, which the caller has to correct."""
    if not isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError):
        return False
    return error.filename is not None  # Without a name it is the present folder, which was deleted.


def _system(error: OSError) -> str | None:
    told = error.strerror or " ".join(str(error).split())
    if not told:
        return None  # no error of the system, but a TimeoutError of Python
    if error.filename is not None:
        return f"{told}: {os.fsdecode(error.filename)}; name another path"
    if error.errno == errno.ENOENT:
        return "the present folder was deleted; go to another one"  # nothing else is not there without a name
    return f"{told}: standard output; name another path" if error.errno in _OF_STREAMS else told


def mark_reported(error: BaseException) -> None:
    """Remember of an error that it is in the JSON document of its command, which is printed."""
    setattr(error, _REPORTED, True)


def is_reported(error: BaseException) -> bool:
    """Tell whether an error is in the JSON document of its command."""
    return getattr(error, _REPORTED, False) is True


def sentence_of(error: Exception) -> str:
    """Return an error that nobody has caught in one sentence."""
    first = _first(error)
    return _usage(first) if isinstance(first, click.ClickException) else told(first) or _bug(first)


def show_error(error: Exception, *, color: bool | None) -> int:
    """Print an error that nobody has caught as one line on standard error; returns the exit code.

    With $KUBEWRIGHT_TRACEBACK its traceback comes first.
    """
    first = _first(error)
    # Of a group of click's own that is called without a command; not every version of click has it.
    if isinstance(first, click.UsageError) and type(first).__name__ == "NoArgsIsHelpError":
        first.show()
        return first.exit_code
    if not isinstance(first, click.UsageError) and os.environ.get(TRACEBACK, "0") not in {"", "0"}:
        import traceback  # noqa: PLC0415 - for errors alone

        click.echo(printable("".join(traceback.format_exception(error))), err=True, nl=False)
    # Servers and files have a part in it, and may not steer the terminal.
    shown = f"{click.style('Error:', fg='red', bold=True)} {printable(sentence_of(error))}"
    click.echo(shown, err=True, color=color)
    return first.exit_code if isinstance(first, click.ClickException) else 1


def _usage(error: click.ClickException) -> str:
    """What click has to say, in one line; where it is about the call, with where to read about it."""
    sentence = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None or ";" in sentence or sentence.endswith(("?", "?)")):
        return sentence  # has its remedy
    return f"{sentence.removesuffix('.')}; see `{context.command_path} --help`"


def _bug(error: BaseException) -> str:
    """What to do about an error that is kubewright's own; its text may hold anything, secrets too."""
    place, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(_PACKAGE):
            place = f" in {file.removeprefix(_PARENT)}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return (
        f"unexpected {type(error).__name__}{place}, which is a bug of kubewright; "
        f"report it, with what {TRACEBACK}=1 shows"
    )


def _first(error: BaseException) -> BaseException:
    """What went wrong first, in tasks that end together."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
