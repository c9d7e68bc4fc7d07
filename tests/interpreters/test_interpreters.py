"""Finding interpreters, and what is said where one cannot be had."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.interpreters import debian
from tests.interpreters.__main__ import main
from tests.interpreters.find import SUPPORTED, cache, find_interpreter

ROOT = Path(__file__).parents[2]
FREE_THREADED = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
OWN = f"{sys.version_info.major}.{sys.version_info.minor}{FREE_THREADED}"


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH, a home and a cache with nothing in them."""
    for name in ("PATH", "HOME", "XDG_CACHE_HOME", "PYENV_ROOT"):
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).mkdir()
    return tmp_path


def put(interpreter: Path) -> None:
    interpreter.parent.mkdir(parents=True, exist_ok=True)
    interpreter.symlink_to(Path(sys.base_prefix) / "bin" / f"python{OWN}")


def test_the_classifiers_say_the_same() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    prefix = "Programming Language :: Python :: 3."
    minors = [each.removeprefix(prefix) for each in project["classifiers"] if each.startswith(prefix)]
    assert [f"3.{minor}" for minor in minors] == [each for each in SUPPORTED if not each.endswith("t")]
    assert project["requires-python"] == f">={SUPPORTED[0]}"


@pytest.mark.parametrize("place", ["PATH", "pyenv", "cache"])
def test_where_interpreters_are_found(empty_machine: Path, place: str) -> None:
    assert find_interpreter(OWN) is None
    places = {
        "PATH": empty_machine / "PATH" / f"python{OWN}",
        "pyenv": empty_machine / "PYENV_ROOT" / "versions" / f"{OWN}.9" / "bin" / f"python{OWN}",
        "cache": cache() / OWN / "usr" / "bin" / f"python{OWN}",
    }
    put(places[place])
    assert find_interpreter(OWN) == places[place]


def test_what_does_not_run_or_is_another_version_is_not_taken(empty_machine: Path) -> None:
    other = next(each for each in SUPPORTED if each != OWN)
    put(empty_machine / "PATH" / f"python{other}")
    assert find_interpreter(other) is None
    shim = empty_machine / "PATH" / f"python{OWN}"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert find_interpreter(OWN) is None


def test_without_apt_the_newest_one_that_is_there_is_taken(
    empty_machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(empty_machine / "PATH" / f"python{OWN}")
    if FREE_THREADED:
        pytest.skip("the free-threaded build is never the newest")
    assert main(["newest"]) == 0
    output = capsys.readouterr()
    assert output.out == f"{empty_machine / 'PATH' / f'python{OWN}'}\n"
    newer = [each for each in SUPPORTED[SUPPORTED.index(OWN) + 1 :] if not each.endswith("t")]
    assert output.err.splitlines() == [
        f"Python {each} is not on PATH and cannot be installed: there is no apt-get on this machine"
        for each in reversed(newer)
    ]
    assert main(["oldest"]) == 0


def test_without_any(empty_machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oldest"]) == 1
    assert capsys.readouterr().err == "Python oldest is not on this machine; put one on PATH\n"
    assert main(["2.7"]) == 2
    assert "usage" in capsys.readouterr().err


def test_the_launcher_runs_the_interpreter_in_virtual_environments(tmp_path: Path) -> None:
    """With the machine's own loader and interpreter in place of those of a newer release."""
    loader = next(Path("/").glob("lib*/**/ld-linux*.so.*"), None) if sys.platform == "linux" else None
    if loader is None or shutil.which("sh") is None:
        pytest.skip("needs a machine with glibc")
    prefix = tmp_path / "prefix"
    (prefix / "usr" / "bin").mkdir(parents=True)
    libraries = prefix / "usr" / "lib" / "any"
    libraries.mkdir(parents=True)
    shutil.copy(loader.resolve(), libraries / loader.name)
    version = OWN.removesuffix("t")
    (prefix / "usr" / "lib" / f"python{version}").mkdir()
    (prefix / "usr" / "bin" / f"python{version}").symlink_to("/bin/true")
    debian._load_own_libraries(prefix, prefix, version)
    launcher = prefix / "usr" / "bin" / f"python{version}"
    assert os.access(launcher, os.X_OK)
    link = tmp_path / "venv python"
    link.symlink_to(launcher)
    assert f'--argv0 "$0" --library-path {libraries}' in launcher.read_text()
    subprocess.run([link, "an argument"], check=True)
