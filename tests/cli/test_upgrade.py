"""`kubewright upgrade`: projects as an older scaffold left them, brought to the present one."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kubewright.scaffold.project import read_record
from kubewright.version import __version__
from tests.cli.scaffolds import (
    KIND,
    answer,
    contents,
    delete_as_scaffold,
    new_project,
    refusal,
    run,
    write_as_scaffold,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path, KIND)


def make_older(project: Path, path: str) -> None:
    """Put a project back to a scaffold that had another first line in one of the files."""
    _, _, rest = (project / path).read_text().partition("\n")
    write_as_scaffold(project, path, f"# an older line\n{rest}")
    record = project / ".kubewright/project.json"
    record.write_text(record.read_text().replace(f'"{__version__}"', '"0.0.1"'))


def test_help(tmp_path: Path) -> None:
    told = run(tmp_path, "upgrade", "--help").stdout
    for text in ("--dry-run", "--output", "Example", "kubewright upgrade"):
        assert text in told


def test_a_project_that_is_up_to_date(project: Path) -> None:
    before = contents(project)
    told = f"the project has the scaffold of kubewright {__version__} already\n"
    assert run(project, "upgrade").stdout == told
    assert run(project, "upgrade", "--dry-run").stdout == told
    assert contents(project) == before


def test_what_is_new_is_merged_with_what_a_person_wrote(project: Path) -> None:
    now = contents(project)
    path = "src/operator_demo/controllers/custompod.py"
    make_older(project, path)
    mine = (project / path).read_text() + "\n\nMINE = 1\n"
    (project / path).write_text(mine)
    before = contents(project)
    found = answer(project, "upgrade", "--dry-run")
    assert contents(project) == before
    assert found == {
        "from": "0.0.1",
        "to": __version__,
        "dryRun": True,
        "created": [],
        "changed": [path],
        "deleted": [],
        "kept": {},
        "conflicts": [],
    }
    lines = run(project, "upgrade", "--dry-run").stdout.splitlines()
    assert lines == [
        f"changed {path}",
        f"nothing was written; `kubewright upgrade` does this, from 0.0.1 to {__version__}",
    ]
    lines = run(project, "upgrade").stdout.splitlines()
    assert lines == [
        f"changed {path}",
        f"upgraded from 0.0.1 to {__version__}; look at the changes, and run the tests",
    ]
    assert contents(project) == now | {path: now[path] + b"\n\nMINE = 1\n"}
    assert read_record(project).kubewright == __version__


def test_conflicts_have_marks_and_an_exit_code(project: Path) -> None:
    path = "src/operator_demo/__main__.py"
    (theirs, *_) = (project / path).read_text().splitlines()
    make_older(project, path)
    resolved = (project / path).read_text().replace("# an older line", "# my own line")
    (project / path).write_text(resolved)
    before = contents(project)
    assert run(project, "upgrade", "--dry-run", exit_code=1).stdout.splitlines()[0] == f"conflict in {path}"
    assert contents(project) == before
    ended = run(project, "upgrade", exit_code=1)
    assert ended.stdout.splitlines()[0] == f"conflict in {path}"
    assert "edit these files, delete the marks, and run the tests" in ended.stdout
    merged = (project / path).read_text()
    assert merged.splitlines()[:5] == [
        "<<<<<<< yours",
        "# my own line",
        "=======",
        theirs,
        ">>>>>>> the scaffold's",
    ]
    for command in (("upgrade",), ("upgrade", "--dry-run")):
        assert refusal(project, *command).startswith(
            f"{path} has conflicts of an earlier run or merge; choose what"
        )
    (project / path).write_text(resolved)
    assert "already" in run(project, "upgrade").stdout
    assert (project / path).read_text() == resolved


def test_dependencies_that_a_person_added_stay(project: Path) -> None:
    pyproject = project / "pyproject.toml"
    wheel = read_record(project).wheel
    dependency = f"kubewright @ {{root:uri}}/vendor/{wheel}"
    older = pyproject.read_text().replace(dependency, "kubewright>=0.0.1")
    write_as_scaffold(project, "pyproject.toml", older)
    pyproject.write_text(pyproject.read_text().replace('>=0.0.1",\n', '>=0.0.1",\n    "requests",\n'))
    assert answer(project, "upgrade")["changed"] == ["pyproject.toml"]
    assert tomllib.loads(pyproject.read_text())["project"]["dependencies"] == [dependency, "requests"]


def test_the_wheel_is_refreshed(project: Path) -> None:
    """As after a change of the checkout that kubewright is installed from."""
    now = contents(project)
    wheel = read_record(project).wheel
    old = f"kubewright-{__version__}+w000000000000-py3-none-any.whl"
    (project / "vendor" / wheel).rename(project / "vendor" / old)
    write_as_scaffold(project, "pyproject.toml", (project / "pyproject.toml").read_text().replace(wheel, old))
    record = project / ".kubewright/project.json"
    record.write_text(record.read_text().replace(wheel, old))
    assert run(project, "upgrade").stdout.splitlines()[:3] == [
        f"created vendor/{wheel}",
        "changed pyproject.toml",
        f"deleted vendor/{old}",
    ]
    assert contents(project) == now


def test_conflicts_for_scripts(project: Path) -> None:
    path = "src/operator_demo/__main__.py"
    make_older(project, path)
    (project / path).write_text((project / path).read_text().replace("# an older line", "# my own line"))
    assert answer(project, "upgrade", exit_code=1)["conflicts"] == [path]


def test_files_that_come_and_go(project: Path) -> None:
    now = contents(project)
    make_older(project, "Makefile")
    delete_as_scaffold(project, "Dockerfile")
    write_as_scaffold(project, "config/old/gone.yaml", "old: 1\n")
    write_as_scaffold(project, "Old.md", "old\n")
    (project / "Old.md").write_text("mine\n")
    lines = run(project, "upgrade").stdout.splitlines()
    assert lines[:4] == [
        "created Dockerfile",
        "changed Makefile",
        "deleted config/old/gone.yaml",
        "kept Old.md: the scaffold has it no more, but you changed it",
    ]
    assert contents(project) == now | {"Old.md": b"mine\n"}
