"""What commands print: sentences for people, or one JSON document for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click

from kubewright.machinery.printable import printable

__all__ = ["note", "output_option", "print_result"]

F = TypeVar("F", bound=Callable[..., Any])


def output_option(command: F) -> F:
    """A decorator of commands: `--output text|json`, as the parameter `output`."""
    return click.option(
        "--output",
        "-o",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="How the result is printed.",
    )(command)


def print_result(output: str, data: Mapping[str, Any], lines: Iterable[str]) -> None:
    """Print the end of a command: `data` as JSON for scripts, or `lines` for people."""
    if output == "json":
        import json  # noqa: PLC0415 - for scripts alone

        click.echo(json.dumps(data, indent=2))
        return
    for line in lines:
        click.echo(printable(line))


def note(sentence: str) -> None:
    """Say something beside the result, on standard error."""
    click.echo(printable(sentence), err=True)
