"""With `-o json` standard output has one JSON document, also of a command that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.output import wants_json
from tests.cli.commands import run_command
from tests.cli.scaffolds import KIND, new_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("made"), KIND)


def documents(text: str) -> list[Any]:
    """All JSON documents of a text that has nothing else."""
    found, decoder = [], json.JSONDecoder()
    while text := text.strip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("init", "--domain", "mock.com", "x", "-o", "json"), 0),
        (("init", "--domain", "k8s.io", "y", "-o", "json"), 2),
        (("init", "--domain", "mock.com", ".", "-o", "json"), 1),
        (("create", "api", *KIND, "--plural", "../x", "-o", "json"), 2),
        (("create", "api", "--nothing", "-o", "json"), 2),
        (("upgrade", "nothing", "--output=json"), 2),
        (("version", "nothing", "-ojson"), 2),
        (("manifests", "-o", "json"), 0),
        (("manifests", "-o", "json", "--package", "nowhere"), 2),
        (("manifests", "--format=json", "--check", "nowhere"), 2),
        (("manifests", "-o", "json", "--output", "-"), 2),
        (("generate", "client", "-o", "json"), 0),
        (("generate", "client", "-o", "json", "--package", "nowhere"), 2),
        (("generate", "types", "-o", "json", "--from", "nowhere"), 2),
        (("generate", "types", "-o", "json", "--from", "tests"), 1),
        (("install", "-o", "json", "--kubeconfig", "nowhere"), 2),
        (("deploy", "-o", "json", "--directory", "nowhere"), 2),
        (("undeploy", "-o", "json", "--directory", "nowhere"), 2),
        (("server", "-o", "json", "--token-auth-file", "nowhere"), 2),
        (("server", "-o", "json", "--data-dir", "pyproject.toml"), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_one_document(project: Path, arguments: tuple[str, ...], code: int) -> None:
    ended = run_command(*arguments, folder=project)
    assert ended.returncode == code, ended
    (document,) = documents(ended.stdout)
    assert isinstance(document, dict)
    if code == 0:
        assert "error" not in document
    else:
        (line,) = (line for line in ended.stderr.splitlines() if line.startswith("Error: "))
        # Only what is about the call has where to read about it.
        assert line.removeprefix("Error: ").startswith(document["error"])


def test_what_manifests_and_generate_answer(project: Path, tmp_path: Path) -> None:
    output = ("--output", str(tmp_path / "config"))
    (first,) = documents(run_command("manifests", "-o", "json", *output, folder=project).stdout)
    assert {path.rpartition("/")[2] for path in first["written"]} >= {"role.yaml"}
    assert (first["unchanged"], first["stale"], first["notes"]) == ([], [], [])
    (again,) = documents(run_command("manifests", "-o", "json", *output, folder=project).stdout)
    assert (again["written"], sorted(again["unchanged"])) == ([], sorted(first["written"]))
    (definition,) = (path for path in first["written"] if "bases" in path)
    check = ("manifests", "-o", "json", "--check", definition)
    assert documents(run_command(*check, folder=project).stdout) == [{"findings": []}]
    types = ("generate", "types", "--from", definition, "-o", "json", "--output", str(tmp_path / "kinds"))
    (made,) = documents(run_command(*types, folder=project).stdout)
    assert made["written"]
    assert made["notes"] == []
    client = ("generate", "client", "-o", "json", "--output", str(tmp_path / "client"))
    (made,) = documents(run_command(*client, folder=project).stdout)
    assert made["written"]
    assert made["deleted"] == []


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("init -o json", True),
        ("init --output json", True),
        ("init --output=json x", True),
        ("init -ojson", True),
        ("uninstall -yo json", True),
        ("init -o text json", False),
        ("init json", False),
        ("run -- -o json", False),
        ("manifests --output json", False),
        ("manifests --format json", True),
        ("generate types --output json", False),
        ("init -o", False),
        ("", False),
    ],
)
def test_command_lines_that_ask_for_it(line: str, wanted: bool) -> None:
    assert wants_json(line.split()) is wanted
