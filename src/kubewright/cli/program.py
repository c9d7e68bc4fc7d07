"""The command as a process: its exit codes, its colours, and what it does when it is interrupted."""

from __future__ import annotations

import os
import signal
import sys
import time
from _thread import start_new_thread
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from threading import current_thread, main_thread
from typing import Any, Final

import click

from kubewright.cli.errors import is_reported, sentence_of, show_error
from kubewright.cli.lazy import LazyGroup
from kubewright.cli.output import print_error, wants_json

__all__ = ["Program"]

_NAME: Final = "kubewright"
"""However it was started: as a script or with `python -m`."""

_COMPLETE: Final = "_KUBEWRIGHT_COMPLETE"
"""The environment variable by which the scripts of `kubewright completion` ask, as click names it."""

_INTERRUPTED: Final = 130
"""What shells report of a program that Ctrl-C ended: 128 and the number of the signal."""

_SOON: Final = 0.02
"""Seconds until a signal is sent again: callbacks take microseconds."""

_MOST_CAUSES: Final = 8
"""How many causes of an error are looked at: more than our own code, click and Python make together."""


class Program(LazyGroup):
    """The outermost group; ends with 0, 1 for a failure, 2 for wrong use, 130 for Ctrl-C, 143 for SIGTERM."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line, and end the process; without `standalone_mode`, as click has it."""
        del prog_name, complete_var
        extra.setdefault("color", _color())
        words = sys.argv[1:] if args is None else list(args)
        if os.environ.get(_COMPLETE):
            from kubewright.cli.bash import register_bash  # noqa: PLC0415 - for completion alone

            register_bash()
        signals: list[int] = []
        try:
            with _signals_that_last(signals) if standalone_mode else nullcontext():
                ended = super().main(args, _NAME, _COMPLETE, standalone_mode=False, **extra)
        except BaseException as error:
            if not standalone_mode or isinstance(error, SystemExit | GeneratorExit):
                raise
            # Code of a project that was being loaded may have made another error of it.
            code = 128 + signals[0] if signals else self._end(error, extra["color"], words)
        else:
            if not standalone_mode:
                return ended
            code = ended if isinstance(ended, int) else 0
        sys.exit(code)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant, which is loaded by now; from here on Ctrl-C unwinds it."""
        found = super().resolve_command(ctx, args)
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL and current_thread() is main_thread():
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return found

    def _end(self, error: BaseException, color: bool | None, words: Sequence[str]) -> int:
        if os.environ.get(_COMPLETE):
            return 1  # words amid a line that is being typed would help nobody
        if _is_interrupt(error):
            return _INTERRUPTED
        if isinstance(error, click.Abort):
            return _abort(error, color)
        if isinstance(error, Exception):
            if wants_json(words) and not is_reported(error):
                with suppress(OSError):  # Standard output may be what went wrong.
                    print_error(sentence_of(error))
            return show_error(error, color=color)
        raise error


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether it is one, or was made of one: Python makes a RuntimeError of what is raised while a class is
    made, as in a module that is being loaded.
    """
    for _ in range(_MOST_CAUSES):
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ if error is not None else None
    return False


def _abort(error: click.Abort, color: bool | None) -> int:
    """The end by an interrupt, or of a question whose answer is no, or which nobody is there to answer."""
    if isinstance(error.__context__, EOFError):
        told = "standard input ended before there was an answer; give it by an option"
        return show_error(click.ClickException(told), color=color)
    if not isinstance(error.__context__, KeyboardInterrupt):
        return 1
    if error.__cause__ is None:
        click.echo(err=True)  # after a question; in all other places click has ended the line
    return _INTERRUPTED


@contextmanager
def _signals_that_last(came: list[int]) -> Iterator[None]:
    """An orderly end by SIGTERM, and no signal that is lost, which SIGINT might be as well.

    Python throws away what is raised in callbacks of weak references and in finalizers, and each module that
    is loaded has some. So the signal is sent again, when that is over.
    """
    before = sys.unraisablehook

    def note(told: sys.UnraisableHookArgs) -> None:
        if isinstance(told.exc_value, KeyboardInterrupt):
            start_new_thread(_send_soon, (signal.SIGINT,))
        elif isinstance(told.exc_value, SystemExit) and came:
            start_new_thread(_send_soon, (came[-1],))
        else:
            before(told)

    sys.unraisablehook = note
    try:
        with _orderly_termination(came):
            yield
    finally:
        sys.unraisablehook = before


def _send_soon(number: int) -> None:
    time.sleep(_SOON)
    os.kill(os.getpid(), number)


@contextmanager
def _orderly_termination(came: list[int]) -> Iterator[None]:
    """Have SIGTERM unwind the command as Ctrl-C does, so that nothing is left behind, and end it with 143.

    Once it `came`, that has its number. Not in threads, and not where somebody else handles it.
    """

    def terminate(number: int, frame: object) -> None:
        del frame
        came.append(number)
        sys.exit(128 + number)

    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _color() -> bool | None:
    """Whether to colour what is printed; None: where it goes to a terminal.

    By https://no-color.org and its counterpart, which many programs know: any value but an empty one counts.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return True if os.environ.get("FORCE_COLOR") else None
