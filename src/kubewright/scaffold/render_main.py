"""The program of a project: `__main__.py`."""

from __future__ import annotations

from collections.abc import Sequence

from kubewright.scaffold.record import ProjectRecord
from kubewright.scaffold.render_kinds import Kind, Names
from kubewright.scaffold.render_text import fill, from_imports, lines

__all__ = ["render_main"]


def render_main(record: ProjectRecord, names: Names, kinds: Sequence[Kind]) -> str:
    """The text of the module; webhooks add an option, and who serves them."""
    own = {f"{names.package}.controllers": ["setup"]}
    library = {
        "kubewright": ["KubewrightError", "LeaderElection", "Manager"],
        "kubewright.controllers": ["logs"],
    }
    values = {
        "name": names.project,
        "package": names.package,
        "namespace": names.namespace,
        "lease": f"{names.project}.{record.domain}",
        **dict.fromkeys(
            ["stdlib", "webhook_options", "check", "server", "manager_options", "after_setup", "functions"],
            "",
        ),
    }
    if any(kind.asked or kind.converts for kind in kinds):
        own[f"{names.package}.webhooks"] = ["CONVERTED", "cluster_server", "local_server"]
        library["kubewright.webhooks"] = ["WebhookServer", "install_while_running"]
        values |= {
            "stdlib": "from functools import partial\nfrom typing import Literal\n",
            "webhook_options": fill("webhook_options.py", {}),
            "check": fill("webhook_check.py", {}),
            "server": "server = webhook_server(options.webhooks, namespace)\n",
            "manager_options": "webhooks=server,\n",
            "after_setup": _ask_here(names),
            "functions": fill("webhook_main.py", {}),
        }
    return fill("main.py", {**values, "own": from_imports(own), "library": from_imports(library)})


def _ask_here(names: Names) -> str:
    return lines(
        [
            'if server and options.webhooks == "local":',
            "    asked = partial(",
            "        install_while_running,",
            "        manager.client,",
            "        server,",
            f'        name="{names.project}",',
            "        converted=CONVERTED,",
            "    )",
            "    manager.add(asked, leader=False)",
        ]
    )
