"""`kubewright generate`: Python source from definitions of the API."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kubewright.cli.completion import complete_sources
from kubewright.cli.connect import cluster_options, connected
from kubewright.cli.errors import one_sentence
from kubewright.cli.lazy import LazyGroup
from kubewright.cli.output import Notes, format_option, print_result

if TYPE_CHECKING:
    from kubewright.codegen.type_sources import Sources
    from kubewright.sync import Client

__all__ = ["generate"]


_COMMANDS: Final = {
    "Commands": {
        "types": (
            "kubewright.cli.generate:types",
            "Write Python types of custom resources, or of all kinds that a cluster serves.",
        ),
        "client": (
            "kubewright.cli.generate_client:client",
            "Write a clientset, an informer factory and listers for the project's own kinds.",
        ),
    }
}


@click.group(cls=LazyGroup, sections=_COMMANDS)
def generate() -> None:
    """Generate Python source: types of CRDs, clients.

    \b
    Example:
      kubewright generate types --from crds.yaml --output src/kinds
      kubewright generate client
    """


@click.command()
@click.option(
    "--from",
    "source",
    required=True,
    metavar="FILE|DIR|cluster",
    shell_complete=complete_sources,
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
@format_option
@cluster_options
def types(
    source: str,
    openapi: bool,
    groups: tuple[str, ...],
    builtin: bool,
    output: Path,
    form: str,
    kubeconfig: str | None,
    context: str | None,
) -> None:
    """Write Python types of custom resources, or of all kinds that a cluster serves.

    Modules that were generated before are replaced, those that a person wrote never.

    \b
    Examples:
      kubewright generate types --from crds.yaml --output src/kinds
      kubewright generate types --from cluster --openapi --group metrics.k8s.io --output src/kinds
    """
    if source != "cluster" and (kubeconfig is not None or context is not None):
        raise click.UsageError("--kubeconfig and --context are for --from cluster.")
    if openapi and source != "cluster":
        raise click.UsageError("--openapi is for --from cluster; files tell by themselves what they are.")
    wanted = tuple("" if group == "core" else group for group in groups)
    notes = Notes()
    with one_sentence():
        if source == "cluster":
            with connected(kubeconfig, context) as client:
                found = _of_cluster(client, openapi=openapi or builtin, groups=wanted, note=notes.add)
        else:
            found = _of_files(source, note=notes.add)
        written = _write(found, output, groups=wanted, builtin=builtin, note=notes.add)
    lines = [f"wrote {path}" for path in written] or [f"{output} is up to date"]
    print_result(form, {"written": list(map(str, written)), "notes": notes.sentences}, lines)


def _of_files(source: str, *, note: Callable[[str], None]) -> Sources:
    from kubewright.codegen.type_sources import Sources  # noqa: PLC0415 - the help needs none of it

    if source == "-":
        return Sources.of_bytes(sys.stdin.buffer.read(), "standard input", note=note)
    return Sources.of_path(Path(source), note=note)


def _write(
    found: Sources,
    output: Path,
    *,
    groups: tuple[str, ...],
    builtin: bool,
    note: Callable[[str], None],
) -> list[Path]:
    """Write the package with the types of what was found; returns the files that were written."""
    from kubewright.codegen.crd_files import write_files  # noqa: PLC0415 - as above
    from kubewright.codegen.type_sources import type_files_of  # noqa: PLC0415 - as above

    return write_files(output, type_files_of(found, groups=groups, builtin=builtin, note=note))


def _of_cluster(
    client: Client, *, openapi: bool, groups: tuple[str, ...], note: Callable[[str], None]
) -> Sources:
    """The OpenAPI v3 documents of a cluster, or its definitions."""
    from kubewright.codegen.type_sources import Sources  # noqa: PLC0415 - as above

    if not openapi:
        return Sources(definitions=_definitions(client, note=note))
    from kubewright.codegen.openapi_documents import cluster_documents  # noqa: PLC0415 - as above

    def fetch(path: str) -> bytes:
        return client.raw("GET", path).body

    return Sources(documents=cluster_documents(fetch, groups=groups, note=note))


def _definitions(client: Client, *, note: Callable[[str], None]) -> list[dict[str, Any]]:
    from kubewright.codegen.crd_files import definitions_of  # noqa: PLC0415 - as above
    from kubewright.machinery.errors import ParseError  # noqa: PLC0415 - as above
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - as above

    found = [each.to_dict() for each in client.api(CustomResourceDefinition).list()]
    if not found:
        raise ParseError("the cluster has no CustomResourceDefinitions; install some, or name a file")
    return definitions_of(found, note=note)
