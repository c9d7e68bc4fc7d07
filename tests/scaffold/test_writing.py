"""Files written all or none: disks that are full, places that cannot be written, signals in between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from kubewright.scaffold.errors import ScaffoldError
from kubewright.scaffold.writing import STAGING_PREFIX, make_folder, place_of, write_all
from tests.scaffold.projects import tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "it"
    made.mkdir()
    (made / "old").write_text("old")
    (made / "gone").mkdir()
    (made / "gone/file").write_text("old")
    return made


def test_files_are_written_and_deleted(folder: Path) -> None:
    write_all(folder, {"old": b"new", "a/b/c": b"c", "gone/file": None, "never/was": None})
    assert tree(folder) == {"old": b"new", "a/b/c": b"c"}


def test_new_files_have_the_modes_that_files_have(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    (tmp_path / "plain folder").mkdir()
    write_all(folder, {"a/b": b"new"})
    make_folder(tmp_path / "made", {"a": b"new"})
    for path in (folder / "a/b", tmp_path / "made/a"):
        assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    for path in (folder / "a", tmp_path / "made"):
        assert path.stat().st_mode == (tmp_path / "plain folder").stat().st_mode


def test_if_one_cannot_be_moved_all_others_go_back(folder: Path) -> None:
    before = tree(folder)
    # Each of them can wait beside its place; but where the third is, the fourth wants a folder.
    writes = {"old": b"new", "gone/file": None, "a/x": b"", "a/x/y": b""}
    with pytest.raises(ScaffoldError, match=r"cannot be written: Not a directory; nothing was changed"):
        write_all(folder, writes)
    assert tree(folder) == before
    assert sorted(os.listdir(folder)) == ["gone", "old"]


def test_a_folder_in_the_place_of_a_file(folder: Path) -> None:
    before = tree(folder)
    with pytest.raises(ScaffoldError, match="cannot be written"):
        write_all(folder, {"old": b"new", "gone": b"new"})
    assert tree(folder) == before


def test_places_outside_are_refused(folder: Path) -> None:
    for path in ("../x", "/etc/passwd", "gone/../../x"):
        with pytest.raises(ScaffoldError, match="leads out of the project"):
            place_of(folder, path)


def test_what_a_killed_process_left_is_cleaned_up(folder: Path) -> None:
    (folder / f"{STAGING_PREFIX}x").mkdir()
    (folder / f"{STAGING_PREFIX}x/0.new").write_text("left")
    write_all(folder, {"old": b"new"})
    assert sorted(os.listdir(folder)) == ["gone", "old"]


def test_a_new_folder(tmp_path: Path) -> None:
    make_folder(tmp_path / "new", {"a/b": b"b"})
    assert tree(tmp_path) == {"new/a/b": b"b"}
    with pytest.raises(ScaffoldError, match="cannot be written: Directory not empty; nothing was changed"):
        make_folder(tmp_path / "new", {"c": b"c"})
    with pytest.raises(ScaffoldError, match="cannot be written: File name too long"):
        make_folder(tmp_path / "other", {"a": b"", "x" * 300: b""})
    assert sorted(os.listdir(tmp_path)) == ["new"]


class Interrupted(Mapping[str, bytes]):
    """Files, between which somebody presses Ctrl-C."""

    def __getitem__(self, path: str) -> bytes:
        return b"new"

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Iterator[str]:
        for path in ("a", "b", "c"):
            signal.raise_signal(signal.SIGINT)
            yield path


@pytest.mark.parametrize("write", [write_all, make_folder])
def test_signals_wait_until_all_is_written(tmp_path: Path, write: Callable[..., None]) -> None:
    place = tmp_path / "it"
    if write is write_all:
        place.mkdir()
    with pytest.raises(KeyboardInterrupt):
        write(place, Interrupted())
    assert tree(tmp_path) == {"it/a": b"new", "it/b": b"new", "it/c": b"new"}
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


CHILD = """
import os, resource, sys
from pathlib import Path
from kubewright.scaffold.writing import make_folder, write_all
if sys.argv[1] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
elif os.geteuid() == 0:  # Root may write everywhere.
    os.seteuid(65534)
files = {sys.argv[3]: b"new", "large": b"x" * 2000}
(make_folder if sys.argv[2].endswith("new") else write_all)(Path(sys.argv[2]), files)
"""


def child(what: str, place: Path, path: str = "old") -> str:
    """The last line of a process that cannot write as it wants."""
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, what, str(place), path],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert ended.returncode == 1, ended
    return ended.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", ["it", "new"])
def test_a_full_disk(folder: Path, name: str) -> None:
    before = tree(folder.parent)
    told = child("full", folder.parent / name)
    assert told.endswith(
        "cannot be written: File too large; nothing was changed, so mend that and run this again"
    )
    assert STAGING_PREFIX not in told
    assert tree(folder.parent) == before


@pytest.mark.parametrize("name", ["it", "new"])
def test_a_folder_that_may_not_be_written(name: str) -> None:
    # Not in the folder of the tests, which other users may not look into.
    with tempfile.TemporaryDirectory() as made:
        parent = Path(made)
        (parent / "it").mkdir()
        (parent / "it").chmod(0o555)
        parent.chmod(0o555)
        told = child("unwritable", parent / name)
        unwritable = parent / "it" if name == "it" else parent
        assert f": {unwritable} cannot be written: Permission denied; nothing was changed" in told
        parent.chmod(0o755)
        (parent / "it").chmod(0o755)
        assert tree(parent) == {"it/": b""}


def test_the_folder_within_that_may_not_be_written() -> None:
    with tempfile.TemporaryDirectory() as made:
        project = Path(made) / "it"
        (project / "src").mkdir(parents=True)
        (project / "src/old").write_text("old")
        for folder, mode in ((Path(made), 0o755), (project, 0o777), (project / "src", 0o555)):
            folder.chmod(mode)
        for path in ("src/old", "src/new/file"):
            told = child("unwritable", project, path)
            assert f": {project / 'src'} cannot be written: Permission denied; nothing was changed" in told
        assert tree(project) == {"src/old": b"old"}
