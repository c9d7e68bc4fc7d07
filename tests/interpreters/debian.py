"""Installs interpreters of a newer release of Debian beside those of the machine, without root or container.

The packages of the interpreter and of all libraries it needs, the C library included, are unpacked into a
directory of the cache, and a launcher makes the interpreter load its libraries from there. Programs that it
starts run with the machine's own libraries. Nothing outside the cache is changed: apt works on state of its
own, with a source that is derived from the machine's Debian mirror.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from tests.interpreters.find import cache

__all__ = ["CannotInstall", "install"]

_SUITE = "testing"
"""Debian's next release, which has the newest Pythons; its packages have been in unstable for some days."""

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

_TOOLS = ("apt-get", "dpkg-deb")


class CannotInstall(Exception):
    """The interpreter cannot be had from Debian; the message says why."""


def install(version: str) -> Path:
    """Installs Python `version` into the cache, about 20 MB to download, and returns the interpreter.

    Raises CannotInstall.
    """
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        raise CannotInstall(f"there is no {missing[0]} on this machine")
    target = cache() / version
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="installing-", dir=cache()) as name:
        working = Path(name)
        root = working / "root"
        with _apt(working, _mirror()) as apt:
            _run([*apt, "update"])
            _run([*apt, "install", "--yes", "--download-only", f"python{version}-venv"])
        for package in sorted((working / "cache" / "archives").glob("*.deb")):
            _run(["dpkg-deb", "--extract", package, root])
        _load_own_libraries(root, target, version)
        _bundle_own_pip(root, target, version)
        # Two processes may install at once: the first one to finish wins, since both made the same.
        if not target.exists():
            root.rename(target)
    return target / "usr" / "bin" / f"python{version}"


def _mirror() -> str:
    """Returns the address of the Debian mirror that the machine's apt is configured with."""
    listing = _run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"])
    for address in listing.split():
        # Debian's security updates and third parties are beside it, under other paths.
        if urlsplit(address).path.rstrip("/").rpartition("/")[2] == "debian":
            return address
    raise CannotInstall("apt is not configured with a Debian mirror")


@contextmanager
def _apt(working: Path, mirror: str) -> Iterator[list[str | Path]]:
    """Gives the beginning of apt-get's command line, for a machine of `_SUITE` without any package."""
    for directory in ("lists/partial", "cache/archives/partial", "sources"):
        (working / directory).mkdir(parents=True)
    (working / "status").touch()
    (working / "sources" / "suite.list").write_text(f"deb [signed-by={_KEYRING}] {mirror} {_SUITE} main\n")
    options = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": working / "sources",
        "Dir::Etc::preferencesparts": "/dev/null",
        "Dir::State::lists": working / "lists",
        "Dir::State::status": working / "status",
        "Dir::State::extended_states": working / "extended_states",
        "Dir::Cache": working / "cache",
        "APT::Install-Recommends": "0",
        "APT::Sandbox::User": "",  # the cache is the user's own
        "Debug::NoLocking": "1",  # the system's lock needs root
    }
    yield ["apt-get", "-qq", *(f"--option={name}={value}" for name, value in options.items())]


def _load_own_libraries(root: Path, target: Path, version: str) -> None:
    """Puts a launcher in front of the interpreter, so that it uses the unpacked C library and its companions.

    A library path in the environment would also hold for the programs that the interpreter starts, and
    patchelf corrupts executables with fixed addresses, such as these. In a virtual environment `$0` is the
    path of the link to the launcher, by which Python finds out that it runs in one.
    """
    loader = next(root.glob("usr/lib/*/ld-linux*.so.*"), None)
    if loader is None:
        raise CannotInstall(f"Debian's {_SUITE} has its C library in an unexpected place")
    launcher = root / "usr" / "bin" / f"python{version}"
    executable = launcher.rename(root / "usr" / "lib" / f"python{version}" / "executable")
    final_loader, final_executable = (target / path.relative_to(root) for path in (loader, executable))
    options = f'--argv0 "$0" --library-path {quote(str(final_loader.parent))}'
    script = f'exec {quote(str(final_loader))} {options} {quote(str(final_executable))} "$@"'
    launcher.write_text(f"#!/bin/sh\n{script}\n")
    launcher.chmod(0o755)


def _bundle_own_pip(root: Path, target: Path, version: str) -> None:
    """Lets `python -m venv` find pip where it is unpacked; Debian's looks in one place of the machine."""
    for configuration in (root / "usr" / "lib" / f"python{version}").glob("_sysconfigdata*.py"):
        text = configuration.read_text()
        configuration.write_text(
            text.replace("'/usr/share/python-wheels", f"'{target}/usr/share/python-wheels")
        )


def _run(command: list[str | Path]) -> str:
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        reason = finished.stderr.strip().splitlines()[-1:] or [f"exit code {finished.returncode}"]
        raise CannotInstall(f"{Path(command[0]).name} failed: {reason[0]}")
    return finished.stdout
