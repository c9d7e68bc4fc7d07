"""`kubewright upgrade` of projects that ruff has formatted, with settings that are not the scaffold's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.scaffolds import KIND, answer, contents, new_project, run, write_as_scaffold

RUFF = Path(sys.executable).parent / "ruff"
KIND_MODULE = "src/operator_demo/api/v1/custompod.py"
CONTROLLER = "src/operator_demo/controllers/custompod.py"
MINE = '\n\ndef mine( first ):\n    """What a person wrote."""\n    return {"first":first}\n'


def format_all(project: Path) -> None:
    """Do what a person's editor or pre-commit hook does: shorter lines, and everything that can be fixed."""
    for arguments in (
        ("check", "--fix", "--quiet", "--select", "I,UP,RUF,C4"),
        ("format", "--quiet", "--line-length", "60"),
    ):
        # What `check` cannot fix is not the point.
        subprocess.run([RUFF, *arguments, "."], cwd=project, check=arguments[0] == "format")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose controller is of an older scaffold, changed by a person."""
    project = new_project(tmp_path, KIND)
    head, _, rest = (project / CONTROLLER).read_text().partition("\n")
    write_as_scaffold(project, CONTROLLER, f'"""An older line."""\n{rest}')
    assert head != '"""An older line."""'
    for path in (KIND_MODULE, CONTROLLER):
        (project / path).write_text((project / path).read_text() + MINE)
    return project


def test_nothing_is_lost_and_nothing_is_formatted_back(project: Path) -> None:
    unformatted = contents(project)
    format_all(project)
    before = contents(project)
    formatted = {path for path in unformatted if before[path] != unformatted[path]}
    assert len(formatted) >= 5
    assert not [path for path in formatted if path.startswith(".kubewright/")]
    assert answer(project, "upgrade")["changed"] == [CONTROLLER]
    after = contents(project)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert {path for path in changed if not path.startswith(".kubewright/")} == {CONTROLLER}
    # What is new came in, and all else is as ruff left it.
    old, new = before[CONTROLLER].decode(), after[CONTROLLER].decode()
    assert new == old.replace('"""An older line."""', new.partition("\n")[0])
    assert new.startswith('"""The controller of CustomPod')
    assert "def mine(first):" in new


def test_caches_of_tools_stay(project: Path) -> None:
    run(project, "upgrade")
    format_all(project)
    before = contents(project)
    assert ".ruff_cache/.gitignore" in before
    assert "already" in run(project, "upgrade").stdout
    run(project, "create", "api", "--group", "shop", "--version", "v1", "--kind", "Order")
    after = contents(project)
    assert {path for path in before if path not in after} == set()


def test_a_project_with_copies_of_an_early_version(project: Path) -> None:
    """Ruff has formatted these copies together with the files."""
    run(project, "upgrade")
    for copy in sorted(project.glob(".kubewright/scaffold/**/*.pristine")):
        header, _, text = copy.read_text().partition("\n")
        assert header
        copy.with_name(copy.name.removesuffix(".pristine")).write_text(text)
        copy.unlink()
    pyproject = project / ".kubewright/scaffold/pyproject.toml"
    for place in (pyproject, project / "pyproject.toml"):
        place.write_text(place.read_text().replace('extend-exclude = [".kubewright"]\n', ""))
    format_all(project)
    before = contents(project)
    assert ".kubewright/scaffold/.ruff_cache/.gitignore" in before
    assert answer(project, "upgrade")["changed"] == ["pyproject.toml"]
    after = contents(project)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert {path for path in changed if not path.startswith(".kubewright/")} == {"pyproject.toml"}
    assert ".ruff_cache/.gitignore" in after
    assert "already" in run(project, "upgrade").stdout
