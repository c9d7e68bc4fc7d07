"""Three-way merges: the laws, the rules by example, and git's own merge beside ours."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.scaffold.files import Additions
from kubewright.scaffold.merge import has_conflicts, merge

# Few different lines, so that runs repeat; the last may lack its line feed, and lines may be empty.
texts = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(st.sampled_from(["a", "b", "c", "", "    d", "e\r", "f\x0cg"]), max_size=8),
    st.sampled_from(["", "\n"]),
)
modes = st.sampled_from(["conflict", "both"])


@given(base=texts, other=texts, mode=modes)
def test_a_side_that_changed_nothing_has_no_say(base: str, other: str, mode: Additions) -> None:
    assert merge(base, base, other, additions=mode) == (other, 0)
    assert merge(base, other, base, additions=mode) == (other, 0)


@given(base=texts, made=texts, mode=modes)
def test_what_both_made_is_taken_once(base: str, made: str, mode: Additions) -> None:
    assert merge(base, made, made, additions=mode) == (made, 0)


@given(base=texts, yours=texts, scaffold=texts)
def test_sides_may_change_places(base: str, yours: str, scaffold: str) -> None:
    one, two = merge(base, yours, scaffold), merge(base, scaffold, yours)
    assert one.conflicts == two.conflicts
    assert has_conflicts(one.text) == bool(one.conflicts)
    if not one.conflicts:
        assert one == two


@given(base=texts, yours=texts, scaffold=texts, mode=modes)
def test_each_line_of_a_merge_is_of_somebody_and_no_new_line_is_lost(
    base: str, yours: str, scaffold: str, mode: Additions
) -> None:
    merged = merge(base, yours, scaffold, additions=mode)
    lines = [set(text.split("\n")) for text in (merged.text, base, yours, scaffold)]
    marks = {"<<<<<<< yours", "=======", ">>>>>>> the scaffold's"} if merged.conflicts else set()
    assert lines[0] <= lines[1] | lines[2] | lines[3] | marks | {""}
    assert (lines[2] | lines[3]) - lines[1] - {""} <= lines[0]


edits = st.lists(
    st.sampled_from(["keep", "keep", "keep", "keep", "delete", "replace", "insert"]), max_size=14
)


def edited(base: list[str], does: list[str], name: str) -> list[str]:
    """A text of lines that all differ, edited so that there is one way only to tell what was done."""
    made = []
    for number, line in enumerate(base):
        what = does[number] if number < len(does) else "keep"
        if what == "insert":
            made.append(f"{name} before {number}")
        if what == "replace":
            made.append(f"{name} instead of {number}")
        elif what != "delete":
            made.append(line)
    return made


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")
@settings(max_examples=40, deadline=None)
@given(size=st.integers(0, 14), mine=edits, theirs=edits)
def test_git_merges_the_same(
    tmp_path_factory: pytest.TempPathFactory, size: int, mine: list[str], theirs: list[str]
) -> None:
    base = [f"line {number}" for number in range(size)]
    # The same name for both sides, so that they make some changes alike.
    texts = [base, edited(base, mine, "new"), edited(base, theirs, "new")]
    folder = tmp_path_factory.getbasetemp()
    ended, written = git_merge(folder, *("".join(f"{line}\n" for line in text) for text in texts))
    merged = merge(*("".join(f"{line}\n" for line in text) for text in texts))
    # git joins conflicts that are near each other, so their number is not compared.
    assert bool(merged.conflicts) == bool(ended)
    if not ended:
        assert merged.text == written


def git_merge(folder: Path, base: str, yours: str, scaffold: str) -> tuple[int, str]:
    for name, text in (("base", base), ("yours", yours), ("scaffold", scaffold)):
        (folder / name).write_text(text)
    labels = ["-L", "yours", "-L", "base", "-L", "the scaffold's"]
    ended = subprocess.run(
        ["git", "merge-file", "-p", "-q", *labels, "yours", "base", "scaffold"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert 0 <= ended.returncode < 128, ended
    return ended.returncode, ended.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")
@pytest.mark.parametrize(
    ("base", "yours", "scaffold"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", "a\nbb\nc\n"),
        ("a\nc\n", "a\nx\nc\n", "a\ny\nc\n"),
        ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n"),
        ("", "x\n", "y\n"),
        ("a\n", "a\nx\nz\n", "a\ny\nz\n"),
    ],
)
def test_marks_are_those_of_git(tmp_path: Path, base: str, yours: str, scaffold: str) -> None:
    assert git_merge(tmp_path, base, yours, scaffold) == (1, merge(base, yours, scaffold).text)


def test_conflicts_show_both_sides_and_nothing_else() -> None:
    merged = merge("1\n2\n3\n", "1\nmine\nsame\n3\n", "1\ntheirs\nsame\n3\n")
    assert merged == ("1\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> the scaffold's\nsame\n3\n", 1)
    assert has_conflicts(merged.text)
    assert has_conflicts(merged.text.replace("\n", "\r\n"))
    assert has_conflicts("a\n<<<<<<< HEAD\nb\n")
    assert not has_conflicts(">> the scaffold's\n <<<<<<< yours\n=======\n")


@pytest.mark.parametrize(
    ("base", "yours", "scaffold", "expected"),
    [
        ("1\n2\n", "1\nmine\n2\n", "1\ntheirs\n2\n", "1\ntheirs\nmine\n2\n"),
        ("1\n", "1\nmine\n", "1\ntheirs\n", "1\ntheirs\nmine\n"),
        ("", "mine\n", "theirs\n", "theirs\nmine\n"),
        # Beside a line that the other side changed or took away.
        ("1\n2\n", "one\n2\n", "1\ntheirs\n2\n", "one\ntheirs\n2\n"),
        ("1\n2\n", "1\nmine\n2\n", "1\ntwo\n", "1\nmine\ntwo\n"),
        ("1\n2\n", "2\n", "1\ntheirs\n2\n", "theirs\n2\n"),
        # What one side adds as a part of more is not there twice.
        ("1\n2\n", "1\nx\ny\nz\n2\n", "1\ny\nz\n2\n", "1\nx\ny\nz\n2\n"),
        ("1\n2\n", "1\ny\n2\n", "1\ny\nz\n2\n", "1\ny\nz\n2\n"),
    ],
)
def test_additions_of_both_sides_are_kept(base: str, yours: str, scaffold: str, expected: str) -> None:
    assert merge(base, yours, scaffold, additions="both") == (expected, 0)


@pytest.mark.parametrize(
    ("yours", "scaffold"),
    [
        ("1\nmine\n3\n", "1\ntheirs\n3\n"),
        ("1\nmine\n3\n", "one\n2\n3\n"),
        ("1\nmine\n", "1\n2\nx\n3\n"),
        ("all mine\n", "1\n2\n3\ntheirs\n"),
    ],
)
def test_changes_that_are_no_additions_are_conflicts_still(yours: str, scaffold: str) -> None:
    assert merge("1\n2\n3\n", yours, scaffold, additions="both").conflicts == 1
    assert merge("1\n2\n3\n", yours, scaffold).conflicts == 1


def test_a_line_feed_at_the_end_is_merged_by_itself() -> None:
    assert merge("1\n2\n", "1\n2", "1\n2\n3\n") == ("1\n2\n3", 0)
    assert merge("1\n2", "0\n1\n2", "1\n2\n") == ("0\n1\n2\n", 0)
