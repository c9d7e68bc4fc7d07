"""The wheel and the sdist: what is in them, and that both install and run where there is nothing else."""

from __future__ import annotations

import email
import re
import shutil
import signal
import ssl
import subprocess
import tarfile
import urllib.request
import zipfile
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from kubewright import __version__
from kubewright.machinery import yaml
from tests.packaging.installed import ROOT, WITHIN, Installed, environment, install

pytestmark = pytest.mark.slow  # they build, and install from the registry


def files_of(folder: Path) -> set[str]:
    """The files of a folder that are sources, by their paths from it."""
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in found}


def test_what_the_wheel_has(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = set(wheel.namelist())
    info = f"kubewright-{__version__}.dist-info"
    metadata = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    assert names == {f"kubewright/{name}" for name in files_of(ROOT / "src" / "kubewright")} | metadata | {
        f"{info}/licenses/LICENSE"
    }
    assert {"kubewright/py.typed", "kubewright/models/openapi.json"} <= names
    assert any(name.startswith("kubewright/scaffold/templates/config/") for name in names)


def test_what_the_sdist_has(installed: Installed) -> None:
    with tarfile.open(installed.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    wanted = (
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "Makefile",
        "pyproject.toml",
        "constraints.txt",
        "constraints-bench.txt",
    )
    assert {
        *wanted,
        "src/kubewright/py.typed",
        "tests/conftest.py",
        "examples/custompod/sample.yaml",
    } <= names
    assert {f"src/kubewright/{name}" for name in files_of(ROOT / "src" / "kubewright")} <= names
    assert {f"facts/{name}" for name in files_of(ROOT / "facts")} <= names
    assert not [name for name in names if re.search(r"__pycache__|\.venv|_cache/|\.pyc$", name)]


def test_both_say_the_same_of_themselves(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel, tarfile.open(installed.sdist) as sdist:
        told = sdist.extractfile(f"kubewright-{__version__}/PKG-INFO")
        assert told is not None
        assert told.read() == wheel.read(f"kubewright-{__version__}.dist-info/METADATA")


def test_what_the_registry_is_told(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        text = wheel.read(f"kubewright-{__version__}.dist-info/METADATA").decode()
    metadata = email.message_from_string(text)
    assert (metadata["Name"], metadata["Version"]) == ("kubewright", __version__)
    assert (metadata["License-Expression"], metadata["Requires-Python"]) == ("Apache-2.0", ">=3.11")
    assert metadata["Description-Content-Type"] == "text/markdown"
    description = metadata.get_payload()
    assert isinstance(description, str)
    assert description.strip() == (ROOT / "README.md").read_text().strip()
    # The page of a registry is in no folder: a link must say where it leads.
    assert not re.findall(r"\]\((?!https?:|#)[^)]*\)", re.sub(r"```.*?```", "", description, flags=re.DOTALL))


@pytest.fixture(scope="module")
def from_sdist(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the sdist, which was all there was in a folder."""
    folder = tmp_path_factory.mktemp("from-sdist")
    sdist = shutil.copy(installed.sdist, folder)
    # The dependencies are those of the wheel, and are not installed twice.
    install(folder / "venv", "--no-deps", sdist)
    (own,), (other,) = (each.glob("lib/*/site-packages") for each in (folder / "venv", installed.folder))
    (own / "dependencies.pth").write_text(f"{other}\n")
    return folder / "venv"


@pytest.fixture(params=["wheel", "sdist"])
def folder(request: pytest.FixtureRequest, installed: Installed) -> Path:
    """The environment that each of the distributions was installed into."""
    if request.param == "wheel":
        return installed.folder
    found: Path = request.getfixturevalue("from_sdist")
    return found


def test_the_command(folder: Path, tmp_path: Path) -> None:
    def kubewright(*arguments: str) -> str:
        done = subprocess.run(
            ["kubewright", *arguments],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env=environment(folder),
            timeout=WITHIN,
        )
        assert done.stderr == ""
        return done.stdout

    assert kubewright("version").splitlines()[0] == f"kubewright {__version__}"
    assert kubewright("--help").startswith("Usage: kubewright ")
    kubewright("init", "--domain", "mock.com", "operator-demo")
    assert (tmp_path / "operator-demo" / "pyproject.toml").exists()


def test_a_server(folder: Path, tmp_path: Path) -> None:
    command = ["kubewright", "server", "--kubeconfig", "kubeconfig"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment(folder),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no other thread matters here
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "kubeconfig: kubeconfig\n"
            ready = process.stdout.readline()
            assert re.fullmatch(r"ready: https://127\.0\.0\.1:\d+\n", ready)
            assert asked(tmp_path / "kubeconfig", "/readyz") == "ok"
            assert yaml.load(asked(tmp_path / "kubeconfig", "/version"))["major"] == "1"
            assert '"nodes"' in asked(tmp_path / "kubeconfig", "/api/v1")
        finally:
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=WITHIN)
    assert (process.returncode, output, errors) == (0, "stopping\n", "")


def asked(kubeconfig: Path, path: str) -> str:
    """What a server answers to whom a kubeconfig leads to it, with no part of kubewright's client."""
    config: Any = yaml.load(kubeconfig.read_bytes())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    context = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
    certificate = kubeconfig.with_name("client.pem")
    certificate.write_bytes(b64decode(user["client-certificate-data"]) + b64decode(user["client-key-data"]))
    context.load_cert_chain(certificate)
    with urllib.request.urlopen(f"{cluster['server']}{path}", context=context, timeout=WITHIN) as answer:  # noqa: S310 - https
        text: str = answer.read().decode()
        return text
