"""`kubewright manifests`: CRDs, RBAC and webhook configurations from a project's code."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubewright.cli.completion import complete_sources
from kubewright.cli.errors import WrongUse, one_sentence
from kubewright.cli.output import Notes, format_option, note, print_result
from kubewright.machinery.errors import KubewrightError

if TYPE_CHECKING:
    from kubewright.codegen.manifests import Manifests
    from kubewright.codegen.project import Project

__all__ = ["manifests"]


@click.command()
@click.option("--package", metavar="NAME", help="The package to look into; default: that of pyproject.toml.")
@click.option(
    "--setup",
    metavar="MODULE:FUNCTION",
    help="The function that registers controllers and webhooks; default: that of pyproject.toml.",
)
@click.option(
    "--output",
    metavar="DIR|-",
    shell_complete=complete_sources,
    help="The folder to write below, or - for standard output; default: that of pyproject.toml, or config.",
)
@click.option(
    "--check",
    metavar="OLD.yaml|DIR",
    shell_complete=complete_sources,
    help="Write nothing; say which changes since these definitions would invalidate stored objects.",
)
@click.option("--verbose", is_flag=True, help="Show the traceback of an error in the project's code.")
@format_option
def manifests(
    package: str | None, setup: str | None, output: str | None, check: str | None, *, verbose: bool, form: str
) -> None:
    """Write CRDs, RBAC and webhook configurations from the code.

    The modules of the package are imported and searched for custom resources, @rbac marks and webhooks. Files
    that were generated before are replaced, those that a person wrote never. The exit code is 1 when --check
    finds something, and 2 for mistakes.

    \b
    Example:
      kubewright manifests
      kubewright manifests --output - | kubectl apply -f -
      kubewright manifests --check released/crd.yaml
    """
    if output in {"json", "text"}:  # which --output takes in other commands
        raise click.UsageError(
            f"--output is a folder, or - for standard output; write ./{output} for one of that name, or "
            f"--format {output} for the form of the result"
        )
    if output == "-" and form == "json":
        raise click.UsageError("--output - and --format json both want standard output; choose one")
    # Nothing of what is made here is garbage before the end, and looking for it takes a fifth of the time.
    gc.disable()
    try:
        with one_sentence(WrongUse), _shown_causes(verbose=verbose):
            found = _run(package, setup, output, check, form)
    finally:
        gc.enable()
    if found:
        sys.exit(1)


@contextlib.contextmanager
def _shown_causes(*, verbose: bool) -> Iterator[None]:
    """With `verbose`, show the traceback of what an error came of."""
    try:
        yield
    except KubewrightError as error:
        if verbose and error.__cause__ is not None:
            import traceback  # noqa: PLC0415 - for mistakes alone

            click.echo("".join(traceback.format_exception(error.__cause__)), err=True, nl=False)
        raise


def _run(package: str | None, setup: str | None, output: str | None, check: str | None, form: str) -> bool:
    """Whether there are findings."""
    from kubewright.codegen.manifests import definitions_of_project, manifests_of  # noqa: PLC0415 - for help
    from kubewright.codegen.project import load_project  # noqa: PLC0415 - as above

    # What modules print when they are imported does not belong between manifests.
    with contextlib.redirect_stdout(sys.stderr):
        project = load_project(Path(), package)
        if check is not None:
            definitions = definitions_of_project(project.kinds)
        else:
            made = manifests_of(project, setup=setup or _setting(project, "setup"))
    if check is not None:
        from kubewright.codegen.crd_files import read_definitions, read_stream  # noqa: PLC0415 - as above
        from kubewright.codegen.manifest_check import harmful_changes  # noqa: PLC0415 - as above

        old = read_stream(sys.stdin.buffer, note=note) if check == "-" else None
        found = harmful_changes(read_definitions(Path(check), note=note) if old is None else old, definitions)
        print_result(form, {"findings": list(found)}, found)
        return bool(found)
    _write(made, output or _setting(project, "manifests") or "config", form)
    return False


def _write(made: Manifests, output: str, form: str) -> None:
    from kubewright.codegen.manifest_files import (  # noqa: PLC0415 - as above
        manifest_files,
        manifest_stream,
        write_manifests,
    )

    notes = Notes()
    for sentence in made.notes:
        notes.add(sentence)
    if output == "-":
        click.echo(manifest_stream(made), nl=False)
        return
    files = manifest_files(made)
    if not files:
        notes.add(
            "the project declares no kinds, no rights and no webhooks, so that there is nothing to write"
        )
    done = write_manifests(Path(output), files)
    for path in done.stale:
        notes.add(f"{path} was generated earlier, and the code has nothing for it any more; delete it")
    data = {
        "written": [str(path) for path in done.written],
        "unchanged": [str(path) for path in done.unchanged],
        "stale": [str(path) for path in done.stale],
        "notes": notes.sentences,
    }
    paths = sorted([*done.written, *done.unchanged])
    print_result(form, data, (f"{'wrote' if path in done.written else 'unchanged'} {path}" for path in paths))


def _setting(project: Project, name: str) -> str:
    from kubewright.codegen.project import ProjectError  # noqa: PLC0415 - as above

    value = project.settings.get(name, "")
    if not isinstance(value, str):
        path = project.folder / "pyproject.toml"
        raise ProjectError(f"{path}: {name} below [tool.kubewright] must be a text")
    return value
