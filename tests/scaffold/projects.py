"""Small projects for tests, and what is in them."""

from __future__ import annotations

from pathlib import Path

from kubewright.scaffold.files import Additions, ScaffoldFile
from kubewright.scaffold.record import ProjectRecord
from kubewright.version import __version__

RECORD = ProjectRecord(name="demo", package="demo", domain="mock.com", kubewright=__version__)


def scaffold(files: dict[str, str], *, additions: Additions = "conflict") -> dict[str, ScaffoldFile]:
    """Files as a render would give them."""
    return {path: ScaffoldFile(text=text, additions=additions) for path, text in files.items()}


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder, by their paths, and empty folders with a slash at the end."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file():
            found[name] = path.read_bytes()
        elif path.is_dir() and not any(path.iterdir()):
            found[f"{name}/"] = b""
    return found
