"""What a command has done to a cluster so far: told line by line, and as one JSON document at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from kubewright.cli.errors import mark_reported
from kubewright.machinery.printable import printable

if TYPE_CHECKING:
    from kubewright.machinery.gvk import GroupVersionKind

__all__ = ["Progress"]

_INTERRUPTED: Final = 130
"""The exit code of Ctrl-C: 128 and the number of SIGINT, as shells have it."""


class Progress:
    """Tells what is done as it is done, and keeps it for the JSON document.

    Lines go to standard output; with `output="json"` they go to standard error, so that standard output has
    the document alone.
    """

    def __init__(self, output: str, *, dry_run: bool = False) -> None:
        self._json: Final = output == "json"
        self._mark: Final = " (dry run)" if dry_run else ""
        """What the lines of objects end with, so that nobody takes for done what is not."""
        self._objects: Final[list[dict[str, str]]] = []
        self._notes: Final[list[str]] = []
        self.details: Final[dict[str, Any]] = {"dryRun": True} if dry_run else {}
        """What the JSON document has besides objects and notes."""

    def done(self, gvk: GroupVersionKind, name: str, namespace: str, result: str) -> None:
        """Something was done to an object: `created`, `configured`, `unchanged`, `deleted` or `not found`."""
        entry = {"apiVersion": gvk.api_version, "kind": gvk.kind, "name": name, "result": result}
        self._objects.append({**entry, "namespace": namespace} if namespace else entry)
        resource = f"{gvk.kind.lower()}.{gvk.group}" if gvk.group else gvk.kind.lower()
        self.say(f"{resource}/{name} {result}{self._mark}")

    def say(self, line: str) -> None:
        """A line of text that is no part of the result."""
        click.echo(printable(line), err=self._json)

    def note(self, sentence: str) -> None:
        """What whoever deploys should know."""
        self._notes.append(sentence)
        click.echo(printable(f"note: {sentence}"), err=True)

    @contextmanager
    def reported(self, command: str) -> Iterator[None]:
        """The whole of a command, whose JSON document is printed however it ends.

        After Ctrl-C the exit code is 130, and what is done stays done: commands can be given again.
        """
        done = "nothing was changed" if self._mark else "what is told above is done"
        told = f"interrupted; {done}, and `kubewright {command}` goes on from there"
        try:
            yield
        except (click.Abort, SystemExit):  # Ctrl-C at a question, and SIGTERM
            self._print(told)
            raise
        except KeyboardInterrupt:
            self._print(told)
            click.echo(f"Error: {told}", err=True)
            sys.exit(_INTERRUPTED)
        except click.ClickException as error:
            self._print(error.format_message())
            mark_reported(error)
            raise
        self._print(None)

    def _print(self, error: str | None) -> None:
        if not self._json:
            return
        document = {"objects": self._objects, **self.details, "notes": self._notes}
        click.echo(json.dumps(document if error is None else {**document, "error": error}, indent=2))
