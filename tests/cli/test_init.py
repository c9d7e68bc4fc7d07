"""`kubewright init`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kubewright.scaffold.pristine import copy_path
from kubewright.scaffold.project import read_record
from kubewright.version import __version__
from tests.cli.scaffolds import KIND, answer, contents, refusal, run


def test_help(tmp_path: Path) -> None:
    told = run(tmp_path, "init", "--help").stdout
    for text in (
        "--domain",
        "--name",
        "--package",
        "--output",
        "Example",
        "kubewright init --domain mock.com",
    ):
        assert text in told


def test_a_new_folder(tmp_path: Path) -> None:
    lines = run(tmp_path, "init", "--domain", "mock.com", "operator-demo").stdout.splitlines()
    assert lines[0].startswith("made the project operator-demo: ")
    assert lines[1:] == [
        "",
        "Next:",
        "  cd operator-demo",
        "  kubewright create api --group GROUP --version v1 --kind KIND",
    ]
    assert os.listdir(tmp_path) == ["operator-demo"]
    project = tmp_path / "operator-demo"
    record = read_record(project)
    assert (record.name, record.package, record.domain) == ("operator-demo", "operator_demo", "mock.com")
    assert record.kubewright == __version__
    for path in ("pyproject.toml", "src/operator_demo/__main__.py", copy_path("pyproject.toml")):
        assert (project / path).is_file()


def test_names_of_its_own_and_an_answer_for_scripts(tmp_path: Path) -> None:
    found = answer(
        tmp_path, "init", "--domain", "mock.com", "x", "--name", "my-operator", "--package", "mine"
    )
    assert {**found, "created": []} == {
        "name": "my-operator",
        "package": "mine",
        "domain": "mock.com",
        "folder": str(tmp_path / "x"),
        "created": [],
    }
    assert "src/mine/__init__.py" in found["created"]
    files = {path for path, content in contents(tmp_path / "x").items() if content != b"/"}
    assert set(found["created"]) == {path for path in files if not path.startswith(".kubewright/")}


@pytest.mark.parametrize("where", [[], ["."]])
def test_the_present_folder(tmp_path: Path, where: list[str]) -> None:
    folder = tmp_path / "operator-demo"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / "LICENSE").write_text("mine\n")
    told = run(folder, "init", "--domain", "mock.com", *where).stdout
    assert "in this folder" in told
    assert "cd " not in told
    assert (folder / "LICENSE").read_text() == "mine\n"
    assert read_record(folder).name == "operator-demo"
    run(folder, "create", "api", *KIND)


def test_the_present_folder_when_it_is_empty(tmp_path: Path) -> None:
    number = tmp_path.stat().st_ino
    run(tmp_path, "init", "--domain", "mock.com", "--name", "operator-demo")
    assert tmp_path.stat().st_ino == number
    run(tmp_path, "create", "api", *KIND)


def test_an_empty_folder_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "operator-demo").mkdir()
    run(tmp_path, "init", "--domain", "mock.com", "operator-demo")
    run(tmp_path / "operator-demo", "create", "api", *KIND)


def test_folders_that_are_in_the_way(tmp_path: Path) -> None:
    init = ("init", "--domain", "mock.com")
    (tmp_path / "full").mkdir()
    for name in ("a", "b", "c", "d", ".hidden"):
        (tmp_path / "full" / name).write_text("")
    place = tmp_path / "full"
    sentence = f"{place} is not empty: it has a, b, c and more; give the name of a new folder"
    assert refusal(tmp_path, *init, "full") == sentence
    assert refusal(place, *init) == sentence
    assert refusal(tmp_path, *init, "full/a") == "full/a is a file; give the name of a new folder"
    missing = tmp_path / "no/such"
    assert (
        refusal(tmp_path, *init, "no/such/demo", exit_code=2)
        == f"there is no folder {missing}; make it first, with mkdir -p"
    )
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository/.gitignore").write_text("mine\n")
    told = refusal(tmp_path, *init, "repository")
    assert told.startswith(f"{tmp_path}/repository/.gitignore is there already, and would be overwritten;")
    run(tmp_path, *init, "demo")
    told = refusal(tmp_path, *init, "demo")
    assert told.startswith(f"{tmp_path}/demo has a project already; add to it with `kubewright create api`")
    assert refusal(tmp_path / "demo", *init) == told


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["Operator_Demo"], "'Operator_Demo' cannot be the name of a project"),
        (["class"], "'class' is a keyword of Python and no name of a package; give --package class_operator"),
        (["json"], "a package 'json' would hide a module of Python's own; give --package json_operator"),
        (["kubewright"], "a package 'kubewright' would hide the one that operators import"),
        (["x", "--package", "a b"], "'a b' cannot be the name of a package"),
        (["x", "--name", ""], "'' cannot be the name of a project"),
        (["x", "--domain", "k8s.io"], "'k8s.io' belongs to the Kubernetes community"),
        (["x", "--domain", "a_b.com"], "'a_b.com' cannot be the domain of API groups"),
        (["/"], "'' cannot be the name of a project"),
    ],
)
def test_wrong_names(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    told = refusal(tmp_path, "init", "--domain", "mock.com", *arguments, exit_code=2)
    assert told.startswith(sentence)


def test_the_record_is_what_a_person_can_read(tmp_path: Path) -> None:
    run(tmp_path, "init", "--domain", "mock.com", "operator-demo")
    text = (tmp_path / "operator-demo/.kubewright/project.json").read_text()
    assert text.endswith("}\n")
    assert json.loads(text)["kinds"] == []
