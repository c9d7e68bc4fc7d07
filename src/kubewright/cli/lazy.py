"""Groups of commands that are imported when they are used, so that help and completion are quick."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group whose commands stand in a table, by the headings of its help.

    Below a heading are names, each with ("module:attribute", the first line of the command's help). Called
    without a command the group prints its help, with the exit code 2; a command that there is not is answered
    with the nearest one that there is.
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Mapping[str, tuple[str, str]]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **{"no_args_is_help": False, **kwargs})
        self.sections = sections
        self._table = {name: entry for commands in sections.values() for name, entry in commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return [*self._table, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name, imported now."""
        if cmd_name not in self._table:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As of any group; click's own versions differ in what they do where there is nothing to parse."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True, color=ctx.color)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant. Raises UsageError, which names the nearest one."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise click.UsageError(self._unknown(ctx, name), ctx)
        return super().resolve_command(ctx, args)

    def _unknown(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

        names = self.list_commands(ctx)
        near = [each for each in names if name and each.startswith(name)]
        near = near or get_close_matches(name, names, 1, 0.5)
        meant = " or ".join(f"`{ctx.command_path} {each}`" for each in near)
        return f"there is no command {name!r}" + (f"; did you mean {meant}?" if near else "")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lists of commands in the help, of the table alone."""
        del ctx
        longest = max(map(len, self._table), default=0)
        for heading, commands in self.sections.items():
            with formatter.section(heading):
                # Names of one width: all lists are one table to the eye.
                formatter.write_dl([(name.ljust(longest), line) for name, (_, line) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and options that go on so; no command is imported for it."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - for completion alone

        found = [
            CompletionItem(name, help=line)
            for name, (_, line) in self._table.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]
