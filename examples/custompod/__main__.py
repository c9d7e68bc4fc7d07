"""The command line of the example."""

from __future__ import annotations

import logging
import sys

import click

from examples.clusters import cluster_options, connected, run
from examples.custompod.story import install_definition, serve, tell


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--webhooks", is_flag=True, help="Have the cluster ask the webhooks; it must run on this machine."
)
@cluster_options
def main(*, webhooks: bool, kubeconfig: str | None, context: str | None) -> None:
    """Run an operator that keeps as many pods for each CustomPod as it asks for.

    Without options it runs on a cluster in the process, shows what it does, and ends. On another one, it
    installs the definition custompods.zhhnzw.mock.com, which stays, and runs until Ctrl-C or SIGTERM.

    \b
    Example:
      python -m examples.custompod --context kind-kind
      kubectl apply -f examples/custompod/sample.yaml
      kubectl scale cpod web --replicas 3
    """

    async def program() -> None:
        async with connected(kubeconfig, context) as client:
            await install_definition(client)
            if kubeconfig is None and context is None:
                await tell(client)
            else:
                await serve(client, asked=webhooks)

    # What the operator says of itself, such as that a connection is tried again.
    logging.basicConfig(stream=sys.stdout, format="%(message)s", level=logging.INFO)
    run(program())


if __name__ == "__main__":
    main(prog_name="python -m examples.custompod")
