"""The command line of the example."""

from __future__ import annotations

import click

from examples.clusters import cluster_options, connected, run
from examples.project.story import tell


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-n", "--namespace", default="default", show_default=True, help="Where projects are made.")
@cluster_options
def main(namespace: str, kubeconfig: str | None, context: str | None) -> None:
    """Define, install, create, list, watch and cache a custom resource, Project.

    Without options it runs on a cluster in the process. On another one, it installs the definition
    projects.examples-gzh.com and makes the projects "website" and "database", and deletes all of that when it
    ends, also with Ctrl-C. What was there before stays.

    \b
    Example:
      python -m examples.project --context kind-kind
    """

    async def program() -> None:
        async with connected(kubeconfig, context) as client:
            await tell(client, namespace)

    run(program())


if __name__ == "__main__":
    main(prog_name="python -m examples.project")
