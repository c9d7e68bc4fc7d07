"""The front of the command: its help, its tables, and what it takes to print them."""

from __future__ import annotations

import json
import platform
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from kubewright.cli import main
from kubewright.cli.lazy import LazyGroup
from kubewright.version import KUBERNETES_VERSION, __version__
from tests.cli.walking import COMMANDS, command_at

NAMES = [" ".join(path) for path in COMMANDS]

HEAVY = ["aiohttp", "asyncio", "cryptography", "msgspec", "prometheus_client", "yaml"]
"""Packages that cost more than a command has for its help."""

PARTS = [
    "client",
    "cluster",
    "codegen",
    "config",
    "controllers",
    "models",
    "scaffold",
    "server",
    "sync",
    "testing",
]
"""Of kubewright, likewise."""

HELP_OF_ALL = f"""
import io, sys
from contextlib import redirect_stdout
from kubewright.cli import main
heavy = {[*HEAVY, *(f"kubewright.{part}" for part in PARTS)]!r}
for path in {COMMANDS!r}:
    with redirect_stdout(io.StringIO()) as printed:
        main([*path, "--help"], standalone_mode=False)
    assert "Usage: kubewright" in printed.getvalue(), path
    for name in heavy:
        if name in sys.modules:
            print(" ".join(path), "imports", name)
            heavy.remove(name)
"""


@pytest.mark.parametrize("path", COMMANDS, ids=NAMES)
class TestEveryCommand:
    def test_has_an_example_in_its_help(self, path: tuple[str, ...]) -> None:
        ended = CliRunner().invoke(main, [*path, "--help"])
        assert ended.exit_code == 0
        _, found, example = ended.output.partition("Example")
        assert found, ended.output
        assert " ".join(["kubewright", *path]) in example

    def test_has_a_short_option_for_its_help(self, path: tuple[str, ...]) -> None:
        long, short = (CliRunner().invoke(main, [*path, option]).output for option in ("--help", "-h"))
        assert long == short

    def test_says_what_each_option_is_for(self, path: tuple[str, ...]) -> None:
        for parameter in command_at(path).params:
            if isinstance(parameter, click.Option):
                assert parameter.help, parameter.name

    def test_answers_a_wrong_option_with_one_sentence(self, path: tuple[str, ...]) -> None:
        ended = CliRunner().invoke(main, [*path, "--nosuch"])
        assert (ended.exit_code, ended.stdout) == (2, "")
        (line,) = ended.stderr.splitlines()
        assert line.startswith("Error: ")


def groups() -> list[tuple[tuple[str, ...], LazyGroup]]:
    found = [(path, command_at(path)) for path in COMMANDS]
    return [(path, command) for path, command in found if isinstance(command, LazyGroup)]


def test_the_tables_have_the_first_line_of_each_help() -> None:
    for path, group in groups():
        for commands in group.sections.values():
            for name, (_, line) in commands.items():
                help_text = command_at((*path, name)).help or ""
                first, _, _ = help_text.partition("\n\n")
                assert " ".join(first.split()) == line, name


def test_a_group_alone_prints_its_help() -> None:
    for path in COMMANDS:
        if isinstance(command_at(path), click.Group):
            ended = CliRunner().invoke(main, list(path))
            assert (ended.exit_code, ended.stdout) == (2, "")
            assert ended.stderr == CliRunner().invoke(main, [*path, "--help"]).stdout


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["instal"], "there is no command 'instal'; did you mean `kubewright install`?"),
        (["genrate", "types"], "there is no command 'genrate'; did you mean `kubewright generate`?"),
        (["un"], "there is no command 'un'; did you mean `kubewright uninstall` or `kubewright undeploy`?"),
        (["xyzzy"], "there is no command 'xyzzy'; see `kubewright --help`"),
        ([""], "there is no command ''; see `kubewright --help`"),
        (["generate", "cliant"], "there is no command 'cliant'; did you mean `kubewright generate client`?"),
    ],
)
def test_a_wrong_command_is_answered_with_the_nearest(given: list[str], told: str) -> None:
    ended = CliRunner().invoke(main, given)
    assert (ended.exit_code, ended.stdout, ended.stderr) == (2, "", f"Error: {told}\n")


def test_the_help_fits_a_terminal_and_has_all_commands() -> None:
    printed = CliRunner().invoke(main, ["--help"]).output
    assert all(len(line) <= 80 for line in printed.splitlines())
    words = printed.split()
    for path in COMMANDS:
        assert not path or path[0] in words


def test_no_help_imports_what_it_does_not_need() -> None:
    """In a process of its own: this one has them all."""
    ended = subprocess.run(
        [sys.executable, "-c", HELP_OF_ALL],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.stdout, ended.stderr) == ("", "")


class TestVersion:
    def test_for_people(self) -> None:
        for arguments in (["version"], ["--version"]):
            ended = CliRunner().invoke(main, arguments)
            assert (ended.exit_code, ended.output) == (0, f"kubewright {__version__}\n")

    def test_for_scripts(self) -> None:
        ended = CliRunner().invoke(main, ["version", "-o", "json"])
        assert json.loads(ended.stdout) == {
            "kubewright": __version__,
            "python": platform.python_version(),
            "kubernetes": KUBERNETES_VERSION,
        }
