"""What the code of a project declares, for commands that bring it to a cluster."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubewright.cli.project_folder import check_project, find_record
from kubewright.machinery.errors import KubewrightError

if TYPE_CHECKING:
    from kubewright.codegen.manifests import Manifest

__all__ = ["conversion_service", "definitions_in", "stale_manifests"]


def definitions_in(folder: Path, package: str | None = None) -> list[Manifest]:
    """The definitions of a project's kinds, as its code has them now, by name.

    Raises ProjectError for a folder that has no project and for code that cannot be imported, and
    DeclarationError for kinds that cannot be.
    """
    from kubewright.codegen.manifests import definitions_of_project  # noqa: PLC0415 - the help needs none
    from kubewright.codegen.project import load_project  # noqa: PLC0415 - as above

    check_project(folder, package)
    # What modules print when they are imported is no answer of the command.
    with contextlib.redirect_stdout(sys.stderr):
        project = load_project(folder, package)
        return definitions_of_project(project.kinds)


def conversion_service(folder: Path) -> tuple[str, str]:
    """The namespace and name of the service that converts objects once the project is deployed.

    They are those of a scaffolded project, and without its record those that stand in generated manifests.
    """
    from kubewright.codegen.webhook_manifests import (  # noqa: PLC0415 - the help needs none of it
        SERVICE_NAME,
        SERVICE_NAMESPACE,
    )

    record = find_record(folder)
    if record is None:
        return SERVICE_NAMESPACE, SERVICE_NAME
    return f"{record.name}-{SERVICE_NAMESPACE}", f"{record.name}-{SERVICE_NAME}"


def stale_manifests(folder: Path) -> list[str]:
    """The generated files that differ from what the code would make now, from the project's folder.

    Nothing where the project does not say which its package is. Raises KubewrightError when its code cannot
    be read.
    """
    from kubewright.codegen.manifest_files import manifest_files  # noqa: PLC0415 - the help needs none of it
    from kubewright.codegen.manifests import manifests_of  # noqa: PLC0415 - as above
    from kubewright.codegen.project import load_project, read_settings  # noqa: PLC0415 - as above

    settings = read_settings(folder)
    if "package" not in settings:
        return []
    with contextlib.redirect_stdout(sys.stderr):
        project = load_project(folder)
        made = manifests_of(project, setup=_text(settings, "setup"))
    output = folder / (_text(settings, "manifests") or "config")
    return [
        (output / name).relative_to(folder).as_posix()
        for name, text in sorted(manifest_files(made).items())
        if not _says(output / name, text)
    ]


def _says(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except FileNotFoundError:
        return False


def _text(settings: dict[str, Any], name: str) -> str:
    value = settings.get(name, "")
    if not isinstance(value, str):
        raise KubewrightError(f"{name} below [tool.kubewright] in pyproject.toml must be a text")
    return value
