"""`kubewright generate client`: from a project to the files of its client."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

from kubewright.codegen.client_modules import client_modules
from kubewright.codegen.client_names import client_groups
from kubewright.codegen.client_stubs import client_left_out
from kubewright.codegen.generated_files import Written, is_generated, write_generated
from kubewright.codegen.project import CLIENT_HEADER, Project, ProjectError, find_package, load_project
from kubewright.crd.declaration import declaration_of
from kubewright.machinery.resource import Resource

__all__ = ["generate_client", "line_length"]

_DEFAULT_LENGTH: Final = 88
"""Of ruff and of black."""

_CLIENT: Final = "client"
"""The package below the project's that has the client, unless another one is asked for."""


def generate_client(
    folder: Path, package: str | None, output: Path | None, *, note: Callable[[str], None]
) -> tuple[Path, Written]:
    """Write the client of a project's kinds; returns where, and what was written and deleted.

    `note` is called with a sentence on each kind that is left out. Files that a person wrote are never
    touched, and nothing at all is written if one is in the way. Raises ProjectError and ParseError.
    """
    name, root = find_package(folder, package)
    if output is None:
        place = folder.joinpath(root.relative_to(folder.absolute()), *name.split("."))
        if not place.is_dir():
            raise ProjectError(f"{name} is one module and has no room for a client; say where with --output")
        output = place / _CLIENT
    client = _stale_client(output, root, name)
    with client_left_out(client) if client else nullcontext():
        project = load_project(folder, name)
    groups = client_groups(_served(project, note))
    files = client_modules(name, groups, width=line_length(folder))
    return output, write_generated(output, files, header=CLIENT_HEADER, optional={"py.typed"}, prune=True)


def line_length(folder: Path) -> int:
    """The line length that a project's formatter is set to; that of ruff and black when nothing is said."""
    for name, table in (
        (".ruff.toml", ()),
        ("ruff.toml", ()),
        ("pyproject.toml", ("tool", "ruff")),
        ("pyproject.toml", ("tool", "black")),
    ):
        try:
            settings: Any = tomllib.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        for word in table:
            settings = settings.get(word, {}) if isinstance(settings, dict) else {}
        found = settings.get("line-length") if isinstance(settings, dict) else None
        if isinstance(found, int):
            return found
    return _DEFAULT_LENGTH


def _stale_client(output: Path, root: Path, package: str) -> str | None:
    """The name of the package that is generated, if it is below the root and no person's."""
    place = Path(os.path.abspath(output))
    if not place.is_relative_to(root):
        return None
    client = ".".join(place.relative_to(root).parts)
    first = place / "__init__.py"
    if f"{package}.".startswith(f"{client}."):
        return None
    if first.exists() and not is_generated(
        first.read_text(encoding="utf-8", errors="replace"), CLIENT_HEADER
    ):
        return None
    return client


def _served(project: Project, note: Callable[[str], None]) -> list[type[Resource]]:
    if not project.kinds:
        raise ProjectError(
            f"{project.package} has no custom resources; declare one with @custom_resource(...), or "
            "name another --package"
        )
    served = []
    for cls in project.kinds:
        if declaration_of(cls).version.served:
            served.append(cls)
        else:
            note(f"{cls.gvk.kind} of {cls.gvk.api_version} is not served, so it is left out")
    if not served:
        raise ProjectError(f"{project.package} has no custom resource that is served; none needs a client")
    return served
