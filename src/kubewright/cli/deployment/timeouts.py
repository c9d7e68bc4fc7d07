"""`--timeout`, for commands that wait for a cluster."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, TypeVar

import click

__all__ = ["timeout_option"]

F = TypeVar("F", bound=Callable[..., Any])


def timeout_option(seconds: float) -> Callable[[F], F]:
    """A decorator of commands: `--timeout`, as the parameter of that name; `seconds` unless it is given."""
    return click.option(
        "--timeout",
        type=float,
        callback=_checked,
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait for each step.",
    )


def _checked(context: click.Context, option: click.Parameter, seconds: float) -> float:
    """A time that is above 0 and ends, which what is no number is not."""
    if 0 < seconds < inf:
        return seconds
    raise click.BadParameter(f"{seconds:g} is no time; give seconds above 0, such as 60", context, option)
