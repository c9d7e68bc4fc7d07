"""Writing generated files without harm to what a person wrote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.machinery.errors import ParseError

__all__ = ["Written", "is_generated", "write_generated"]

_BEGINNING: Final = 3
"""The lines in which a header stands: a docstring's first line, an empty one, the header."""


class Written(NamedTuple):
    """What a run did; files that are as they should be are in neither."""

    written: list[Path]
    deleted: list[Path]


def is_generated(text: str, header: str) -> bool:
    """Whether a file bears the header of a generator, and so may be replaced by it."""
    return header in text.splitlines()[:_BEGINNING]


def write_generated(
    output: Path,
    files: Mapping[str, str],
    *,
    header: str,
    optional: Collection[str],
    check: Callable[[Path, str, str], None] | None = None,
    prune: bool = False,
) -> Written:
    """Write generated files where they differ; nothing at all is written if one may not be.

    Those that are `optional` are left alone where a person wrote them. `check` is called with the path, the
    old and the new text of a file that would be replaced. With `prune`, modules of the folder that bear the
    header and are not among the files are deleted. Raises ParseError for a file that a person wrote, and what
    `check` raises.
    """
    wanted: dict[Path, str] = {}
    for name, text in files.items():
        path = output / name
        old = path.read_text(encoding="utf-8", errors="replace") if path.exists() else None
        if old == text:
            continue
        if old is not None and not is_generated(old, header):
            if name in optional:
                continue
            raise ParseError(
                f"{path} was not generated and stays as it is; name another --output, or move it away"
            )
        if old is not None and check is not None:
            check(path, old, text)
        wanted[path] = text
    stale = _stale(output, files, header) if prune else []
    output.mkdir(parents=True, exist_ok=True)
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    for path in stale:
        path.unlink()
    return Written(sorted(wanted), stale)


def _stale(output: Path, files: Mapping[str, str], header: str) -> list[Path]:
    return [
        path
        for path in sorted(output.glob("*.py"))
        if path.name not in files and is_generated(path.read_text(encoding="utf-8", errors="replace"), header)
    ]
