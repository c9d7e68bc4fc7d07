"""Finds interpreters of the supported versions: on PATH, in pyenv, or in the cache that `debian` fills."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

__all__ = ["SUPPORTED", "cache", "find_interpreter"]

SUPPORTED = ("3.11", "3.12", "3.13", "3.14", "3.14t", "3.15")
"""Oldest first, as in the classifiers of pyproject.toml; 3.14t is the free-threaded build."""


def find_interpreter(version: str) -> Path | None:
    """Returns an interpreter of that version that runs and can make virtual environments."""
    return next((path for path in _candidates(version) if _runs(path, version)), None)


def cache() -> Path:
    """Returns the directory in which each installed interpreter has a directory named after its version."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kubewright" / "pythons"


def _candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    if on_path := shutil.which(name):
        yield Path(on_path)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    # pyenv names a directory after the full version, and its shims only run the version that is selected.
    yield from sorted(pyenv.glob(f"{version.removesuffix('t')}.*/bin/{name}"), reverse=True)
    yield cache() / version / "usr" / "bin" / name
    yield cache() / version / "bin" / name


def _runs(path: Path, version: str) -> bool:
    if not os.access(path, os.X_OK):
        return False
    # A shim of pyenv fails where its version is not selected, and Debian's python3 may lack ensurepip.
    script = (
        "import ensurepip, ssl, sqlite3, sys, sysconfig; "
        "print('%d.%d' % sys.version_info[:2] + ('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''))"
    )
    finished = subprocess.run([path, "-I", "-c", script], capture_output=True, text=True, check=False)
    return finished.returncode == 0 and finished.stdout.strip() == version
