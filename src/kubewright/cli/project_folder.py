"""The folder of a project, as the commands find it that bring the project to a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubewright.scaffold.record import ProjectRecord

__all__ = ["SAMPLES", "check_project", "find_record", "samples_in"]

SAMPLES: Final = "config/samples"
"""Where a project has its samples, from its folder: kubebuilder's place."""


def check_project(folder: Path, package: str | None) -> None:
    """Raises ProjectError for a folder that has no project, unless a package was given."""
    from kubewright.codegen.project import ProjectError  # noqa: PLC0415 - the help needs none of it

    if package is None and not (folder / "pyproject.toml").exists():
        raise ProjectError(
            "there is no pyproject.toml here; go to the project's folder, or make one with `kubewright init`"
        )


def samples_in(folder: Path) -> Path:
    """The folder of a project's samples. Raises ProjectError if there is none."""
    from kubewright.codegen.project import ProjectError  # noqa: PLC0415 - as above

    found = folder / SAMPLES
    if not found.is_dir():
        raise ProjectError(f"there is no folder {SAMPLES}; write samples into it, or leave --samples out")
    return found


def find_record(folder: Path) -> ProjectRecord | None:
    """What the scaffold knows of a project; None where there is no record, or none that can be read."""
    import msgspec  # noqa: PLC0415 - as above

    from kubewright.scaffold.record import RECORD_PATH, ProjectRecord  # noqa: PLC0415 - as above

    try:
        return msgspec.json.decode((folder / RECORD_PATH).read_bytes(), type=ProjectRecord)
    except (OSError, msgspec.MsgspecError):
        return None
