"""`kubewright generate`: Python source from definitions of the API."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubewright.cli.errors import one_sentence
from kubewright.cli.generate_client import client

if TYPE_CHECKING:
    from kubewright.codegen.type_sources import Sources

__all__ = ["generate"]


@click.group()
def generate() -> None:
    """Generate Python source."""


generate.add_command(client)


@generate.command()
@click.option(
    "--from",
    "source",
    required=True,
    metavar="FILE|DIR|cluster",
    help="CustomResourceDefinitions, or OpenAPI v3 documents, in YAML or JSON (- is standard input); or the "
    "current cluster.",
)
@click.option(
    "--openapi",
    is_flag=True,
    help="Of a cluster: all kinds of its OpenAPI v3 that kubewright.models lacks, those of aggregated APIs "
    "too; without it, those of its CustomResourceDefinitions.",
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="GROUP",
    help="Kinds of this group only (core is the group without a name); may be given several times.",
)
@click.option(
    "--all",
    "builtin",
    is_flag=True,
    help="Of OpenAPI v3: the kinds that kubewright.models has too, as the cluster's version has them.",
)
@click.option(
    "--output",
    default=".",
    show_default="the current folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The package to write: a module per group-version.",
)
def types(source: str, openapi: bool, groups: tuple[str, ...], builtin: bool, output: Path) -> None:
    """Write Python types of custom resources, or of all kinds that a cluster serves.

    Modules that were generated before are replaced, those that a person wrote never.

    \b
    Examples:
      kubewright generate types --from crds.yaml --output src/kinds
      kubewright generate types --from cluster --openapi --group metrics.k8s.io --output src/kinds
    """
    if openapi and source != "cluster":
        raise click.UsageError("--openapi is for --from cluster; files tell by themselves what they are.")
    wanted = tuple("" if group == "core" else group for group in groups)
    with one_sentence():
        files = _type_files(source, openapi=openapi or builtin, groups=wanted, builtin=builtin)
        _write(files, output)


def _type_files(source: str, *, openapi: bool, groups: tuple[str, ...], builtin: bool) -> Mapping[str, str]:
    """File name → source text of the package to write."""
    from kubewright.codegen.type_sources import Sources, type_files_of  # noqa: PLC0415 - the help needs none

    if source == "cluster":
        found = _openapi_of_cluster(groups) if openapi else Sources(definitions=_of_cluster(_note))
    elif source == "-":
        found = Sources.of_bytes(sys.stdin.buffer.read(), "standard input", note=_note)
    else:
        found = Sources.of_path(Path(source), note=_note)
    return type_files_of(found, groups=groups, builtin=builtin, note=_note)


def _write(files: Mapping[str, str], output: Path) -> None:
    from kubewright.codegen.crd_files import write_files  # noqa: PLC0415 - as above

    written = write_files(output, files)
    for path in written:
        click.echo(f"wrote {path}")
    if not written:
        click.echo(f"{output} is up to date")


def _note(sentence: str) -> None:
    click.echo(sentence, err=True)


def _openapi_of_cluster(groups: tuple[str, ...]) -> Sources:
    """The OpenAPI v3 documents of the cluster to which the current context leads."""
    from kubewright.codegen.openapi_documents import cluster_documents  # noqa: PLC0415 - as above
    from kubewright.codegen.type_sources import Sources  # noqa: PLC0415 - as above
    from kubewright.sync import Client  # noqa: PLC0415 - as above

    with Client() as client:

        def fetch(path: str) -> bytes:
            return client.raw("GET", path).body

        return Sources(documents=cluster_documents(fetch, groups=groups, note=_note))


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
