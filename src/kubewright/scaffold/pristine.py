"""Pristine copies: each file as the scaffold wrote it, which is the base of a three-way merge.

They are in `.kubewright/scaffold`, below the paths of the files and with the suffix `.pristine`, which no
formatter or linter takes for a language it knows. The first line of a copy has the checksum of the rest, so
that a copy that another program changed is never taken for what the scaffold wrote. Other files in the
folder, such as caches of tools, are left alone. Projects of early versions have copies without suffix and
checksum, which are read, and replaced by the next command that changes the project.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from kubewright.scaffold.errors import ScaffoldError
from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.merge import has_conflicts
from kubewright.scaffold.reading import read_file

__all__ = ["PRISTINE_PATH", "PristineCopies", "copy_path", "encode_copy", "read_copies"]

PRISTINE_PATH: Final = ".kubewright/scaffold"
"""Where the copies are, from the project's folder; they are committed."""

_SUFFIX: Final = ".pristine"
_HEADER: Final = "kubewright pristine copy, sha256 "


@dataclass(slots=True, kw_only=True)
class PristineCopies:
    """The copies of a project, by the paths of the files they are copies of."""

    texts: dict[str, str] = field(default_factory=dict)
    """What the scaffold wrote."""
    outdated: set[str] = field(default_factory=set)
    """Those whose copy has to be written again: it was damaged and repaired, or is of an early version."""
    unknown: set[str] = field(default_factory=set)
    """Copies of files that the scaffold no longer has, and whose text is lost: the files must stay."""
    obsolete: list[str] = field(default_factory=list)
    """Copies of early versions, by their paths from the project's folder: they are to be deleted."""

    def __bool__(self) -> bool:
        return bool(self.texts or self.unknown)


def copy_path(path: str) -> str:
    """Return where the copy of a file is, from the project's folder."""
    return f"{PRISTINE_PATH}/{path}{_SUFFIX}"


def encode_copy(text: str) -> bytes:
    """Return the content of the copy of a file."""
    return f"{_HEADER}{_checksum(text)}\n{text}".encode()


def read_copies(folder: Path, files: Mapping[str, ScaffoldFile]) -> PristineCopies:
    """Read the copies of a project; `files` are what the scaffold has now.

    Raises ScaffoldError for copies in which there are conflicts of a merge, and for one that was changed and
    cannot be repaired, which it can if the scaffold still has the same text for the file.
    """
    copies = PristineCopies()
    paths = _paths_below(folder)
    for path in paths:
        if path.endswith(_SUFFIX):
            _read_copy(folder, path.removesuffix(_SUFFIX), files, copies)
    for path in paths:
        if path in files:
            _read_early_copy(folder, path, files[path].text, copies)
    return copies


def _read_copy(folder: Path, path: str, files: Mapping[str, ScaffoldFile], copies: PristineCopies) -> None:
    content = _read(folder, copy_path(path))
    header, _, text = content.partition("\n")
    checksum = header.removeprefix(_HEADER)
    if header.startswith(_HEADER) and checksum == _checksum(text):
        copies.texts[path] = text
    elif path in files and checksum == _checksum(files[path].text):
        copies.texts[path] = files[path].text
        copies.outdated.add(path)
    elif path not in files:
        copies.unknown.add(path)
    else:
        raise ScaffoldError(
            f"{copy_path(path)} was changed by another program, and your changes cannot be told from the "
            f"scaffold's; restore it from version control, or delete it, and {path} stays as it is"
        )


def _read_early_copy(folder: Path, path: str, scaffold: str, copies: PristineCopies) -> None:
    """Read a copy without a checksum, which a formatter may have rewritten together with the file."""
    copies.obsolete.append(f"{PRISTINE_PATH}/{path}")
    if path in copies.texts:  # A command that was killed, or a merge of branches, left both.
        return
    text = _read(folder, f"{PRISTINE_PATH}/{path}")
    copies.texts[path] = scaffold if _is_reformatted(path, text, scaffold) else text
    copies.outdated.add(path)


def _read(folder: Path, path: str) -> str:
    """Return the text of a file in the folder of copies, whatever version control made of its line ends."""
    content = read_file(folder, path)
    text = (content or b"").decode(errors="replace").replace("\r\n", "\n")
    if has_conflicts(text):
        raise ScaffoldError(
            f"{path} has conflicts of a merge, and your changes cannot be told from the scaffold's; take one "
            f"side, whichever: git checkout --ours {PRISTINE_PATH}"
        )
    return text


def _checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _paths_below(folder: Path) -> list[str]:
    root = folder / PRISTINE_PATH
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def _is_reformatted(path: str, text: str, other: str) -> bool:
    """Tell whether two texts are the same Python code and comments in another layout."""
    if text == other or not path.endswith(".py"):
        return False
    try:
        return _without_layout(text) == _without_layout(other)
    except (SyntaxError, ValueError, tokenize.TokenError):
        return False


def _without_layout(text: str) -> tuple[str, list[str]]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return ast.dump(ast.parse(text)), [each.string for each in tokens if each.type == tokenize.COMMENT]
