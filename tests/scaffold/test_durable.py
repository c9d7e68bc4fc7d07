"""What is written is on the disk before it is moved, and the moves are when the call returns."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kubewright.scaffold.durable import sync_all
from kubewright.scaffold.errors import ScaffoldError
from kubewright.scaffold.writing import make_folder, write_all
from tests.scaffold.projects import tree

FILES = {"old": b"new", "a/b/c": b"c", "a/d": b"d", **{f"many/{number}": b"x" for number in range(30)}}


class Disk:
    """Takes note of what is synced and moved, in which order, by inodes and paths."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: list[int] = []
        self.moved: list[tuple[Path, int, list[int]]] = []
        """Where to, which inode, and what was synced before."""
        sync, rename, replace = os.fsync, os.rename, os.replace

        def syncs(descriptor: int) -> None:
            sync(descriptor)
            self.synced.append(os.fstat(descriptor).st_ino)

        def moves(move: Callable[..., None]) -> Callable[..., None]:
            def moving(source: str, target: str) -> None:
                self.moved.append((Path(target), os.stat(source).st_ino, list(self.synced)))
                move(source, target)

            return moving

        monkeypatch.setattr(os, "fsync", syncs)
        monkeypatch.setattr(os, "rename", moves(rename))
        monkeypatch.setattr(os, "replace", moves(replace))


def test_files_are_synced_before_they_are_moved_and_folders_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone/file").write_text("old")
    (tmp_path / "gone/other").write_text("old")
    disk = Disk(monkeypatch)
    write_all(tmp_path, {**FILES, "gone/file": None})
    assert {path for path, _, _ in disk.moved} == {tmp_path / name for name in FILES}
    for _, inode, synced in disk.moved:
        assert inode in synced
    _, _, before = disk.moved[-1]
    after = disk.synced[len(before) :]
    assert {(tmp_path / name).stat().st_ino for name in (".", "a", "a/b", "many", "gone")} <= set(after)


def test_a_new_folder_is_synced_with_all_in_it_before_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    made = tmp_path / "made"
    make_folder(made, FILES)
    ((path, _, synced),) = disk.moved
    assert path == made
    assert {each.stat().st_ino for each in (made, *made.rglob("*"))} == set(synced)
    assert disk.synced[len(synced) :] == [tmp_path.stat().st_ino]


@pytest.mark.parametrize("folders_fail", [False, True])
def test_a_disk_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, folders_fail: bool
) -> None:
    (tmp_path / "it").mkdir()
    (tmp_path / "it/old").write_text("old")
    before = tree(tmp_path)
    places: list[Path] = [tmp_path / "it", tmp_path]
    failing = {place.stat().st_ino for place in places} if folders_fail else set()

    def fails(descriptor: int) -> None:
        if not failing or os.fstat(descriptor).st_ino in failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    told = "cannot be written: Input/output error; nothing was changed"
    with pytest.raises(ScaffoldError, match=told):
        write_all(tmp_path / "it", FILES)
    with pytest.raises(ScaffoldError, match=told):
        make_folder(tmp_path / "new", FILES)
    assert tree(tmp_path) == before


def test_folders_that_cannot_be_synced_are_left_to_their_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(descriptor: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", fails)
    sync_all([tmp_path])
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="Invalid argument") as raised:
        sync_all([tmp_path / "file"])
    assert raised.value.filename == str(tmp_path / "file")
    sync_all([])
