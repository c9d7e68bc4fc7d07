"""Projects in folders: reading their records, and bringing their files to what a record asks for.

Of each scaffolded file a pristine copy is kept (`pristine`): from there both a person and a newer scaffold
went on, and so it is the base of a three-way merge. What a person wrote stays: files of their own are left
alone, deleted ones stay deleted, and changes of both sides to the same lines are a conflict. Only files of
which there is a pristine copy, and the wheel that the record names, are ever deleted.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kubewright.machinery.errors import quoted
from kubewright.scaffold.errors import NotAProject, ScaffoldError
from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.kinds import check_record
from kubewright.scaffold.merge import has_conflicts, merge
from kubewright.scaffold.pristine import (
    PRISTINE_PATH,
    PristineCopies,
    copy_path,
    encode_copy,
    read_copies,
)
from kubewright.scaffold.reading import read_file
from kubewright.scaffold.record import RECORD_PATH, ProjectRecord, decoded_record, encoded_record
from kubewright.scaffold.versions import is_newer
from kubewright.scaffold.wheel import VENDOR_PATH, Wheel
from kubewright.scaffold.writing import make_folder, place_of, write_all
from kubewright.version import __version__

__all__ = ["Update", "is_current", "locked", "make_project", "plan", "read_record", "update"]


@dataclass(slots=True, kw_only=True)
class Update:
    """What becomes of a project's files; those that are not named are as the scaffold has them."""

    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    """Files that the scaffold has no more, and that nobody had changed."""
    conflicts: list[str] = field(default_factory=list)
    """Files in which both sides changed the same lines: they stand there between marks."""
    kept: dict[str, str] = field(default_factory=dict)
    """Files for which the scaffold has something new that is not wanted, and why."""
    unchanged: list[str] = field(default_factory=list)
    writes: dict[str, bytes | None] = field(default_factory=dict)
    """What is to be written, in that order; None is to be deleted. The record comes last: where a process is
    killed, the same command again finds what is there, and does the rest."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all changes."""
        return not self.writes


def read_record(folder: Path) -> ProjectRecord:
    """The record of a project. Raises NotAProject, and ScaffoldError for a record that cannot be used."""
    path = folder / RECORD_PATH
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotAProject(_no_project(folder)) from None
    except OSError as error:
        raise ScaffoldError(f"{path} cannot be read: {error.strerror}; correct its permissions") from None
    if has_conflicts(content.decode(errors="replace")):
        raise ScaffoldError(
            f"{path} has conflicts of a merge; keep the kinds of both sides, delete the marks <<<<<<< "
            "and >>>>>>>, and run `kubewright upgrade`"
        )
    remedy = "restore it from version control"
    try:
        # By itself first: a newer record may have fields that nobody knows here.
        made_by = msgspec.json.decode(content, type=_Version).kubewright
        if is_newer(made_by, __version__):
            raise ScaffoldError(
                f"the project was made by kubewright {quoted(made_by)[1:-1]}, and this is {__version__}; "
                f"install the newer one: pip install 'kubewright>={quoted(made_by)[1:-1]}'"
            )
        record = decoded_record(content)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ScaffoldError(f"{path} is no record of a project: {error}; {remedy}") from None
    try:
        check_record(record)
    except ScaffoldError as error:
        raise ScaffoldError(f"{path} cannot be used: {error}, or {remedy}") from None
    return record


class _Version(msgspec.Struct):
    kubewright: str


