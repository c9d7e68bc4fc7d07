"""All commands of `kubewright`, as the tables of its groups lead to them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from kubewright.cli import main

__all__ = ["COMMANDS", "command_at"]


def _below(path: tuple[str, ...], command: click.Command) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=" ".join(path))
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _below((*path, name), found)


def command_at(path: tuple[str, ...]) -> click.Command:
    """The command, or the group, of this path."""
    command: click.Command = main
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    return command


COMMANDS = list(_below((), main))
"""Their paths, such as ("create", "api"); that of the outermost group is ()."""
