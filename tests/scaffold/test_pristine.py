"""Pristine copies that other programs changed, and those of projects of early versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubewright.scaffold.errors import ScaffoldError
from kubewright.scaffold.pristine import PRISTINE_PATH, copy_path, read_copies
from kubewright.scaffold.project import is_current, make_project, update
from tests.scaffold.projects import RECORD, scaffold, tree

FIRST = scaffold({"a.py": 'print("a", "b")\n', "b.txt": "b\n"})
SECOND = scaffold({"a.py": 'print("a", "b")\nprint("c")\n', "b.txt": "b\n"})
REFORMATTED = "print(\n    'a',\n    'b',\n)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    make_project(folder, RECORD, FIRST)
    return folder


def make_early(project: Path) -> None:
    """Put a project back to copies as early versions wrote them."""
    for path, file in FIRST.items():
        (project / copy_path(path)).unlink()
        (project / PRISTINE_PATH / path).write_text(file.text)


def test_a_copy_that_was_changed_is_repaired_where_the_scaffold_has_the_same_text(project: Path) -> None:
    before = tree(project)
    copy = project / copy_path("a.py")
    copy.write_text(copy.read_text().replace('"', "'"))
    assert is_current(project, FIRST)
    update(project, RECORD, FIRST)
    assert tree(project) == before


def test_a_copy_that_was_changed_is_refused_where_its_text_is_lost(project: Path) -> None:
    copy = project / copy_path("a.py")
    copy.write_text(copy.read_text().replace('"', "'"))
    before = tree(project)
    with pytest.raises(ScaffoldError) as raised:
        update(project, RECORD, SECOND)
    assert str(raised.value).startswith(f"{copy_path('a.py')} was changed by another program")
    assert tree(project) == before
    copy.unlink()
    assert update(project, RECORD, SECOND).kept == {"a.py": "it is a file of your own"}
    assert (project / "a.py").read_text() == FIRST["a.py"].text


def test_a_copy_without_its_first_line_is_refused(project: Path) -> None:
    (project / copy_path("a.py")).write_text("")
    with pytest.raises(ScaffoldError, match="was changed by another program"):
        update(project, RECORD, SECOND)


def test_a_file_whose_copy_was_changed_is_not_deleted(project: Path) -> None:
    (project / copy_path("b.txt")).write_text("b\n")
    found = update(project, RECORD, {"a.py": FIRST["a.py"]})
    assert found.deleted == []
    assert list(found.kept) == ["b.txt"]
    assert (project / "b.txt").read_text() == "b\n"
    assert not (project / copy_path("b.txt")).exists()


def test_files_that_are_not_copies_are_left_alone(project: Path) -> None:
    """A tool that takes the folder of copies for a project leaves its cache there, and one in the project."""
    for folder in (project, project / PRISTINE_PATH):
        (folder / ".ruff_cache").mkdir()
        (folder / ".ruff_cache/.gitignore").write_text("*\n")
    for files in (FIRST, SECOND):
        found = update(project, RECORD, files)
        assert (found.deleted, found.kept) == ([], {})
    for folder in (project, project / PRISTINE_PATH):
        assert (folder / ".ruff_cache/.gitignore").read_text() == "*\n"


def test_copies_of_early_versions_are_replaced(project: Path) -> None:
    now = tree(project)
    make_early(project)
    assert is_current(project, FIRST)
    found = update(project, RECORD, FIRST)
    assert (found.changed, found.deleted, found.kept) == ([], [], {})
    assert tree(project) == now
    assert update(project, RECORD, FIRST).is_empty


def test_copies_of_early_versions_are_the_base_of_a_merge(project: Path) -> None:
    make_early(project)
    (project / "a.py").write_text('MINE = 1\nprint("a", "b")\n')
    assert update(project, RECORD, SECOND).changed == ["a.py"]
    assert (project / "a.py").read_text() == 'MINE = 1\nprint("a", "b")\nprint("c")\n'


def test_early_copies_that_a_formatter_rewrote_do_not_format_a_file_back(project: Path) -> None:
    make_early(project)
    for place in (project, project / PRISTINE_PATH):
        (place / "a.py").write_text(REFORMATTED)
    assert update(project, RECORD, FIRST).changed == []
    assert (project / "a.py").read_text() == REFORMATTED
    assert read_copies(project, FIRST).texts["a.py"] == FIRST["a.py"].text


def test_early_copies_of_files_that_the_scaffold_does_not_have_prove_nothing(project: Path) -> None:
    make_early(project)
    for place in (project, project / PRISTINE_PATH):
        (place / "c.txt").write_text("c\n")
    found = update(project, RECORD, FIRST)
    assert (found.deleted, found.kept) == ([], {})
    assert (project / "c.txt").read_text() == "c\n"


def test_early_copies_beside_new_ones(project: Path) -> None:
    """As a command leaves them that was killed, or a merge of two branches."""
    now = tree(project)
    (project / PRISTINE_PATH / "a.py").write_text("old\n")
    update(project, RECORD, FIRST)
    assert tree(project) == now
