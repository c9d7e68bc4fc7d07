"""`kubewright version`."""

from __future__ import annotations

import sys

import click

from kubewright.cli.output import output_option, print_result
from kubewright.version import KUBERNETES_VERSION, __version__

__all__ = ["version"]


@click.command()
@output_option
def version(*, output: str) -> None:
    """Print the version of kubewright.

    In JSON with those of Python and of the Kubernetes whose kinds and behaviour it has.

    \b
    Example:
      kubewright version
      kubewright version --output json
    """
    data = {
        "kubewright": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "kubernetes": KUBERNETES_VERSION,
    }
    print_result(output, data, [f"kubewright {__version__}"])
