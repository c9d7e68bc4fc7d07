"""Prints the path of an interpreter: `python -m tests.interpreters newest`, `oldest`, or a version like 3.14.

What is not on the machine is installed into the cache, except for `oldest`. Where that is impossible,
`newest` says why on stderr and is the next older version.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.interpreters.debian import CannotInstall, install
from tests.interpreters.find import SUPPORTED, find_interpreter


def main(arguments: list[str]) -> int:
    """Print the path and return 0, or return 1 where there is none."""
    known = ("newest", "oldest", *SUPPORTED)
    if len(arguments) != 1 or arguments[0] not in known:
        sys.stderr.write(f"usage: python -m tests.interpreters {{{','.join(known)}}}\n")
        return 2
    (wanted,) = arguments
    # The free-threaded build is a variant of a version, never the newest one.
    versions = [version for version in SUPPORTED if not version.endswith("t")]
    for version in {"newest": versions[::-1], "oldest": versions}.get(wanted, [wanted]):
        path = find_interpreter(version)
        if path is None and wanted != "oldest":
            path = _install(version)
        if path is not None:
            sys.stdout.write(f"{path}\n")
            return 0
    sys.stderr.write(f"Python {wanted} is not on this machine; put one on PATH\n")
    return 1


def _install(version: str) -> Path | None:
    try:
        install(version)
        return find_interpreter(version)
    except CannotInstall as error:
        sys.stderr.write(f"Python {version} is not on PATH and cannot be installed: {error}\n")
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
