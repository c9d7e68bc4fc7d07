"""Runs of commands that bring a project to a cluster, inside the process, and projects for them."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner

from kubewright.cli import main
from kubewright.machinery.errors import NotFound
from kubewright.machinery.unstructured import Unstructured
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind
from kubewright.scaffold.render import render
from kubewright.sync import Api, Client
from kubewright.version import __version__
from tests.realcluster.binaries import find_kubectl
from tests.server.processes import PATIENCE

__all__ = [
    "Project",
    "Ran",
    "Server",
    "deployable",
    "needs_kubectl",
    "objects_of",
    "with_kubectl",
    "write_kind",
    "write_scaffold",
]

PACKAGE = "operator_demo"

needs_kubectl = pytest.mark.skipif(
    not (os.environ.get("CI") or os.environ.get("KUBEBUILDER_ASSETS") or shutil.which("kubectl")),
    reason="left out: no kubectl on PATH; make test-real builds one",
)

_KINDS = '''
    from typing import Annotated

    from kubewright import EMPTY, Field, Resource, Struct, custom_resource


    class CustomPodSpec(Struct):
        replicas: Annotated[int, Field(minimum=0, maximum=1000, default=1)] = 1


    @custom_resource(group="GROUP", version="v1")
    class CustomPod(Resource):
        """Keeps pods."""

        spec: CustomPodSpec = EMPTY
'''


class Server(Protocol):
    """What a command needs to know of a server."""

    @property
    def kubeconfig(self) -> str: ...


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What it printed, but for what it waits for: that is told where the cluster takes long, alone."""
        return [line for line in self.out.splitlines() if not line.startswith("waiting: ")]

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    def refusal(self, code: int = 1) -> str:
        """The one sentence that it refused with."""
        assert self.code == code, self
        told = [line for line in self.err.splitlines() if line.startswith("Error: ")]
        assert self.err.splitlines()[-1:] == told, self
        return told[0].removeprefix("Error: ")


@dataclass(frozen=True)
class Project:
    """A project's folder, and the cluster that its commands work on."""

    folder: Path
    kubeconfig: str

    def run(self, *arguments: str, answer: str | None = None, **environment: str) -> Ran:
        """A command in the folder; its code is imported anew."""
        with _in_folder(self.folder):
            ended = CliRunner().invoke(
                main, arguments, input=answer, env={"KUBECONFIG": self.kubeconfig, **environment}
            )
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return Ran(ended.exit_code, ended.stdout, ended.stderr)

    def ok(self, *arguments: str, **environment: str) -> Ran:
        """A command that has to succeed."""
        ran = self.run(*arguments, **environment)
        assert ran.code == 0, ran
        return ran

    def replace(self, old: str, new: str, path: str = f"src/{PACKAGE}/kinds.py") -> None:
        """Edit a file of the project."""
        file = self.folder / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def edit(self, path: str, changes: dict[str, str]) -> None:
        """Replace texts of a file, all of which it must have."""
        for old, new in changes.items():
            self.replace(old, new, path)

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))


def write_kind(folder: Path, group: str) -> None:
    """A project with one kind, CustomPod of a group."""
    package = folder / "src" / PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "kinds.py").write_text(textwrap.dedent(_KINDS.replace("GROUP", group)))
    (folder / "pyproject.toml").write_text(f'[tool.kubewright]\npackage = "{PACKAGE}"\n')


def objects_of(client: Client, group: str, namespace: str = "default") -> Api[Unstructured]:
    """The CustomPods of a group that was just defined: real servers tell of one after they serve it."""
    api = client.dynamic(f"{group}/v1", "CustomPod", namespace)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            api.endpoint()
        except NotFound:
            if time.monotonic() > deadline:
                raise
        else:
            return api


def with_kubectl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have kubectl on PATH."""
    monkeypatch.setenv("PATH", f"{find_kubectl().parent}{os.pathsep}{os.environ['PATH']}")


def deployable(folder: Path, name: str, kubeconfig: str) -> Project:
    """A scaffolded project with its manifests, whose pods are ready at once where they are pretended."""
    write_scaffold(folder, name)
    project = Project(folder, kubeconfig)
    project.ok("manifests")
    project.edit("config/manager/manager.yaml", {"initialDelaySeconds: 5": "initialDelaySeconds: 0"})
    return project


def write_scaffold(folder: Path, name: str) -> None:
    """A project as `kubewright init`, `create api` and `create webhook` make it."""
    kind = ScaffoldedKind(
        group=name, version="v1", kind="CustomPod", plural="custompods", webhooks=("defaulting", "validation")
    )
    record = ProjectRecord(
        name=name, package=PACKAGE, domain="example.com", kubewright=__version__, kinds=(kind,)
    )
    for path, file in render(record).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(file.text)


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Work in a folder, and forget afterwards what was imported there."""
    paths, known, before = list(sys.path), set(sys.modules), Path.cwd()
    bytecode = sys.dont_write_bytecode
    # What is edited within a second would be taken for what was compiled before.
    sys.dont_write_bytecode = True
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.dont_write_bytecode = bytecode
        sys.path[:] = paths
        for name in set(sys.modules) - known:
            if name.partition(".")[0] == PACKAGE:
                del sys.modules[name]
        importlib.invalidate_caches()
