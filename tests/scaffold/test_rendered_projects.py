"""Scaffolded projects as their owners use them: made, tested, checked, installed, and run."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.client.client import Client
from kubewright.codegen.project import load_project
from kubewright.crd.declaration import declaration_of
from kubewright.testing import define
from tests.scaffold.records import RECORDS, a_record, write_project

PYTHON = sys.executable


# Without what `make test` tells the makes below it: that they are, and shall say so.
_OUTSIDE = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL"}}


def run(folder: Path, *command: str, code: int = 0, **environment: str) -> str:
    """Run a command in a folder; what it printed."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**_OUTSIDE, **environment}
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def seconds_of_children() -> float:
    """What commands took so far, of the processor: other work on the machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_from_nothing_to_a_green_test(tmp_path: Path) -> None:
    begin = seconds_of_children()
    kubewright = (PYTHON, "-m", "kubewright")
    run(tmp_path, *kubewright, "init", "--domain", "mock.com", "quick-demo")
    folder = tmp_path / "quick-demo"
    run(folder, *kubewright, "create", "api", "--group", "zhhnzw", "--version", "v1", "--kind", "CustomPod")
    run(folder, *kubewright, "manifests")
    assert "2 passed" in run(folder, PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert seconds_of_children() - begin < 30
    assert (folder / "config" / "crd" / "bases" / "zhhnzw.mock.com_custompods.yaml").is_file()


@pytest.mark.slow
def test_the_tests_of_a_project_pass(tmp_path: Path) -> None:
    folder = write_project(tmp_path, RECORDS["everything"])
    said = run(folder, PYTHON, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider")
    assert "14 passed" in said


@pytest.mark.slow
def test_types(tmp_path: Path) -> None:
    projects = [write_project(tmp_path / record.package, record) for record in RECORDS.values()]
    sources = [str(place / "src") for place in projects]
    # What takes the time is the library, so that all packages are looked at in one go.
    command = (PYTHON, "-m", "mypy", f"--cache-dir={tmp_path}/cache")
    said = run(tmp_path, *command, "--strict", *sources, MYPYPATH=os.pathsep.join(sources))
    assert said.startswith("Success")
    # And two as their Makefiles do it, tests included, whose names would meet.
    for name in ("everything", "empty"):
        run(tmp_path / RECORDS[name].package, *command)


def test_the_words_of_the_makefile(tmp_path: Path) -> None:
    folder = write_project(tmp_path, RECORDS["one kind"])
    words = [line.split()[0] for line in run(folder, "make").splitlines()]
    known = "manifests generate fmt lint test install uninstall run docker-build docker-push deploy undeploy"
    assert words == ["help", *known.split()]
    said = run(folder, "make", "-n", *known.split(), "IMG=registry/demo:v1", "PYTHON=py")
    for command in (
        "py -m kubewright manifests",
        "py -m kubewright generate client",
        "py -m mypy",
        "py -m pytest",
        "py -m kubewright install",
        "py -m kubewright uninstall",
        "py -m kubewright run",
        "docker build -t registry/demo:v1 .",
        "docker push registry/demo:v1",
        "py -m kubewright deploy --image registry/demo:v1",
        "py -m kubewright undeploy",
    ):
        assert command in said.splitlines()


@pytest.mark.parametrize("name", ["several kinds", "two versions"])
async def test_the_samples(kube: Client, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A package of that name is imported once in a process, so that it is another one than elsewhere.
    record = a_record(f"sampled-{name.replace(' ', '-')}", *RECORDS[name].kinds)
    folder = write_project(tmp_path, record)
    monkeypatch.setattr(sys, "path", list(sys.path))
    kinds = load_project(folder, record.package).kinds
    await define(kube, *(each for each in kinds if declaration_of(each).version.storage))
    samples = folder / "config" / "samples"
    files = [path for path in samples.iterdir() if path.name != "kustomization.yaml"]
    assert len(files) == len(record.kinds)
    for path in files:
        await kube.apply_yaml(path)
