"""`kubewright create`: kinds and webhooks in a project."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kubewright.cli.completion import complete_kinds
from kubewright.cli.lazy import LazyGroup
from kubewright.cli.output import output_option, print_result
from kubewright.cli.scaffolding import opened_project, scaffold_errors, update_data, update_lines, updated

if TYPE_CHECKING:
    from kubewright.scaffold.project import Update
    from kubewright.scaffold.record import ProjectRecord, WebhookPart

__all__ = ["create"]

F = TypeVar("F", bound=Callable[..., Any])


def _kind_options(command: F) -> F:
    """A decorator of commands: which kind, as `group`, `version` and `kind`."""
    options = {
        "--group": "What stands before the project's domain; may be ''.",
        "--version": "Such as v1, v1beta1 or v2alpha1.",
        "--kind": "In CamelCase, such as CustomPod.",
    }
    for option, told in reversed(options.items()):
        word = option[2:].upper()
        command = click.option(option, required=True, metavar=word, shell_complete=complete_kinds, help=told)(
            command
        )
    return command


_COMMANDS: Final = {
    "Commands": {
        "api": (
            "kubewright.cli.create:api",
            "Add a kind, or a version of one, with its controller, test, sample and rights.",
        ),
        "webhook": (
            "kubewright.cli.create:webhook",
            "Add webhooks to a version of a kind, beside those that it has.",
        ),
    }
}


@click.group(cls=LazyGroup, sections=_COMMANDS)
def create() -> None:
    """Add a kind or its webhooks to a project.

    What a person wrote stays: new lines are merged into files, and files that are there are left alone.

    \b
    Example:
      kubewright create api --group zhhnzw --version v1 --kind CustomPod
      kubewright create webhook --group zhhnzw --version v1 --kind CustomPod --defaulting --validation
    """


@click.command()
@_kind_options
@click.option(
    "--plural", metavar="NAME", help="The name in paths, in lower case.  [default: by the rules of English]"
)
@click.option(
    "--cluster-scoped/--namespaced", default=None, help="Where objects are.  [default: in namespaces]"
)
@click.option("--controller/--no-controller", default=None, help="Whether one is made.  [default: it is]")
@output_option
def api(
    *,
    group: str,
    version: str,
    kind: str,
    plural: str | None,
    cluster_scoped: bool | None,
    controller: bool | None,
    output: str,
) -> None:
    """Add a kind, or a version of one, with its controller, test, sample and rights.

    The same again changes nothing. The version that is created first is the one in which objects are stored.

    \b
    Example:
      kubewright create api --group zhhnzw --version v1 --kind CustomPod
      kubewright create api --group zhhnzw --version v2 --kind CustomPod
    """
    with scaffold_errors():
        from kubewright.scaffold.kinds import with_kind  # noqa: PLC0415 - the help needs none of it

        with opened_project() as old:
            new = with_kind(
                old,
                group=group,
                version=version,
                kind=kind,
                plural=plural,
                namespaced=None if cluster_scoped is None else not cluster_scoped,
                controller=controller,
            )
            found = updated(old, new)
    steps = [
        f"  edit src/{new.package}/api/{version}/{_module(found, version, kind)}",
        "  kubewright manifests",
    ]
    _end(output, new, (group, version, kind), found, steps)


@click.command()
@_kind_options
@click.option("--defaulting", is_flag=True, help="Fill in what was left out of objects.")
@click.option("--validation", is_flag=True, help="Refuse objects, for reasons that no schema can say.")
@click.option("--conversion", is_flag=True, help="Convert objects between the versions of the kind.")
@output_option
def webhook(
    *, group: str, version: str, kind: str, defaulting: bool, validation: bool, conversion: bool, output: str
) -> None:
    """Add webhooks to a version of a kind, beside those that it has.

    The same again changes nothing.

    \b
    Example:
      kubewright create webhook --group zhhnzw --version v1 --kind CustomPod --defaulting --validation
    """
    asked: dict[WebhookPart, bool] = {
        "defaulting": defaulting,
        "validation": validation,
        "conversion": conversion,
    }
    with scaffold_errors():
        from kubewright.scaffold.kinds import with_webhooks  # noqa: PLC0415 - as above

        parts = [part for part, is_asked in asked.items() if is_asked]
        with opened_project() as old:
            new = with_webhooks(old, group=group, version=version, kind=kind, parts=parts)
            found = updated(old, new)
    # Conversions are methods of the kind, and so in a file that was there.
    edited = (
        path
        for path in (*found.created, *found.changed)
        if path.startswith("src/") and path.endswith(f"{kind.lower()}.py")
    )
    steps = [f"  edit {path}" for path in edited]
    _end(output, new, (group, version, kind), found, [*steps, "  kubewright manifests"])


def _module(found: Update, version: str, kind: str) -> str:
    """The module of the kind among what was created; it has another name where two groups have the kind."""
    names = (path.rpartition("/")[2] for path in found.created if f"/api/{version}/" in path)
    return next((name for name in names if name.endswith(f"{kind.lower()}.py")), f"{kind.lower()}.py")


def _end(
    output: str, record: ProjectRecord, key: tuple[str, str, str], found: Update, steps: list[str]
) -> None:
    group, version, kind = key
    api_group = f"{group}.{record.domain}" if group else record.domain
    data = {"group": api_group, "version": version, "kind": kind, **update_data(found)}

    def lines() -> Iterator[str]:
        if found.is_empty:
            yield f"{kind} of {api_group}/{version} is there already, and nothing has changed"
            return
        yield from update_lines(found)
        if not found.conflicts:
            yield from ["", "Next:", *steps]

    print_result(output, data, lines())
    if found.conflicts:
        sys.exit(1)
