"""The settings, programs and commands of docs/manifests.md work as written."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.commands import run_command

PAGE = (Path(__file__).parents[2] / "docs" / "manifests.md").read_text()
RIGHTS, SETUP, WEBHOOKS, PROGRAM = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(SETTINGS,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
FIRST, CHECK, _ = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)

KINDS = """
from typing import Annotated

from kubewright import Field, Resource, Struct, custom_resource


class CustomPodSpec(Struct):
    replicas: Annotated[int, Field(maximum=1000)] = 1


@custom_resource(group="zhhnzw.mock.com", version="v1")
class CustomPod(Resource):
    spec: CustomPodSpec
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project of the page, its pieces in one module."""
    package = tmp_path / "src" / "operator_demo"
    package.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    (package / "__init__.py").touch()
    (package / "kinds.py").write_text(KINDS)
    heads = (
        "from kubewright.models.core_v1 import ConfigMap",
        "from operator_demo.kinds import CustomPod",
        "def users_of(settings): return ()",
    )
    (package / "controllers.py").write_text("\n".join((*heads, RIGHTS, WEBHOOKS, SETUP)))
    return tmp_path


def test_the_files(project: Path) -> None:
    ended = run_command("manifests", folder=project)
    written = "".join(line for line in FIRST.splitlines(keepends=True) if line.startswith("wrote "))
    assert (ended.returncode, ended.stdout) == (0, written)
    # The page registers one of its two webhooks.
    assert ended.stderr.startswith("mcustompod-v1.zhhnzw.mock.com is not written: ")
    role = (project / "config" / "rbac" / "role.yaml").read_text()
    for right in (
        "pods/log",
        "registry-token",
        "metrics.k8s.io",
        "/metrics",
        "nodes",
        "custompods",
    ):
        assert right in role


def test_the_check(project: Path) -> None:
    old = project / "released" / "crd.yaml"
    old.parent.mkdir()
    old.write_text(run_command("manifests", "--output", "-", folder=project).stdout)
    kinds = project / "src" / "operator_demo" / "kinds.py"
    kinds.write_text(kinds.read_text().replace("maximum=1000", "maximum=10"))
    ended = run_command("manifests", "--check", "released/crd.yaml", folder=project)
    said = CHECK.splitlines()
    assert (ended.returncode, ended.stdout.splitlines()) == (int(said[-1]), [said[1]])


def test_the_program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("documented_manifests")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names = vars(module)
    exec(KINDS, names)  # noqa: S102 - our own words
    names["released"] = names["CustomPod"].crd()
    exec(KINDS.replace("1000", "10") + PROGRAM, names)  # noqa: S102 - as above
    assert capsys.readouterr().out.startswith("invalid v1 .spec.replicas maximum 10 is lower than 1000")
