"""What the commands that change projects have in common: errors, the project, and what they print."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubewright.cli.errors import WrongUse, one_sentence

if TYPE_CHECKING:
    from kubewright.scaffold.project import Update
    from kubewright.scaffold.record import ProjectRecord

__all__ = ["opened_project", "scaffold_errors", "update_data", "update_lines", "updated"]


@contextlib.contextmanager
def scaffold_errors() -> Iterator[None]:
    """Make of a ScaffoldError the end of the command: exit code 2 for mistakes in what was given, else 1."""
    from kubewright.scaffold.errors import NotAProject, WrongName  # noqa: PLC0415 - the help needs none of it

    with one_sentence():
        try:
            yield
        except (NotAProject, WrongName) as error:
            raise WrongUse(" ".join(str(error).split())) from error


@contextlib.contextmanager
def opened_project() -> Iterator[ProjectRecord]:
    """The project in the present folder, which no other command changes meanwhile. Raises ScaffoldError."""
    from kubewright.scaffold.project import locked, read_record  # noqa: PLC0415 - as above

    with locked(Path()):
        yield read_record(Path())


def updated(old: ProjectRecord, new: ProjectRecord) -> Update:
    """Bring the project in the present folder from a record to another one. Raises ScaffoldError.

    A project of an older scaffold is refused if the present one differs: one change would hide in the other.
    """
    from msgspec.structs import replace  # noqa: PLC0415 - as above

    from kubewright.scaffold.errors import ScaffoldError  # noqa: PLC0415 - as above
    from kubewright.scaffold.project import is_current, update  # noqa: PLC0415 - as above
    from kubewright.scaffold.render import render  # noqa: PLC0415 - as above
    from kubewright.version import __version__  # noqa: PLC0415 - as above

    if old.kubewright != __version__ and not is_current(Path(), render(replace(old, kubewright=__version__))):
        raise ScaffoldError(
            f"the project has the scaffold of kubewright {old.kubewright}, and this is {__version__}; "
            "run `kubewright upgrade` first"
        )
    new = replace(new, kubewright=__version__)
    return update(Path(), new, render(new))


def update_data(found: Update) -> Mapping[str, Any]:
    """What became of the files, for scripts."""
    return {
        "created": found.created,
        "changed": found.changed,
        "deleted": found.deleted,
        "kept": found.kept,
        "conflicts": found.conflicts,
    }


def update_lines(found: Update, *, dry_run: bool = False) -> Iterator[str]:
    """What became of the files, or would, for people."""
    for word, paths in (("created", found.created), ("changed", found.changed), ("deleted", found.deleted)):
        yield from (f"{word} {path}" for path in paths)
    yield from (f"kept {path}: {reason}" for path, reason in found.kept.items())
    yield from (f"conflict in {path}" for path in found.conflicts)
    if found.conflicts and not dry_run:
        yield ""
        yield "You and the scaffold changed the same lines. Both are there, between <<<<<<< and >>>>>>>:"
        yield "edit these files, delete the marks, and run the tests. Until then they are no Python or YAML."
