"""The files in the folder of a project itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.record import ProjectRecord
from kubewright.scaffold.render_kinds import Kind, Names
from kubewright.scaffold.render_text import LINE_LENGTH, fill, lines
from kubewright.scaffold.wheel import VENDOR_PATH

__all__ = ["render_project"]

_COPY_VENDOR: Final = f"COPY {VENDOR_PATH} ./{VENDOR_PATH}"
_VENDOR_ROW: Final = (
    f"| `{VENDOR_PATH}/` | kubewright as a wheel, since no package index has this version; "
    "`kubewright upgrade` refreshes it, so commit it |"
)


def render_project(record: ProjectRecord, names: Names, kinds: Sequence[Kind]) -> dict[str, ScaffoldFile]:
    """Its settings, its words, its image, and what tells people about it."""
    package = {"package": names.package}
    named = {"name": names.project, **package}
    settings = {**named, **_dependency(record), "line_length": str(LINE_LENGTH)}
    vendored = bool(record.wheel)
    return {
        "pyproject.toml": _list(fill("pyproject.toml", settings)),
        "README.md": _list(
            fill(
                "readme.md",
                {
                    **named,
                    "kinds": _first_steps(names, kinds),
                    "vendor": _VENDOR_ROW if vendored else "",
                },
            )
        ),
        "Makefile": _list(fill("makefile", {})),
        "Dockerfile": ScaffoldFile(
            text=fill("dockerfile", {**package, "vendor": _COPY_VENDOR if vendored else ""})
        ),
        ".dockerignore": _list(fill("dockerignore", {"vendor": f"!{VENDOR_PATH}" if vendored else ""})),
        ".gitignore": _list(fill("gitignore", {})),
    }


def _dependency(record: ProjectRecord) -> dict[str, str]:
    """How pip and uv find kubewright: by its version, or in the project itself.

    Hatchling puts the project's folder in place of {root:uri}, since requirements cannot have relative paths;
    uv has a table of its own for them, without which its lock file would have the absolute one.
    """
    if not record.wheel:
        dependency = f'"kubewright>={record.kubewright}",'
        return {"dependency": dependency, "direct_references": "", "uv_sources": "", "ignored": ""}
    path = f"{VENDOR_PATH}/{record.wheel}"
    return {
        "dependency": f'"kubewright @ {{root:uri}}/{path}",',
        "direct_references": lines(["", "[tool.hatch.metadata]", "allow-direct-references = true"]),
        "uv_sources": lines(["", "[tool.uv.sources]", f'kubewright = {{ path = "{path}" }}']),
        "ignored": '"RUF200", # ruff does not know {root:uri}, which hatchling fills in',
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
