"""What commands print: sentences for people, or one JSON document for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar

import click

from kubewright.machinery.printable import printable

__all__ = ["Notes", "format_option", "note", "output_option", "print_error", "print_result", "wants_json"]

F = TypeVar("F", bound=Callable[..., Any])

_WRITERS: Final = frozenset({"manifests", "generate"})
"""Commands whose --output is a place to write to, so that --format has the form of the result."""


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


def format_option(command: F) -> F:
    """A decorator of commands: `--format text|json`, as the parameter `form`, where --output is a place."""
    return click.option(
        "--format",
        "-o",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="How the result is printed.",
    )(command)


def wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether a command line asks for JSON, also one that cannot be parsed."""
    words = list(arguments)
    if "--" in words:
        words = words[: words.index("--")]
    name = "--format" if words[:1] and words[0] in _WRITERS else "--output"
    for word, value in pairwise([*words, ""]):
        if word in {f"{name}=json", "-ojson"}:
            return True
        is_short = word.startswith("-") and not word.startswith("--") and word.endswith("o")
        if value == "json" and (word == name or is_short):
            return True
    return False


def print_error(sentence: str) -> None:
    """Print the document of a command that failed, in one line, as `server` prints where it is."""
    import json  # noqa: PLC0415 - for scripts alone

    click.echo(json.dumps({"error": sentence}))


def print_result(output: str, data: Mapping[str, Any], lines: Iterable[str]) -> None:
    """Print the end of a command: `data` as JSON for scripts, or `lines` for people."""
    if output == "json":
        import json  # noqa: PLC0415 - for scripts alone

        click.echo(json.dumps(data, indent=2))
        return
    for line in lines:
        click.echo(printable(line))


class Notes:
    """What is said beside a result as it comes up, and kept for its document."""

    def __init__(self) -> None:
        self.sentences: Final[list[str]] = []

    def add(self, sentence: str) -> None:
        """Say something on standard error, and keep it."""
        self.sentences.append(sentence)
        note(sentence)


def note(sentence: str) -> None:
    """Say something beside the result, on standard error."""
    click.echo(printable(sentence), err=True)
