"""The program of a project, found without importing any of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kubewright.cli.project_folder import check_project, find_record, samples_in
from kubewright.codegen.project import ProjectError, find_package, read_settings

__all__ = ["Program", "find_program"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What `python -m` runs."""

    folder: Path
    root: Path
    """Where the package is imported from."""
    package: str
    has_webhooks: bool
    has_admission: bool
    """Whether there are webhooks for requests, beside such as convert objects."""


def find_program(folder: Path, package: str | None, *, samples: bool) -> Program:
    """The program of the project in a folder, which has samples if need be. Raises ProjectError."""
    check_project(folder, package)
    name, root = find_package(folder, package)
    place = root.joinpath(*name.split("."))
    if place.is_dir() and not (place / "__main__.py").is_file():
        raise ProjectError(
            f"the package {name} is no program, since it has no __main__.py; write one that runs its Manager"
        )
    if samples:
        samples_in(folder)
    webhooks = _webhooks(folder)
    return Program(
        folder=folder,
        root=root,
        package=name,
        has_webhooks=bool(webhooks),
        has_admission=bool(webhooks - {"conversion"}),
    )


def _webhooks(folder: Path) -> set[str]:
    """What webhooks are for, as far as the scaffold and the generated manifests know."""
    record = find_record(folder)
    found: set[str] = {part for kind in record.kinds for part in kind.webhooks} if record else set()
    manifests = read_settings(folder).get("manifests", "config")
    if isinstance(manifests, str) and (folder / manifests / "webhook" / "manifests.yaml").is_file():
        found.add("admission")
    return found
