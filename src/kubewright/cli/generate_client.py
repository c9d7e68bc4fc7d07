"""`kubewright generate client`: a client for the kinds of a project."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import click

from kubewright.cli.errors import WrongUse, one_sentence
from kubewright.cli.output import Notes, format_option, print_result

__all__ = ["client"]


@click.command()
@click.option(
    "--package",
    metavar="PKG",
    help="The package that declares the kinds.  [default: package of [tool.kubewright] in pyproject.toml]",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The package to write.  [default: client in the package of the kinds]",
)
@format_option
def client(package: str | None, output: Path | None, *, form: str) -> None:
    """Write a clientset, an informer factory and listers for the project's own kinds.

    The package is looked for in the current folder and in its folder src, and all its modules are imported.
    Modules that were generated before are replaced, or deleted when nothing needs them any more; those that a
    person wrote never.

    \b
    Example:
      kubewright generate client --package operator_demo
    """
    with one_sentence(WrongUse):
        _generate(package, output, form)


def _generate(package: str | None, output: Path | None, form: str) -> None:
    from kubewright.codegen.client_files import generate_client  # noqa: PLC0415 - the help needs none of it

    # What modules print when they are imported is no answer of the command.
    notes = Notes()
    with contextlib.redirect_stdout(sys.stderr):
        place, (written, deleted) = generate_client(Path(), package, output, note=notes.add)
    data = {
        "written": [str(path) for path in written],
        "deleted": [str(path) for path in deleted],
        "notes": notes.sentences,
    }
    lines = [f"wrote {path}" for path in written]
    lines += (f"deleted {path}, which nothing needs any more" for path in deleted)
    print_result(form, data, lines or [f"{place} is up to date"])
