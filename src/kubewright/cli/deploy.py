"""`kubewright deploy` and `undeploy`: the operator and all that it needs, into a cluster and out of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kubewright.cli.connect import cluster_options, connected
from kubewright.cli.deployment.progress import Progress
from kubewright.cli.deployment.timeouts import timeout_option
from kubewright.cli.errors import WrongUse, one_sentence
from kubewright.cli.output import output_option
from kubewright.machinery.errors import KubewrightError

if TYPE_CHECKING:
    from kubewright.client.manifests import Manifest

__all__ = ["deploy", "undeploy"]

_directory_option: Final = click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("config/default"),
    show_default=True,
    help="The kustomization that has everything.",
)


@click.command()
@cluster_options
@click.option("--image", metavar="IMAGE", help="The operator's image, such as registry/operator-demo:v1.")
@_directory_option
@click.option("--wait/--no-wait", default=True, show_default=True, help="Wait until its pods are available.")
@timeout_option(180.0)
@click.option("--dry-run", is_flag=True, help="Have the server check everything, and change nothing.")
@click.option("--force", is_flag=True, help="Also where objects of the cluster break by it.")
@click.option("--force-conflicts", is_flag=True, help="Take fields over that other managers own.")
@output_option
def deploy(
    *,
    kubeconfig: str | None,
    context: str | None,
    image: str | None,
    directory: Path,
    wait: bool,
    timeout: float,
    dry_run: bool,
    force: bool,
    force_conflicts: bool,
    output: str,
) -> None:
    """Deploy the operator to a cluster.

    With it go its namespace, definitions, rights and webhooks: the objects of config/default, rendered by
    kubectl or kustomize, and applied by server-side apply; nothing is deleted. Nothing is applied when fields
    belong to other managers. The command ends when the pods are available, and says why if they are not.

    \b
    Example:
      kubewright deploy --image registry/operator-demo:v1
      kubewright deploy --image registry/operator-demo:v1 --dry-run --output json
    """
    from kubewright.cli.deployment.deploying import deploy_manifests  # noqa: PLC0415 - the help needs none of it

    progress = Progress(output, dry_run=dry_run)
    with progress.reported("deploy"), one_sentence():
        manifests = _manifests(directory, image, progress=progress)
        with connected(kubeconfig, context) as client:
            deploy_manifests(
                client,
                manifests,
                progress=progress,
                force=force,
                force_conflicts=force_conflicts,
                wait=wait,
                dry_run=dry_run,
                timeout=timeout,
            )


@click.command()
@cluster_options
@_directory_option
@click.option("--keep-crds", is_flag=True, help="Leave the definitions, and with them all objects.")
@click.option("--yes", "-y", is_flag=True, help="Delete what goes with it without asking.")
@timeout_option(120.0)
@output_option
def undeploy(
    *,
    kubeconfig: str | None,
    context: str | None,
    directory: Path,
    keep_crds: bool,
    yes: bool,
    timeout: float,
    output: str,
) -> None:
    """Take the operator out of a cluster.

    Its definitions and all objects of its kinds go first, while the operator still runs and does what its
    finalizers are for; its namespace goes last. Where there are objects, or others have something in the
    namespace, it asks, or without a terminal wants --yes. What is not there is no error.

    \b
    Example:
      kubewright undeploy
      kubewright undeploy --keep-crds
    """
    from kubewright.cli.deployment.rendering import render  # noqa: PLC0415 - the help needs none of it
    from kubewright.cli.deployment.undeploying import undeploy_manifests  # noqa: PLC0415 - as above

    progress = Progress(output)
    with progress.reported("undeploy"), one_sentence():
        with one_sentence(WrongUse):
            manifests = render(directory)
        with connected(kubeconfig, context) as client:
            undeploy_manifests(
                client,
                manifests,
                progress=progress,
                yes=yes,
                keep_definitions=keep_crds,
                timeout=timeout,
            )


def _manifests(directory: Path, image: str | None, *, progress: Progress) -> list[Manifest]:
    """The objects to deploy, with the image in them."""
    from kubewright.cli.deployment.checking import refuse_twice  # noqa: PLC0415 - the help needs none of it
    from kubewright.cli.deployment.rendering import (  # noqa: PLC0415 - as above
        PLACEHOLDER,
        check_image,
        has_placeholder,
        render,
        set_image,
    )

    with one_sentence(WrongUse):
        if image is not None:
            check_image(image)
        manifests = render(directory)
        refuse_twice(manifests)
        if image is not None:
            set_image(manifests, image)
            progress.details["image"] = image
        elif has_placeholder(manifests):
            raise WrongUse(
                f"the image {PLACEHOLDER}:latest only stands for the operator's own; give --image, such as "
                "--image registry/operator-demo:v1"
            )
    _note_stale(progress)
    return manifests


def _note_stale(progress: Progress) -> None:
    """Tell when the manifests are not those that the code would give."""
    from kubewright.cli.deployment.project_definitions import stale_manifests  # noqa: PLC0415 - the help needs none

    try:
        stale = stale_manifests(Path())
    except KubewrightError as error:
        told = " ".join(str(error).split())
        progress.note(f"whether the manifests are those of the code was not checked: {told}")
        return
    if stale:
        progress.note(f"{', '.join(stale)} differ from the code; write them anew with `kubewright manifests`")
