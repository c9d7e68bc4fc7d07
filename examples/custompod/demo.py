"""The demo of the project, `make demo`: a cluster, a kind, its operator, and its pods as they come and go."""

from __future__ import annotations

import os
import signal
import sys

ABOUT = """\
Show an operator at work, on a cluster in the process: on a terminal as a table that changes, elsewhere as a
line for each change.
"""


def main() -> None:
    """The command line of the demo."""
    _end_at_once()
    # Loaded here, so that Ctrl-C is heard meanwhile.
    import argparse  # noqa: PLC0415 - see above

    parser = argparse.ArgumentParser(prog="python -m examples.custompod.demo", description=ABOUT)
    told = "keep the cluster and its operator until Ctrl-C, for kubectl"
    parser.add_argument("--stay", action="store_true", help=told)
    stay: bool = parser.parse_args().stay

    from examples.clusters import run  # noqa: PLC0415 - see above
    from examples.custompod.demonstration import demonstrate  # noqa: PLC0415 - see above

    ended = False

    async def program() -> None:
        nonlocal ended
        await demonstrate(stay=stay)
        ended = True

    _end_in_order()
    run(program())
    if not ended:
        _say_stopped()


def _end_at_once() -> None:
    """Have Ctrl-C end the process: nothing was begun. What ignores it, as in the background, still does."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def _end_in_order() -> None:
    """Have Ctrl-C cancel what runs, which is what asyncio makes of Python's own handler."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _stop(number: int, frame: object) -> None:
    del number, frame
    _say_stopped()
    os._exit(0)


def _say_stopped() -> None:
    # On a terminal, over the ^C that it writes.
    print("\r\x1b[Kstopped" if sys.stdout.isatty() else "stopped", flush=True)


if __name__ == "__main__":
    main()