def _no_project(folder: Path) -> str:
    for parent in folder.resolve().parents:
        if (parent / RECORD_PATH).is_file():
            return (
                f"this folder is within the project {parent}; go to its folder: cd {shlex.quote(str(parent))}"
            )
    return (
        f"{folder.resolve()} is no project, since it has no {RECORD_PATH}; go to the folder of one, or make "
        "one: kubewright init --domain example.com operator-demo"
    )


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other commands from changing a project meanwhile. Raises ScaffoldError if one does already."""
    try:
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ScaffoldError(f"{folder} cannot be read: {error.strerror}; correct its permissions") from None
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ScaffoldError(
                f"another kubewright command is changing {folder.resolve()}; wait until it has ended, and "
                "run this again"
            ) from None
        yield
    finally:
        os.close(number)


def make_project(
    folder: Path,
    record: ProjectRecord,
    files: Mapping[str, ScaffoldFile],
    *,
    wheel: Wheel | None = None,
) -> list[str]:
    """Make a project in a new folder, or in one that has nothing of the name of a scaffolded file.

    With a `wheel`, which is the one that the record names, it is put into the project. The paths of the files
    are returned. Raises ScaffoldError, and then nothing has changed.
    """
    vendored = {_wheel_path(wheel.name): wheel.encode()} if wheel is not None else {}
    for path in (*files, *vendored):
        if os.path.lexists(folder / path):
            raise ScaffoldError(
                f"{folder / path} is there already, and would be overwritten; move it away, or make the "
                "project in a new folder"
            )
    writes = vendored | {path: file.text.encode() for path, file in files.items()}
    writes |= {copy_path(path): encode_copy(file.text) for path, file in files.items()}
    writes[RECORD_PATH] = encoded_record(record)
    if folder.is_dir():  # It stays the same folder, since somebody may be in it.
        write_all(folder, writes)
    else:
        make_folder(folder, writes)
    return sorted([*files, *vendored])


def update(
    folder: Path,
    record: ProjectRecord,
    files: Mapping[str, ScaffoldFile],
    *,
    wheel: Wheel | None = None,
    old_wheel: str = "",
) -> Update:
    """Bring a project to a record and the files that follow from it, all or nothing. Raises ScaffoldError.

    `wheel` is the one that the record names, and `old_wheel` the name of the one that the project had.
    """
    planned = plan(folder, record, files, wheel=wheel, old_wheel=old_wheel)
    if planned.writes:
        write_all(folder, planned.writes)
    return planned


def plan(
    folder: Path,
    record: ProjectRecord,
    files: Mapping[str, ScaffoldFile],
    *,
    wheel: Wheel | None = None,
    old_wheel: str = "",
) -> Update:
    """What `update` would do; nothing is written. Raises ScaffoldError."""
    found = Update()
    _refuse_conflicts(folder, files)
    copies = read_copies(folder, files)
    if not copies:
        raise ScaffoldError(
            f"{folder / PRISTINE_PATH} is missing, and without it your changes cannot be told from the "
            "scaffold's; restore it from version control"
        )
    # The wheel first: pyproject.toml never names one that is not there, wherever a process is killed.
    if wheel is not None and not place_of(folder, _wheel_path(wheel.name)).is_file():
        found.created.append(_wheel_path(wheel.name))
        found.writes[_wheel_path(wheel.name)] = wheel.encode()
    for path in sorted(files):
        file, base = files[path], copies.texts.get(path)
        if base != file.text:
            _plan_file(folder, path, base, file, found)
        else:
            found.unchanged.append(path)
    for path in sorted({*copies.texts, *copies.unknown} - files.keys()):
        _plan_removal(folder, path, copies.texts.get(path), found)
    if old_wheel and old_wheel != record.wheel and place_of(folder, _wheel_path(old_wheel)).is_file():
        found.deleted.append(_wheel_path(old_wheel))
        found.writes[_wheel_path(old_wheel)] = None
    found.writes |= _copy_writes(files, copies)
    if _text(read_file(folder, RECORD_PATH) or b"") != encoded_record(record).decode():
        found.writes[RECORD_PATH] = encoded_record(record)
    return found


def is_current(folder: Path, files: Mapping[str, ScaffoldFile]) -> bool:
    """Whether the pristine copies of a project are these files."""
    copies = read_copies(folder, files)
    return not copies.unknown and copies.texts == {path: file.text for path, file in files.items()}


def _wheel_path(name: str) -> str:
    return f"{VENDOR_PATH}/{name}"


def _copy_writes(files: Mapping[str, ScaffoldFile], copies: PristineCopies) -> dict[str, bytes | None]:
    """What has to be written to have pristine copies of these files, and no others."""
    writes: dict[str, bytes | None] = {
        copy_path(path): encode_copy(file.text)
        for path, file in sorted(files.items())
        if path in copies.outdated or copies.texts.get(path) != file.text
    }
    writes |= {copy_path(path): None for path in sorted({*copies.texts, *copies.unknown} - files.keys())}
    return writes | dict.fromkeys(copies.obsolete)


def _plan_file(folder: Path, path: str, base: str | None, file: ScaffoldFile, found: Update) -> None:
    """Plan a file whose pristine copy is absent or another."""
    mine = read_file(folder, path)
    if mine is None:
        if base is None:
            found.created.append(path)
            found.writes[path] = file.text.encode()
        else:
            found.kept[path] = "you deleted it"
        return
    text = _decoded(path, mine)
    ends_with_cr = text.count("\r\n") == text.count("\n") > 0
    if ends_with_cr:
        text = text.replace("\r\n", "\n")
    if text == file.text:
        found.unchanged.append(path)
        return
    if base is None:
        found.kept[path] = "it is a file of your own"
        return
    merged = merge(base, text, file.text, additions=file.additions)
    if merged.text == text:
        found.unchanged.append(path)
        return
    (found.conflicts if merged.conflicts else found.changed).append(path)
    found.writes[path] = (merged.text.replace("\n", "\r\n") if ends_with_cr else merged.text).encode()


def _plan_removal(folder: Path, path: str, base: str | None, found: Update) -> None:
    """Plan a file that the scaffold no longer has; `base` is None where it is not known what it wrote."""
    mine = read_file(folder, path)
    if mine is None:
        return
    if base is not None and _text(mine) == base:
        found.deleted.append(path)
        found.writes[path] = None
    elif base is not None:
        found.kept[path] = "the scaffold has it no more, but you changed it"
    else:
        found.kept[path] = "the scaffold has it no more, but what it wrote is not known any more"


def _refuse_conflicts(folder: Path, files: Mapping[str, ScaffoldFile]) -> None:
    for path in sorted(files):
        if _has_conflicts(folder, path):
            raise ScaffoldError(
                f"{path} has conflicts of an earlier run or merge; choose what stays between <<<<<<< and "
                ">>>>>>>, delete these marks, and run this again"
            )


def _has_conflicts(folder: Path, path: str) -> bool:
    content = None
    with contextlib.suppress(ScaffoldError):  # What cannot be read is reported when it is needed.
        content = read_file(folder, path)
    return content is not None and has_conflicts(content.decode(errors="replace"))


def _decoded(path: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ScaffoldError(
            f"{path} is not in UTF-8, and cannot be merged; save it in UTF-8, and run this again"
        ) from None


def _text(content: bytes) -> str:
    """A file as the scaffold wrote it, whatever version control made of its line ends."""
    return content.decode(errors="replace").replace("\r\n", "\n")
