"""A project as `kubewright init` makes it, installed as its README and its Dockerfile do.

kubewright comes from the wheel in the project; everything else from the registry that pip is set to. The kind
has a rule in CEL: what compiles it is there for the tests, and is not in the image.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.packaging.installed import ROOT, WITHIN, Installed, environment, pinned

pytestmark = pytest.mark.slow  # they install from the registry

LONGEST = 4 * WITHIN
"""Seconds for a command: the tools for development are some 200 MB to fetch, unpack and compile."""
KIND = "src/operator_demo/api/v1/custompod.py"
RULE = '@rule("self.replicas != 13", message="not thirteen")\n'


@pytest.fixture(scope="module")
def made(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a kind that has a rule; tests take copies of it."""
    folder = tmp_path_factory.mktemp("made")
    run(installed.command, "init", "--domain", "mock.com", "operator-demo", folder=folder)
    project = folder / "operator-demo"
    kind = ("--group", "zhhnzw", "--version", "v1", "--kind", "CustomPod")
    run(installed.command, "create", "api", *kind, folder=project)
    text = (project / KIND).read_text()
    text = text.replace("    custom_resource,\n)", "    custom_resource,\n    rule,\n)")
    (project / KIND).write_text(text.replace("class CustomPodSpec", f"{RULE}class CustomPodSpec"))
    return project


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """A clone of the project, at another path, with a character that URLs encode."""
    return shutil.copytree(made, tmp_path / "a clone" / "operator-demo")


@pytest.fixture
def pip_settings(tmp_path: Path) -> dict[str, str]:
    """Variables for pip: patience, and the versions that kubewright's own tests use, so that none moves."""
    pins = tmp_path / "pins.txt"
    pins.write_text("\n".join(pinned((ROOT / "constraints.txt").read_text())))
    return {
        "PIP_RETRIES": "10",
        "PIP_DEFAULT_TIMEOUT": "60",
        "PIP_CONSTRAINT": str(pins),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def run(*command: str | Path, folder: Path, variables: Mapping[str, str] | None = None) -> str:
    """Run a command that must succeed, in a folder; returns what it prints."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**environment(Path("/nowhere")), **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def assert_tests_pass(python: Path, project: Path) -> None:
    """The tests of the project pass, and its manifests are written, which checks the rule."""
    assert re.search(r"\b2 passed\b", run(python, "-m", "pytest", "-q", folder=project))
    run(python, "-m", "kubewright", "manifests", folder=project)
    (definition,) = (project / "config/crd/bases").iterdir()
    assert "self.replicas != 13" in definition.read_text()


def test_pip_installs_it_for_development(project: Path, pip_settings: dict[str, str], tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", folder=project)
    run(tmp_path / "venv/bin/pip", "install", "-e", ".[dev]", folder=project, variables=pip_settings)
    python = tmp_path / "venv/bin/python"
    assert_tests_pass(python, project)
    # The kubewright that was installed makes of itself the wheel that it was installed from.
    assert "already" in run(python, "-m", "kubewright", "upgrade", folder=project)


def test_uv_installs_it_for_development(project: Path, pip_settings: dict[str, str], tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "install", "--quiet")
    run(*pip, "--target", tmp_path / "tools", "uv", folder=tmp_path, variables=pip_settings)
    uv = tmp_path / "tools/bin/uv"
    variables = {
        "UV_CACHE_DIR": str(tmp_path / "cache"),
        "UV_HTTP_TIMEOUT": "180",
        "UV_LINK_MODE": "copy",
        "UV_PYTHON": sys.executable,
    }
    run(uv, "sync", "--extra", "dev", folder=project, variables=variables)
    assert_tests_pass(project / ".venv/bin/python", project)
    # The lock file has no path of this machine, so that the next clone can use it.
    assert str(tmp_path) not in (project / "uv.lock").read_text()
    clone = shutil.copytree(project, tmp_path / "clone", ignore=shutil.ignore_patterns(".venv"))
    run(uv, "sync", "--locked", folder=clone, variables=variables)
    run(clone / ".venv/bin/python", "-m", "operator_demo", "--help", folder=tmp_path)


def test_its_image(project: Path, pip_settings: dict[str, str], tmp_path: Path) -> None:
    """The steps of the Dockerfile, with folders of this machine in place of those of the image."""
    source, operator = tmp_path / "source", tmp_path / "operator"
    source.mkdir()
    steps = re.findall(r"^([A-Z]+) (.+)$", (project / "Dockerfile").read_text(), re.MULTILINE)
    ignored = (project / ".dockerignore").read_text().splitlines()
    for word, rest in steps:
        if word == "COPY" and not rest.startswith("--from"):
            *names, _ = rest.split()
            for name in names:
                assert f"!{name}" in ignored, "the engine does not send it to the build"
                place = project / name
                (shutil.copytree if place.is_dir() else shutil.copy)(place, source / name)
        elif word == "RUN":
            command = rest.replace("/operator", str(operator)).replace(
                "python -m venv", f"{sys.executable} -m venv"
            )
            run("/bin/sh", "-ec", command, folder=source, variables=pip_settings)
    shutil.rmtree(source)
    python, *arguments = json.loads(dict(steps)["ENTRYPOINT"])
    python = python.replace("/operator", str(operator))
    assert "--leader-elect" in run(python, *arguments, "--help", folder=Path(os.sep))
    shown = run(python, "-c", "import kubewright; print(kubewright.__file__)", folder=Path(os.sep))
    assert shown.startswith(str(operator))
    absent = "import importlib.util as u; print(u.find_spec('cel_expr_python'))"
    assert run(python, "-c", absent, folder=Path(os.sep)) == "None\n"
