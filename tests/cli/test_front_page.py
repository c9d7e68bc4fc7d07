"""docs/cli.md, which has all commands and says the truth about them."""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.testing import CliRunner

from kubewright.cli import main
from kubewright.cli.errors import TRACEBACK
from tests.cli.walking import COMMANDS, command_at

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def leaves() -> list[tuple[str, ...]]:
    """The commands that are no groups."""
    return [path for path in COMMANDS if not isinstance(command_at(path), click.Group)]


def test_names_all_commands_and_no_others() -> None:
    head, _, _ = PAGE.partition("## Which cluster")
    rows = [line for line in head.splitlines() if line.startswith("| `kubewright")]
    named = [row.split("`")[1].removeprefix("kubewright ") for row in rows]
    assert sorted(named) == sorted(" ".join(path) for path in leaves())


def test_names_all_commands_that_print_json() -> None:
    _, _, rest = PAGE.partition("## JSON for scripts")
    table, _, _ = rest.partition("```console")
    for path in leaves():
        outputs = [each for each in command_at(path).params if each.name in {"output", "form"}]
        json_option = any(
            isinstance(each.type, click.Choice) and "json" in each.type.choices for each in outputs
        )
        assert (f"`{' '.join(path)}`" in table) == json_option, path


def test_the_version_is_printed_as_it_says() -> None:
    _, _, rest = PAGE.partition("$ kubewright version --output json\n")
    shown, _, _ = rest.partition("```")
    printed = json.loads(CliRunner().invoke(main, ["version", "--output", "json"]).stdout)
    assert list(json.loads(shown)) == list(printed)
    assert json.loads(shown)["kubernetes"] == printed["kubernetes"]


def test_names_the_environment_variables() -> None:
    for name in ("KUBECONFIG", TRACEBACK, "NO_COLOR", "FORCE_COLOR"):
        assert f"| `{name}` |" in PAGE
