"""The files in the folder of a project itself."""

from __future__ import annotations

from collections.abc import Sequence

from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.record import ProjectRecord
from kubewright.scaffold.render_kinds import Kind, Names
from kubewright.scaffold.render_text import LINE_LENGTH, fill, lines

__all__ = ["render_project"]


def render_project(record: ProjectRecord, names: Names, kinds: Sequence[Kind]) -> dict[str, ScaffoldFile]:
    """Its settings, its words, its image, and what tells people about it."""
    package = {"package": names.package}
    named = {"name": names.project, **package}
    settings = {**named, "kubewright": record.kubewright, "line_length": str(LINE_LENGTH)}
    return {
        "pyproject.toml": _list(fill("pyproject.toml", settings)),
        "README.md": _list(fill("readme.md", {**named, "kinds": _first_steps(names, kinds)})),
        "Makefile": _list(fill("makefile", {})),
        "Dockerfile": ScaffoldFile(text=fill("dockerfile", package)),
        ".dockerignore": _list(fill("dockerignore", {})),
        ".gitignore": _list(fill("gitignore", {})),
    }


def _list(text: str) -> ScaffoldFile:
    return ScaffoldFile(text=text, additions="both")


def _first_steps(names: Names, kinds: Sequence[Kind]) -> str:
    """What to edit first."""
    if not kinds:
        return lines(
            [
                "There is no kind yet. Make one, and edit what that writes:",
                "",
                "```console",
                "$ kubewright create api --group GROUP --version v1 --kind KIND",
                "```",
            ]
        )
    package = f"src/{names.package}"
    said = ["What to edit first:", ""]
    for kind in kinds:
        said.append(f"- `{package}/api/{kind.hub.version}/{kind.module}.py`: the fields of {kind.name}")
        if kind.has_controller:
            said.append(f"- `{package}/controllers/{kind.module}.py`: what is done for it")
    return lines([*said, "", "Then `make manifests test`."])
