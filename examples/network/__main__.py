"""The command line of the example."""

from __future__ import annotations

import logging
import sys

import click

from examples.clusters import cluster_options, connected, run
from examples.network.story import install, serve, tell


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@cluster_options
def main(kubeconfig: str | None, context: str | None) -> None:
    """Run a controller that gives each Network its addresses, as long as no other one has them.

    Without options it runs on a cluster in the process, shows what it does, and ends. On another one, it
    installs the definition networks.samplecrd.k8s.io, which stays, and runs until Ctrl-C or SIGTERM.

    \b
    Example:
      python -m examples.network --context kind-kind
    """

    async def program() -> None:
        async with connected(kubeconfig, context) as client:
            await install(client)
            if kubeconfig is None and context is None:
                await tell(client)
            else:
                await serve(client)

    # The story tells by itself what the controller would.
    level = logging.INFO if kubeconfig is not None or context is not None else logging.WARNING
    logging.basicConfig(stream=sys.stdout, format="%(message)s", level=level)
    run(program())


if __name__ == "__main__":
    main(prog_name="python -m examples.network")
