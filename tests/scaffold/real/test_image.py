"""What a Dockerfile builds, without Docker: its commands are run, in a folder that stands for the image."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kubewright.testing import Cluster
from tests.packaging.installed import WITHIN, Installed
from tests.scaffold.records import RECORDS, write_project

IMAGE_USER = 65532


@dataclass(frozen=True)
class Image:
    """What would be in the image."""

    folder: Path
    entry: list[str]
    variables: dict[str, str]
    user: str


@pytest.fixture(scope="module")
def image(installed: Installed) -> Iterator[Image]:
    """The image of a project with a kind, built by the commands of its Dockerfile."""
    # Not below pytest's folders, which nobody but their owner can enter.
    with tempfile.TemporaryDirectory(prefix="kubewright-image-") as name:
        top = Path(name)
        top.chmod(0o755)
        project = write_project(top / "project", RECORDS["everything"])
        source, operator = top / "source", top / "operator"
        source.mkdir()
        steps = re.findall(r"^([A-Z]+) (.+)$", (project / "Dockerfile").read_text(), re.MULTILINE)
        for word, rest in steps:
            if word == "COPY" and not rest.startswith("--from"):
                *copied, _ = rest.split()
                for each in copied:
                    _copy(project / each, source / each)
            elif word == "RUN":
                _run(rest, source, operator, installed)
        said = dict(steps)
        entry = [word.replace("/operator", str(operator)) for word in json.loads(said["ENTRYPOINT"])]
        variables = dict(each.split("=") for each in shlex.split(said["ENV"]))
        yield Image(operator, entry, variables, said["USER"])


def _copy(source: Path, to: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, to)
    else:
        shutil.copy(source, to)


def _run(command: str, folder: Path, operator: Path, installed: Installed) -> None:
    """Run a command of the Dockerfile; nothing is fetched, since the environment has what it would fetch."""
    if command == "python -m venv /operator":
        shutil.copytree(installed.folder, operator, symlinks=True)
        return
    pip = f"{sys.executable} -m pip --python {operator}/bin/python"
    command = command.replace("/operator/bin/python -m pip", pip)
    done = subprocess.run(
        ["/bin/sh", "-ec", command.replace(" install ", " install --no-index --no-build-isolation ")],
        cwd=folder,
        # With what builds wheels, where the fixture has put it.
        env={**installed.environment, "PYTHONPATH": str(installed.folder.with_name("tools"))},
        capture_output=True,
        text=True,
        check=False,
        timeout=WITHIN,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_program_of_the_image(image: Image, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert image.user == f"{IMAGE_USER}:{IMAGE_USER}"
    before = _files(image.folder)
    assert not any("pip" in path.parts or path.suffix == ".whl" for path in before)
    compiled = {path.name.partition(".")[0] for path in before if path.suffix == ".pyc"}
    assert {"custompod", "manager"} <= compiled
    with Cluster.in_thread(controllers="none") as cluster, tempfile.NamedTemporaryFile("w") as kubeconfig:
        kubeconfig.write(Path(cluster.kubeconfig).read_text())
        kubeconfig.flush()
        program = _started(image, kubeconfig.name)
        try:
            _until_it_leads(cluster, program)
            assert program.poll() is None
        finally:
            program.send_signal(signal.SIGTERM)
            said = program.communicate(timeout=WITHIN)[1]
    assert program.returncode == 0, said
    assert _files(image.folder) == before


def _started(image: Image, kubeconfig: str) -> subprocess.Popen[str]:
    """The program as a container runs it: as nobody in particular, who can write nowhere but in /tmp."""
    identity: list[str] = []
    setpriv = shutil.which("setpriv")
    if os.geteuid() == 0 and setpriv is not None:
        os.chown(kubeconfig, IMAGE_USER, IMAGE_USER)
        # It may read all, since this Python may be in somebody's home; in an image it is in nobody's.
        reading = [
            f"--{which}=-all,+dac_read_search" for which in ("inh-caps", "ambient-caps", "bounding-set")
        ]
        identity = [setpriv, f"--reuid={IMAGE_USER}", f"--regid={IMAGE_USER}", "--clear-groups", *reading]
    variables = {"KUBECONFIG": kubeconfig, "POD_NAMESPACE": "default", "PATH": "/usr/bin:/bin"}
    return subprocess.Popen(
        [*identity, *image.entry, "--leader-elect", "--webhooks=local"],
        cwd="/",
        env={**image.variables, **variables},
        stderr=subprocess.PIPE,
        text=True,
    )


def _until_it_leads(cluster: Cluster, program: subprocess.Popen[str]) -> None:
    from kubewright.sync import Client

    with Client(cluster.config) as client:
        until = time.monotonic() + WITHIN
        while time.monotonic() < until and program.poll() is None:
            if list(client.coordination_v1.leases("default").list()):
                return
            time.sleep(0.05)
    raise AssertionError("the program has not become the leader")
