"""The command `kubewright`."""

from __future__ import annotations

from typing import Final

import click

from kubewright.cli.program import Program
from kubewright.version import __version__

__all__ = ["main"]

_COMMANDS: Final = {
    "Project": {
        "init": (
            "kubewright.cli.init:init",
            "Make a project for an operator, in a new folder or in this one.",
        ),
        "create": ("kubewright.cli.create:create", "Add a kind or its webhooks to a project."),
        "upgrade": (
            "kubewright.cli.upgrade:upgrade",
            "Bring the project to the scaffold of this version of kubewright.",
        ),
    },
    "Code": {
        "manifests": (
            "kubewright.cli.manifests:manifests",
            "Write CRDs, RBAC and webhook configurations from the code.",
        ),
        "generate": ("kubewright.cli.generate:generate", "Generate Python source: types of CRDs, clients."),
        "convert": ("kubewright.cli.convert:convert", "Bring older manifests to today's form."),
    },
    "Cluster": {
        "install": ("kubewright.cli.install:install", "Put the project's CRDs into a cluster."),
        "uninstall": ("kubewright.cli.install:uninstall", "Take the project's CRDs out of a cluster."),
        "run": ("kubewright.cli.run:run", "Run the operator from the source tree."),
        "deploy": ("kubewright.cli.deploy:deploy", "Deploy the operator to a cluster."),
        "undeploy": ("kubewright.cli.deploy:undeploy", "Take the operator out of a cluster."),
        "server": ("kubewright.cli.server:server", "Run a Kubernetes cluster on this machine."),
    },
    "Command line": {
        "completion": (
            "kubewright.cli.completion:completion",
            "Print the completion script of a shell.",
        ),
        "version": ("kubewright.cli.version:version", "Print the version of kubewright."),
    },
}
"""By the headings of the help, as an operator meets them; a line is the first one of the command's help."""


@click.group(cls=Program, sections=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="kubewright %(version)s")
def main() -> None:
    """Program Kubernetes in Python: make an operator, run it, and deploy it.

    \b
    Example, from an empty folder to a running operator:
      kubewright init --domain mock.com operator-demo && cd operator-demo
      kubewright create api --group zhhnzw --version v1 --kind CustomPod
      kubewright manifests
      kubewright run --embedded

    `kubewright COMMAND --help` shows an example of each command.
    """
