"""The programs in docs/generated-clients.md work as written, with the client that the command writes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.machinery import yaml
from kubewright.sync import Client
from kubewright.testing import Cluster
from tests.codegen.projects import KINDS, write_project
from tests.examples.programs import ROOT, WITHIN
from tests.server.processes import COMMAND

pytestmark = pytest.mark.slow

PAGE = Path(ROOT, "docs", "generated-clients.md").read_text()
SETTINGS, COMMANDS = (re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("toml", "console"))
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

DEFINITIONS = """
from kubewright.machinery import yaml
from operator_demo.kinds import Order
print(yaml.dump(Order.crd().to_dict()))
"""
AWAITING = """
import ast, asyncio, sys
program = compile(sys.stdin.read(), "docs/generated-clients.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
asyncio.run(eval(program))
"""


def run(folder: Path, *command: str | Path, given: str = "", **environment: str) -> str:
    """What a program prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=WITHIN,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), **environment},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_programs(tmp_path: Path) -> None:
    (settings,), (command,) = SETTINGS, COMMANDS
    files = {"src/operator_demo/__init__.py": "", "src/operator_demo/kinds.py": KINDS}
    folder = write_project(tmp_path, files, settings=settings)
    asked, _, written = command.partition("\n")
    _, *arguments = asked.removeprefix("$ ").split()
    assert run(folder, COMMAND, *arguments) == written
    definition = yaml.load(run(folder, sys.executable, "-c", DEFINITIONS))
    awaited, blocking = PROGRAMS
    with Cluster.in_thread(controllers="none") as cluster, Client(cluster.config) as client:
        definitions = client.apiextensions_v1.custom_resource_definitions()
        definitions.create(definition)
        definitions.wait_for("orders.shop.example.com", "Established", timeout=WITHIN)
        client.core_v1.namespaces().create({"metadata": {"name": "shop"}})
        orders = client.dynamic("shop.example.com/v1", "Order", "shop")
        for name, labels, size in (
            ("first", {"paid": "yes"}, 3),
            ("second", {}, 4),
            ("third", {"paid": "yes"}, 5),
        ):
            orders.create({"metadata": {"name": name, "labels": labels}, "spec": {"size": size}})
        environment = {"KUBECONFIG": cluster.kubeconfig}
        told = run(folder, sys.executable, "-c", AWAITING, given=awaited, **environment)
        assert told == "3\n8 8\n"
        assert run(folder, sys.executable, "-c", blocking, **environment) == "first\n"
