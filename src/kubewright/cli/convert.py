"""`kubewright convert`: manifests of older Kubernetes versions in today's form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from kubewright.cli.errors import one_sentence
from kubewright.cli.lazy import LazyGroup
from kubewright.cli.output import note
from kubewright.machinery.errors import ParseError

__all__ = ["convert"]


_COMMANDS: Final = {
    "Commands": {
        "crd": (
            "kubewright.cli.convert:crd",
            "Turn CustomResourceDefinitions of v1beta1 into v1 ones, on standard output.",
        )
    }
}


@click.group(cls=LazyGroup, sections=_COMMANDS)
def convert() -> None:
    """Bring older manifests to today's form.

    \b
    Example:
      kubewright convert crd old.yaml > crd.yaml
    """


@click.command()
@click.argument("file", type=click.Path(allow_dash=True, dir_okay=False, path_type=Path))
@click.option("--prune", is_flag=True, help="Drop fields that no schema names, also where v1beta1 kept them.")
def crd(file: Path, *, prune: bool) -> None:
    """Turn CustomResourceDefinitions of v1beta1 into v1 ones, on standard output.

    What could not be carried over is said on standard error, one sentence each. FILE may hold several
    documents; those that are no v1beta1 definition stay as they are. Comments are lost. FILE may be `-`.

    \b
    Example:
      kubewright convert crd old.yaml > crd.yaml
    """
    with one_sentence():
        data = _read(file)
        try:
            text, notes = _converted(data, prune=prune)
        except ParseError as error:
            raise ParseError(f"{file}: {error}") from None
        for sentence in notes:
            note(sentence)
        click.echo(text, nl=False)


def _read(file: Path) -> bytes:
    return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()


def _converted(data: bytes, *, prune: bool) -> tuple[str, list[str]]:
    """The converted documents, and what there is to say. Raises ParseError when there are none to convert."""
    from kubewright.codegen.crd_convert import (  # noqa: PLC0415 - the help needs none of it
        V1BETA1,
        convert_definition,
        is_definition,
    )
    from kubewright.machinery import yaml  # noqa: PLC0415 - as above

    notes: list[str] = []
    documents = list(yaml.load_all(data))
    if not any(is_definition(document, V1BETA1) for document in documents):
        raise ParseError(f"there is no CustomResourceDefinition of {V1BETA1} in it; name a file that has one")
    made = [
        convert_definition(document, prune=prune, note=notes.append)
        if is_definition(document, V1BETA1)
        else document
        for document in documents
    ]
    return yaml.dump_all(made), notes
