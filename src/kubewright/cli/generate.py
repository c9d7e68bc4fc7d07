"""`kubewright generate`: Python source from definitions of the API."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kubewright.machinery.errors import KubewrightError

__all__ = ["generate"]


@click.group()
def generate() -> None:
    """Generate Python source."""


@generate.command()
@click.option(
    "--from",
    "source",
    required=True,
    metavar="FILE|DIR|cluster",
    help="CustomResourceDefinitions in YAML or JSON (- is standard input), or those of the current cluster.",
)
@click.option(
    "--output",
    default=".",
    show_default="the current folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The package to write: a module per group-version.",
)
def types(source: str, output: Path) -> None:
    """Write Python types of custom resources.

    Modules that were generated before are replaced, those that a person wrote never.

    \b
    Example:
      kubewright generate types --from crds.yaml --output src/kinds
    """
    try:
        _generate(source, output)
    except KubewrightError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        where = f": {error.filename}; name another path" if error.filename else ""
        raise click.ClickException(f"{error.strerror or error}{where}") from None


def _generate(source: str, output: Path) -> None:
    from kubewright.codegen.crd_files import (  # noqa: PLC0415 - the help needs none of it
        read_definitions,
        read_stream,
        write_files,
    )
    from kubewright.codegen.crd_types import type_files  # noqa: PLC0415 - as above

    def note(sentence: str) -> None:
        click.echo(sentence, err=True)

    if source == "cluster":
        found = _of_cluster(note)
    elif source == "-":
        found = read_stream(sys.stdin.buffer, note=note)
    else:
        found = read_definitions(Path(source), note=note)
    files = type_files(found, note=note)
    written = write_files(output, files)
    for path in written:
        click.echo(f"wrote {path}")
    if not written:
        click.echo(f"{output} is up to date")


def _of_cluster(note: Callable[[str], None]) -> list[dict[str, Any]]:
    """The definitions of the cluster to which the current context leads."""
    from kubewright.codegen.crd_files import definitions_of  # noqa: PLC0415 - as above
    from kubewright.machinery.errors import ParseError  # noqa: PLC0415 - as above
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - as above
    from kubewright.sync import Client  # noqa: PLC0415 - as above

    with Client() as client:
        found = [each.to_dict() for each in client.api(CustomResourceDefinition).list()]
    if not found:
        raise ParseError("the cluster has no CustomResourceDefinitions; install some, or name a file")
    return definitions_of(found, note=note)
