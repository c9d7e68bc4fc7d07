"""Projects: what an update does to files, whoever wrote them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.scaffold.errors import NotAProject, ScaffoldError
from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.pristine import PRISTINE_PATH, copy_path, encode_copy
from kubewright.scaffold.project import (
    Update,
    is_current,
    locked,
    make_project,
    plan,
    read_record,
    update,
)
from kubewright.scaffold.record import RECORD_PATH, ProjectRecord, ScaffoldedKind
from kubewright.scaffold.writing import write_all
from kubewright.version import __version__
from tests.scaffold.projects import RECORD, scaffold, tree

FIRST = scaffold({"a.txt": "1\n2\n3\n", "src/b.txt": "b\n"})
SECOND = scaffold({"a.txt": "1\n2\n3\n4\n", "src/b.txt": "b\n", "src/new/c.txt": "c\n"})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    make_project(folder, RECORD, FIRST)
    return folder


def told(found: Update) -> dict[str, object]:
    """What an update says, without what is empty."""
    said = {
        "created": found.created,
        "changed": found.changed,
        "deleted": found.deleted,
        "kept": found.kept,
        "conflicts": found.conflicts,
    }
    return {word: value for word, value in said.items() if value}


def refusal(folder: Path, files: dict[str, ScaffoldFile] = SECOND) -> str:
    """The sentence with which an update is refused, which must not have changed anything."""
    before = tree(folder)
    with pytest.raises(ScaffoldError) as raised:
        update(folder, RECORD, files)
    assert tree(folder) == before
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_new_project(project: Path) -> None:
    assert list(tree(project)) == [
        RECORD_PATH,
        copy_path("a.txt"),
        copy_path("src/b.txt"),
        "a.txt",
        "src/b.txt",
    ]
    assert read_record(project) == RECORD
    assert os.listdir(project.parent) == ["demo"]
    assert is_current(project, FIRST)
    assert not is_current(project, SECOND)


def test_a_project_in_a_folder_with_hidden_files(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("mine")
    make_project(tmp_path, RECORD, FIRST)
    assert (tmp_path / ".git/config").read_text() == "mine"
    assert (tmp_path / "src/b.txt").read_text() == "b\n"
    assert not list(tmp_path.glob(".kubewright-*"))


def test_a_project_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("nowhere")
    with pytest.raises(
        ScaffoldError, match=r"a\.txt is there already, and would be overwritten; move it away"
    ):
        make_project(tmp_path, RECORD, FIRST)
    assert os.listdir(tmp_path) == ["a.txt"]


def test_the_same_again_changes_nothing(project: Path) -> None:
    before = tree(project)
    found = update(project, RECORD, FIRST)
    assert found.is_empty
    assert told(found) == {}
    assert found.unchanged == ["a.txt", "src/b.txt"]
    assert tree(project) == before


def test_what_is_new_comes_into_files_that_nobody_touched(project: Path) -> None:
    planned = plan(project, RECORD, SECOND)
    assert tree(project)["a.txt"] == b"1\n2\n3\n"
    found = update(project, RECORD, SECOND)
    assert found == planned
    assert told(found) == {"created": ["src/new/c.txt"], "changed": ["a.txt"]}
    for path, file in SECOND.items():
        assert (project / path).read_text() == file.text
        assert (project / copy_path(path)).read_bytes() == encode_copy(file.text)
    assert update(project, RECORD, SECOND).is_empty


def test_what_a_person_wrote_is_merged(project: Path) -> None:
    (project / "a.txt").write_text("mine\n1\n2\n3\n")
    assert told(update(project, RECORD, SECOND))["changed"] == ["a.txt"]
    assert (project / "a.txt").read_text() == "mine\n1\n2\n3\n4\n"
    assert (project / copy_path("a.txt")).read_bytes() == encode_copy("1\n2\n3\n4\n")
    assert update(project, RECORD, SECOND).is_empty


def test_what_a_person_did_already_is_no_change(project: Path) -> None:
    (project / "a.txt").write_text("1\n2\n3\n4\n")
    assert told(update(project, RECORD, SECOND)) == {"created": ["src/new/c.txt"]}
    assert update(project, RECORD, SECOND).is_empty


def test_files_of_a_persons_own_stay(project: Path) -> None:
    (project / "src/new").mkdir()
    (project / "src/new/c.txt").write_text("mine\n")
    found = update(project, RECORD, SECOND)
    assert told(found) == {"changed": ["a.txt"], "kept": {"src/new/c.txt": "it is a file of your own"}}
    assert (project / "src/new/c.txt").read_text() == "mine\n"
    assert (project / copy_path("src/new/c.txt")).read_bytes() == encode_copy("c\n")
    assert update(project, RECORD, SECOND).is_empty


def test_deleted_files_stay_deleted(project: Path) -> None:
    (project / "a.txt").unlink()
    found = update(project, RECORD, SECOND)
    assert told(found) == {"created": ["src/new/c.txt"], "kept": {"a.txt": "you deleted it"}}
    assert not (project / "a.txt").exists()
    assert update(project, RECORD, SECOND).is_empty


def test_files_that_the_scaffold_has_no_more(project: Path) -> None:
    update(project, RECORD, SECOND)
    (project / "a.txt").write_text("mine\n")
    found = update(project, RECORD, scaffold({"src/b.txt": "b\n"}))
    reason = "the scaffold has it no more, but you changed it"
    assert told(found) == {"deleted": ["src/new/c.txt"], "kept": {"a.txt": reason}}
    assert sorted(tree(project)) == [RECORD_PATH, copy_path("src/b.txt"), "a.txt", "src/b.txt"]
    assert update(project, RECORD, scaffold({"src/b.txt": "b\n"})).is_empty


def test_conflicts_stand_between_marks_until_somebody_resolves_them(project: Path) -> None:
    (project / "a.txt").write_text("1\n2\n3\nmine\n")
    found = update(project, RECORD, SECOND)
    assert told(found) == {"created": ["src/new/c.txt"], "conflicts": ["a.txt"]}
    text = (project / "a.txt").read_text()
    assert text == "1\n2\n3\n<<<<<<< yours\nmine\n=======\n4\n>>>>>>> the scaffold's\n"
    assert refusal(project).startswith(
        "a.txt has conflicts of an earlier run or merge; choose what stays between"
    )
    (project / "a.txt").write_text("1\n2\n3\nmine\n4\n")
    assert update(project, RECORD, SECOND).is_empty
    third = SECOND | scaffold({"a.txt": "0\n1\n2\n3\n4\n"})
    assert told(update(project, RECORD, third)) == {"changed": ["a.txt"]}
    assert (project / "a.txt").read_text() == "0\n1\n2\n3\nmine\n4\n"


def test_additions_of_both_are_kept_where_the_scaffold_says_so(project: Path) -> None:
    (project / "a.txt").write_text("1\n2\n3\nmine\n")
    update(project, RECORD, scaffold({"a.txt": "1\n2\n3\n4\n", "src/b.txt": "b\n"}, additions="both"))
    assert (project / "a.txt").read_text() == "1\n2\n3\n4\nmine\n"


def test_modes_and_line_ends_stay(project: Path) -> None:
    (project / "a.txt").write_bytes(b"mine\r\n1\r\n2\r\n3\r\n")
    (project / "a.txt").chmod(0o751)
    # As version control may check them out.
    copy = project / copy_path("a.txt")
    copy.write_bytes(copy.read_bytes().replace(b"\n", b"\r\n"))
    record = (project / RECORD_PATH).read_bytes()
    (project / RECORD_PATH).write_bytes(record.replace(b"\n", b"\r\n"))
    assert update(project, RECORD, FIRST).is_empty
    update(project, RECORD, SECOND)
    assert (project / "a.txt").read_bytes() == b"mine\r\n1\r\n2\r\n3\r\n4\r\n"
    assert (project / "a.txt").stat().st_mode & 0o777 == 0o751


def test_line_ends_of_both_kinds_are_lines_that_a_person_changed(project: Path) -> None:
    (project / "a.txt").write_bytes(b"1\r\n2\n3\n")
    update(project, RECORD, SECOND)
    assert (project / "a.txt").read_bytes() == b"1\r\n2\n3\n4\n"


def test_bytes_that_are_no_text_are_refused_where_they_would_be_merged(project: Path) -> None:
    (project / "a.txt").write_bytes(b"\xff\n1\n2\n3\n")
    assert update(project, RECORD, FIRST).is_empty
    assert refusal(project) == (
        "a.txt is not in UTF-8, and cannot be merged; save it in UTF-8, and run this again"
    )


def test_links_that_lead_out_of_the_project_are_refused(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("1\n2\n3\n")
    (project / "src/new").symlink_to(outside)
    assert "src/new/c.txt leads out of the project" in refusal(project)
    (project / "src/new").unlink()
    (project / "a.txt").unlink()
    (project / "a.txt").symlink_to(outside / "file")
    assert "a.txt leads out of the project" in refusal(project)
    assert tree(outside) == {"file": b"1\n2\n3\n"}
    (project / "a.txt").unlink()
    (project / "a.txt").symlink_to("a.txt")
    assert "a.txt" in refusal(project)


def test_pristine_copies_elsewhere_are_refused(project: Path, tmp_path: Path) -> None:
    (project / PRISTINE_PATH).rename(tmp_path / "elsewhere")
    (project / PRISTINE_PATH).symlink_to(tmp_path / "elsewhere")
    assert "leads out of the project" in refusal(project)


def test_missing_pristine_copies_are_refused(project: Path) -> None:
    shutil.rmtree(project / PRISTINE_PATH)
    told = refusal(project)
    assert told.startswith(f"{project / PRISTINE_PATH} is missing")
    assert told.endswith("; restore it from version control")


def test_a_link_within_the_project_is_followed(project: Path) -> None:
    (project / "a.txt").rename(project / "real.txt")
    (project / "a.txt").symlink_to("real.txt")
    update(project, RECORD, SECOND)
    assert (project / "a.txt").is_symlink()
    assert (project / "real.txt").read_text() == "1\n2\n3\n4\n"


def test_what_is_no_file_is_refused(project: Path) -> None:
    (project / "src/new").write_text("a file where a folder goes")
    assert "src/new/c.txt would be below something that is no folder" in refusal(project)
    (project / "src/new").unlink()
    (project / "src/new/c.txt").mkdir(parents=True)
    assert "src/new/c.txt is no file of a size that can be merged; move it away" in refusal(project)
    (project / "src/new/c.txt").rmdir()
    os.mkfifo(project / "src/new/c.txt")
    assert "src/new/c.txt is no file" in refusal(project)


def test_a_record_that_changes_alone(project: Path) -> None:
    found = update(project, msgspec.structs.replace(RECORD, domain="other.com"), FIRST)
    assert not found.is_empty
    assert told(found) == {}
    assert read_record(project).domain == "other.com"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is no record of a project: "),
        (b"{", "is no record of a project: "),
        (b"\xff", "is no record of a project: "),
        (b"[]", "is no record of a project: "),
        (b'{"kubewright": "0.0.1"}', "missing required field"),
        (b'{"kubewright": "999.0", "new": 1}', "was made by kubewright 999.0, and this is"),
    ],
)
def test_records_that_cannot_be_read(project: Path, content: bytes, sentence: str) -> None:
    (project / RECORD_PATH).write_bytes(content)
    with pytest.raises(ScaffoldError) as raised:
        read_record(project)
    assert sentence in str(raised.value)
    assert "restore it from version control" in str(raised.value) or "pip install" in str(raised.value)


CONFLICT = "<<<<<<< HEAD\none\n=======\nother\n>>>>>>> branch\n"


def test_conflicts_that_git_left_in_the_record(project: Path) -> None:
    record = (project / RECORD_PATH).read_text()
    (project / RECORD_PATH).write_text(record.replace('"kinds"', f'{CONFLICT}"kinds"'))
    with pytest.raises(ScaffoldError, match="has conflicts of a merge; keep the kinds of both sides"):
        read_record(project)


def test_two_kinds_that_were_merged_by_hand_into_one_are_not_one_lost(project: Path) -> None:
    kind = '{"group": "g", "version": "v1", "kind": "One", "plural": "ones", "kind": "Two", "plural": "twos"}'
    record = (project / RECORD_PATH).read_text()
    (project / RECORD_PATH).write_text(record.replace("[]", f"[{kind}]"))
    with pytest.raises(ScaffoldError, match=r"is no record of a project: .* the member 'kind' twice; "):
        read_record(project)


def test_a_record_has_a_line_for_each_kind_so_that_conflicts_are_of_whole_kinds(project: Path) -> None:
    kinds = tuple(
        ScaffoldedKind(group="g", version="v1", kind=kind, plural=plural, webhooks=("validation",))
        for kind, plural in (("One", "ones"), ("Two", "twos"))
    )
    made = msgspec.structs.replace(RECORD, kinds=kinds)
    update(project, made, FIRST)
    text = (project / RECORD_PATH).read_text()
    assert [line.count('"kind"') for line in text.splitlines()] == [0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0]
    assert read_record(project) == made


def test_conflicts_that_git_left_in_files(project: Path) -> None:
    for path, sentence in (
        ("a.txt", "an earlier run or merge; choose"),
        (copy_path("a.txt"), "--ours"),
    ):
        before = (project / path).read_text()
        (project / path).write_text(before + CONFLICT)
        state = tree(project)
        assert refusal(project).startswith(f"{path} has conflicts of a")
        assert sentence in refusal(project)
        assert tree(project) == state
        (project / path).write_text(before)
    update(project, RECORD, SECOND)


def test_records_with_names_that_lead_elsewhere(project: Path) -> None:
    record = json.loads((project / RECORD_PATH).read_text())
    kind = {"group": "g", "version": "v1", "kind": "../../x", "plural": "xs"}
    (project / RECORD_PATH).write_text(json.dumps({**record, "kinds": [kind]}))
    with pytest.raises(ScaffoldError, match=r"project\.json cannot be used: .* cannot be a kind"):
        read_record(project)


def test_a_folder_that_is_no_project(project: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAProject, match=r"is no project, since it has no \.kubewright/project\.json"):
        read_record(tmp_path)
    with pytest.raises(NotAProject, match=f"within the project {project}; go to its folder: cd {project}$"):
        read_record(project / "src")


def test_one_command_at_a_time(project: Path) -> None:
    with locked(project):
        other = locked(project)
        with pytest.raises(ScaffoldError, match="another kubewright command is changing"):
            other.__enter__()
    with locked(project):
        pass


lines = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=6).map(
    lambda found: "".join(f"{line}\n" for line in found)
)
scaffolds = st.dictionaries(st.sampled_from(["x", "y", "d/z", "d/e/w"]), lines, min_size=1, max_size=4)
edits = st.dictionaries(st.sampled_from(["x", "y", "d/z", "d/e/w"]), st.none() | lines, max_size=4)


def edit(folder: Path, edited: dict[str, str | None]) -> None:
    """Do what a person does: write files and delete them."""
    for path, text in edited.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            (folder / path).unlink(missing_ok=True)
        else:
            (folder / path).write_text(text)


@settings(deadline=None, max_examples=15)
@given(first=scaffolds, edited=edits, second=scaffolds, number=st.integers(0, 12))
def test_laws_of_updates(
    tmp_path_factory: pytest.TempPathFactory,
    first: dict[str, str],
    edited: dict[str, str | None],
    second: dict[str, str],
    number: int,
) -> None:
    """What nobody touched is the scaffold's, what a person alone changed is theirs; a second run is empty.

    And where the process is killed after any number of writes, the same command does the rest.
    """
    record = ProjectRecord(name="demo", package="demo", domain="other.com", kubewright=__version__)
    folders = [tmp_path_factory.mktemp("it") / "demo" for _ in range(2)]
    for folder in folders:
        make_project(folder, RECORD, scaffold(first))
        edit(folder, edited)
    folder, killed = folders
    before = tree(folder)
    planned = plan(killed, record, scaffold(second))
    found = update(folder, record, scaffold(second))
    after = tree(folder)
    for path, text in second.items():
        untouched = path in first and before.get(path) == first[path].encode()
        if untouched or path not in edited:
            assert after[path] == text.encode()
        if first.get(path) == text:
            assert after.get(path) == before.get(path)
    for path, wrote in edited.items():
        if path not in second:
            untouched = path in first and before.get(path) == first[path].encode()
            assert after.get(path) == (None if untouched else before.get(path))
        elif path not in first and wrote is not None:
            assert after[path] == before[path]
    assert {path for path in after if path.startswith(PRISTINE_PATH)} - {f"{PRISTINE_PATH}/"} == {
        copy_path(path) for path in second
    }
    if found.conflicts:
        return
    assert update(folder, record, scaffold(second)).is_empty
    write_all(killed, dict(list(planned.writes.items())[:number]))
    update(killed, record, scaffold(second))
    assert tree(killed) == after
