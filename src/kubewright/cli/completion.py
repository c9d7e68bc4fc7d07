"""`kubewright completion`, and what completes the values of options."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["complete_contexts", "complete_kinds", "complete_sources", "completion"]

_SHELLS: Final = ("bash", "zsh", "fish")
"""Those for which click has scripts in all its versions that are supported."""

_BESIDE_LETTERS: Final = str.maketrans(dict.fromkeys("-._:/@+=,", "a"))
"""What the names of contexts have beside letters and digits, as of EKS and OpenShift, and no shell minds."""

_LONGEST: Final = 1024 * 1024
"""Bytes of a file that is read for the sake of a completion: who presses TAB does not wait for more."""


@click.command()
@click.argument("shell", metavar="|".join(_SHELLS), type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    It completes commands, options, files, contexts of the kubeconfig and kinds of the project.

    \b
    Example, for this shell, and for all from now on:
      source <(kubewright completion bash)
      echo 'source <(kubewright completion bash)' >> ~/.bashrc
    \b
      source <(kubewright completion zsh)        # after compinit
      echo 'source <(kubewright completion zsh)' >> ~/.zshrc
    \b
      kubewright completion fish | source
      kubewright completion fish > ~/.config/fish/completions/kubewright.fish
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - not for help

    from kubewright.cli.bash import register_bash  # noqa: PLC0415 - as above

    register_bash()
    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 - click has them all
    made = found(context.find_root().command, {}, "kubewright", "_KUBEWRIGHT_COMPLETE")
    click.echo(made.source(), nl=False)


def complete_contexts(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The contexts of the kubeconfigs that are meant so far: of --kubeconfig, or those that kubectl reads."""
    del parameter
    given = context.params.get("kubeconfig")
    if given is not None:
        paths = [Path(given)]
    elif os.environ.get("KUBECONFIG"):
        paths = [Path(each) for each in os.environ["KUBECONFIG"].split(os.pathsep) if each]
    else:
        paths = [Path.home() / ".kube" / "config"]
    names = dict.fromkeys(name for path in paths for name in _contexts(path))
    return [name for name in names if name.startswith(incomplete) and _is_plain(name)]


def complete_kinds(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For --group, --version and --kind: those of the project's kinds that agree with what is said so far."""
    name = parameter.name or ""
    said = {each: context.params.get(each) for each in ("group", "version", "kind") if each != name}
    names = dict.fromkeys(
        str(kind[name])
        for kind in _kinds()
        if kind.get(name) and all(value is None or kind.get(key) == value for key, value in said.items())
    )
    return [each for each in names if each.startswith(incomplete) and _is_plain(each)]


def complete_sources(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Files and folders, by the shell; for --from also the word `cluster`."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - for completion alone

    del context
    if incomplete and parameter.name == "source" and "cluster".startswith(incomplete):
        return [CompletionItem("cluster")]
    return [CompletionItem(incomplete, type="file")]


def _is_plain(name: str) -> bool:
    """Whether a name of somebody else's file is just a word to a shell: completions are not quoted."""
    return name.isascii() and name.translate(_BESIDE_LETTERS).isalnum()


def _contexts(path: Path) -> Iterator[str]:
    """Less than `kubewright.config` does, and in a third of the time."""
    from kubewright.machinery import yaml  # noqa: PLC0415 - for completion alone
    from kubewright.machinery.errors import ParseError  # noqa: PLC0415 - as above

    try:
        found = yaml.load(_read(path))
    except ParseError:
        return
    contexts = found.get("contexts") if isinstance(found, dict) else None
    for each in contexts if isinstance(contexts, list) else []:
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield each["name"]


def _kinds() -> list[dict[str, Any]]:
    """The kinds of the project in the present folder, if there is one."""
    import json  # noqa: PLC0415 - for completion alone

    try:
        # The path of kubewright.scaffold.record, which takes long to import.
        found = json.loads(_read(Path(".kubewright/project.json")))
    except ValueError:
        return []
    kinds = found.get("kinds") if isinstance(found, dict) else None
    return [each for each in kinds if isinstance(each, dict)] if isinstance(kinds, list) else []


def _read(path: Path) -> bytes:
    """What is in a file; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except OSError:
        return b""
