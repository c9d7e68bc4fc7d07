"""The command `kubewright`."""

from __future__ import annotations

import click

from kubewright.cli.convert import convert
from kubewright.cli.generate import generate
from kubewright.cli.manifests import manifests
from kubewright.cli.server import server
from kubewright.version import __version__

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="kubewright %(version)s")
def main() -> None:
    """Program Kubernetes in Python."""


@main.command()
def version() -> None:
    """Print the version of kubewright.

    \b
    Example:
      kubewright version
    """
    click.echo(f"kubewright {__version__}")


main.add_command(convert)
main.add_command(generate)
main.add_command(manifests)
main.add_command(server)
