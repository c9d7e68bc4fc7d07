"""Runs the tests on several Pythons: `make test-pythons`, or `.venv/bin/nox --python 3.14` for one.

nox and not tox, since its sessions are Python: they share the search for interpreters with
`tests.interpreters`, which also looks into pyenv and the cache. Versions that are not on the machine are
skipped, and nox says so.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent))  # nox loads this file without its directory

from tests.interpreters.find import SUPPORTED, find_interpreter

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True

_DIRECTORIES = dict.fromkeys(str(path.parent) for version in SUPPORTED if (path := find_interpreter(version)))
os.environ["PATH"] = os.pathsep.join([*_DIRECTORIES, os.environ["PATH"]])


@nox.session(python=SUPPORTED)
def tests(session: nox.Session) -> None:
    """What `make test` runs, or the tests that are named after `--`."""
    # As the Makefile does it: pip checks the hashes of all requirements or of none, and the project has none.
    session.install("--require-hashes", "-r", _requirements(session))
    session.install("--no-deps", "--no-build-isolation", "-e", ".")
    arguments = session.posargs or ["-m", "not oracle and not real and not slow"]
    workers = ["-n", os.environ.get("WORKERS", "auto"), "--maxprocesses", "8"]
    together = ["--dist", "loadfile", "--no-loadscope-reorder"]
    # Without bytecode every server that a test starts takes twice as long.
    command = ["python", "-m", "pytest", "-q", *workers, *together, *arguments]
    session.run(*command, env={"PYTHONDONTWRITEBYTECODE": ""})


def _requirements(session: nox.Session) -> str:
    """The file of recorded versions; for the free-threaded build one without CEL, which it does not have."""
    if not str(session.python).endswith("t"):
        return "constraints.txt"
    entries = Path("constraints.txt").read_text().replace("\\\n", " ").splitlines()
    path = Path(session.create_tmp()) / "constraints.txt"
    path.write_text("\n".join(entry for entry in entries if not entry.startswith("cel-expr-python==")))
    return str(path)
