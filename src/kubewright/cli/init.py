"""`kubewright init`: a project for an operator."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import Final

import click

from kubewright.cli.errors import WrongUse
from kubewright.cli.output import output_option, print_result
from kubewright.cli.scaffolding import scaffold_errors
from kubewright.version import __version__

__all__ = ["init"]

_HARMLESS: Final = ("COPYING", "LICENSE", "LICENSE.md", "LICENSE.txt", "NOTICE")
"""What a folder may have beside hidden files: what a new repository has, and no project writes."""


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--domain", required=True, metavar="DOMAIN", help="What API groups end with, such as mock.com.")
@click.option("--name", metavar="NAME", help="The project's name.  [default: that of the folder]")
@click.option(
    "--package", metavar="PACKAGE", help="Its Python package.  [default: the name with underscores]"
)
@output_option
def init(folder: Path, *, domain: str, name: str | None, package: str | None, output: str) -> None:
    """Make a project for an operator, in a new folder or in this one.

    The folder may be there if it is empty, but for hidden files (.git) and a license.

    \b
    Example:
      kubewright init --domain mock.com operator-demo
      cd operator-demo
      kubewright create api --group zhhnzw --version v1 --kind CustomPod
    """
    with scaffold_errors():
        from kubewright.scaffold.names import package_of  # noqa: PLC0415 - the help needs none of it
        from kubewright.scaffold.project import locked, make_project  # noqa: PLC0415 - as above
        from kubewright.scaffold.record import ProjectRecord  # noqa: PLC0415 - as above
        from kubewright.scaffold.render import render  # noqa: PLC0415 - as above
        from kubewright.scaffold.wheel import wheel_to_vendor  # noqa: PLC0415 - as above

        place = folder.resolve()
        name = name if name is not None else place.name
        package = package if package is not None else package_of(name)
        _check(name, package, domain)
        _check_folder(folder, place)
        wheel = wheel_to_vendor()
        record = ProjectRecord(
            name=name,
            package=package,
            domain=domain,
            kubewright=__version__,
            wheel=wheel.name if wheel is not None else "",
        )
        with locked(place) if place.is_dir() else contextlib.nullcontext():
            paths = make_project(place, record, render(record), wheel=wheel)
    data = {"name": name, "package": package, "domain": domain, "folder": str(place), "created": paths}
    print_result(output, data, _told(folder, name, len(paths)))


def _check(name: str, package: str, domain: str) -> None:
    from kubewright.scaffold.names import check_domain, check_package, check_project_name  # noqa: PLC0415 - as above

    check_project_name(name)
    check_package(package)
    check_domain(domain)


def _check_folder(folder: Path, place: Path) -> None:
    """Raises ScaffoldError or WrongUse for a folder that no project can be made in."""
    from kubewright.scaffold.errors import ScaffoldError  # noqa: PLC0415 - as above
    from kubewright.scaffold.record import RECORD_PATH  # noqa: PLC0415 - as above

    if (place / RECORD_PATH).exists():
        raise ScaffoldError(
            f"{place} has a project already; add to it with `kubewright create api`, or bring it to a newer "
            "scaffold with `kubewright upgrade`"
        )
    if place.exists() and not place.is_dir():
        raise ScaffoldError(f"{folder} is a file; give the name of a new folder")
    if not place.exists():
        if not place.parent.is_dir():
            raise WrongUse(f"there is no folder {place.parent}; make it first, with mkdir -p")
        return
    others = sorted(
        each.name for each in place.iterdir() if not each.name.startswith(".") and each.name not in _HARMLESS
    )
    if others:
        raise ScaffoldError(
            f"{place} is not empty: it has {', '.join(others[:3])}{' and more' if others[3:] else ''}; "
            "give the name of a new folder"
        )


def _told(folder: Path, name: str, files: int) -> list[str]:
    here = folder.resolve() == Path.cwd()
    return [
        f"made the project {name}: {files} files in {'this folder' if here else folder}",
        "",
        "Next:",
        *([] if here else [f"  cd {shlex.quote(str(folder))}"]),
        "  kubewright create api --group GROUP --version v1 --kind KIND",
    ]
