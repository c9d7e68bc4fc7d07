"""All files of a project, made of its record: the same record gives the same files."""

from __future__ import annotations

from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.record import ProjectRecord
from kubewright.scaffold.render_config import render_config
from kubewright.scaffold.render_kinds import Names, kinds_of
from kubewright.scaffold.render_package import render_package
from kubewright.scaffold.render_project import render_project
from kubewright.scaffold.render_tests import render_tests

__all__ = ["render"]


def render(record: ProjectRecord) -> dict[str, ScaffoldFile]:
    """The files of a project, by their paths from its folder, with slashes.

    They are all but what `kubewright manifests` writes, whose names those in `config` agree with. The Python
    code in them is as `ruff format` leaves it, and passes `ruff check` and `mypy --strict`.
    """
    names = Names(project=record.name, package=record.package)
    kinds = kinds_of(record)
    files = {
        **render_project(record, names, kinds),
        **render_package(record, names, kinds),
        **render_tests(names, kinds),
        **render_config(names, kinds),
    }
    return dict(sorted(files.items()))
