"""`kubewright upgrade`: a project on the scaffold of the present version."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubewright.cli.output import output_option, print_result
from kubewright.cli.scaffolding import opened_project, scaffold_errors, update_data, update_lines
from kubewright.version import __version__

if TYPE_CHECKING:
    from kubewright.scaffold.project import Update

__all__ = ["upgrade"]


@click.command()
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would become of the files.")
@output_option
def upgrade(*, dry_run: bool, output: str) -> None:
    """Bring the project to the scaffold of this version of kubewright.

    What is new in the scaffold is merged with what a person wrote. Where both changed the same lines, the
    file has both of them between marks, and the exit code is 1. A wheel of kubewright in vendor/ is replaced
    by one of this version, or deleted where the package index has the version.

    \b
    Example:
      kubewright upgrade --dry-run
      kubewright upgrade
    """
    with scaffold_errors():
        from msgspec.structs import replace  # noqa: PLC0415 - the help needs none of it

        from kubewright.scaffold.project import plan, update  # noqa: PLC0415 - as above
        from kubewright.scaffold.render import render  # noqa: PLC0415 - as above
        from kubewright.scaffold.wheel import wheel_to_vendor  # noqa: PLC0415 - as above

        wheel = wheel_to_vendor()
        with opened_project() as old:
            new = replace(old, kubewright=__version__, wheel=wheel.name if wheel is not None else "")
            run = plan if dry_run else update
            found = run(Path(), new, render(new), wheel=wheel, old_wheel=old.wheel)
    data = {"from": old.kubewright, "to": __version__, "dryRun": dry_run, **update_data(found)}
    print_result(output, data, _told(old.kubewright, found, dry_run=dry_run))
    if found.conflicts:
        sys.exit(1)


def _told(old: str, found: Update, *, dry_run: bool) -> Iterator[str]:
    if found.is_empty:
        yield f"the project has the scaffold of kubewright {__version__} already"
        return
    yield from update_lines(found, dry_run=dry_run)
    if dry_run:
        yield f"nothing was written; `kubewright upgrade` does this, from {old} to {__version__}"
    elif not found.conflicts:
        yield f"upgraded from {old} to {__version__}; look at the changes, and run the tests"
