"""`kubewright install` and `uninstall`: the definitions of a project's kinds in a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kubewright.cli.connect import cluster_options, connected
from kubewright.cli.deployment.progress import Progress
from kubewright.cli.deployment.timeouts import timeout_option
from kubewright.cli.errors import WrongUse, one_sentence
from kubewright.cli.output import output_option
from kubewright.cli.project_folder import SAMPLES, samples_in

if TYPE_CHECKING:
    from kubewright.client.manifests import Manifest
    from kubewright.sync import Client

__all__ = ["install", "uninstall"]

_RUN_OPERATOR: Final = "run the operator, which does their work, with `kubewright run`"

_package_option: Final = click.option(
    "--package", metavar="NAME", help="The package that has the kinds.  [default: that of pyproject.toml]"
)


@click.command()
@cluster_options
@_package_option
@click.option("--samples", is_flag=True, help=f"Apply the objects of {SAMPLES} as well.")
@click.option("--force", is_flag=True, help="Also where objects of the cluster break by it.")
@click.option("--force-conflicts", is_flag=True, help="Take fields over that other managers own.")
@timeout_option(60.0)
@output_option
def install(
    *,
    kubeconfig: str | None,
    context: str | None,
    package: str | None,
    samples: bool,
    force: bool,
    force_conflicts: bool,
    timeout: float,
    output: str,
) -> None:
    """Put the project's CRDs into a cluster.

    The definitions are taken from the code, so that they are never out of date, and are served when the
    command ends. Refused are changes that would break objects in the cluster, and those of a definition that
    is from a newer version of the project; the exit code is 1 then.

    \b
    Example:
      kubewright install
      kubewright install --samples --context staging
    """
    progress = Progress(output)
    with progress.reported("install"), one_sentence():
        manifests = _definitions(package, progress)
        objects = _samples() if samples else []
        with connected(kubeconfig, context) as client:
            _install(
                client,
                manifests,
                objects,
                progress=progress,
                force=force,
                force_conflicts=force_conflicts,
                timeout=timeout,
            )


@click.command()
@cluster_options
@_package_option
@click.option("--yes", "-y", is_flag=True, help="Delete objects of the kinds without asking.")
@timeout_option(60.0)
@output_option
def uninstall(
    *,
    kubeconfig: str | None,
    context: str | None,
    package: str | None,
    yes: bool,
    timeout: float,
    output: str,
) -> None:
    """Take the project's CRDs out of a cluster.

    All objects of the kinds go with the definitions. Where there are objects it asks, or without a terminal
    wants --yes. Objects with finalizers go when the operator has done its work; when nobody does it, the
    command says which objects wait for what.

    \b
    Example:
      kubewright uninstall
      kubewright uninstall --yes --timeout 120
    """
    from kubewright.cli.deployment.definitions import (  # noqa: PLC0415 - the help needs none of it
        confirm_loss,
        delete_definitions,
        lost_objects,
        present_definitions,
    )

    progress = Progress(output)
    with progress.reported("uninstall"), one_sentence():
        names = [each.name for each in _definitions(package, progress)]
        with connected(kubeconfig, context) as client:
            present = present_definitions(client, names)
            confirm_loss(lost_objects(client, present.values()), yes=yes, progress=progress)
            delete_definitions(client, names, progress=progress, timeout=timeout, remedy=_RUN_OPERATOR)


def _definitions(package: str | None, progress: Progress) -> list[Manifest]:
    from kubewright.cli.deployment.applying import DEFINITION  # noqa: PLC0415 - as above
    from kubewright.cli.deployment.project_definitions import definitions_in  # noqa: PLC0415 - the help needs none of it
    from kubewright.client.manifests import Manifest  # noqa: PLC0415 - as above

    with one_sentence(WrongUse):
        found = definitions_in(Path(), package)
    if not found:
        progress.note("the project declares no kinds; make one with `kubewright create api`")
    return [Manifest(each, DEFINITION, each["metadata"]["name"], "", "the code") for each in found]


def _samples() -> list[Manifest]:
    """The objects of the samples, in an order in which they can be applied."""
    from kubewright.cli.deployment.checking import refuse_twice  # noqa: PLC0415 - the help needs none of it
    from kubewright.client.manifests import in_install_order, read_manifests  # noqa: PLC0415 - as above

    with one_sentence(WrongUse):
        files = [
            file
            for file in sorted(samples_in(Path()).iterdir())
            if file.suffix in {".yaml", ".yml", ".json"} and file.stem != "kustomization"
        ]
        manifests = [each for file in files for each in read_manifests(file)]
        refuse_twice(manifests)
    return in_install_order(manifests)


def _install(
    client: Client,
    manifests: Sequence[Manifest],
    samples: Sequence[Manifest],
    *,
    progress: Progress,
    force: bool,
    force_conflicts: bool,
    timeout: float,
) -> None:
    from kubewright.cli.deployment.applying import apply_manifest  # noqa: PLC0415 - as above
    from kubewright.cli.deployment.checking import checked  # noqa: PLC0415 - as above
    from kubewright.cli.deployment.definitions import apply_definitions, refuse_harm  # noqa: PLC0415 - as above
    from kubewright.cli.deployment.installing import as_installed  # noqa: PLC0415 - as above

    manifests = as_installed(client, manifests, Path(), progress=progress)
    refuse_harm(client, manifests, progress=progress, force=force)
    found = checked(client, [*manifests, *samples], progress=progress, force=force_conflicts)
    manifests, samples = found[: len(manifests)], found[len(manifests) :]
    apply_definitions(client, manifests, progress=progress, force=force_conflicts, timeout=timeout)
    for each in samples:
        apply_manifest(client, each, progress=progress, force=force_conflicts, defined=True)
