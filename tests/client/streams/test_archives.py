"""Archives that containers send: what is right is unpacked, and nothing gets out of the copy."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.streams.archives import Copied, CopyError, pack, unpack

Member = tuple[str, str | bytes]
"""A name and what it is: bytes for a file, "dir", "-> target", "= other name" or "fifo"."""


def archive(*members: Member, mode: int = 0o644) -> io.BytesIO:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.mode = mode
            data = content if isinstance(content, bytes) else b""
            info.size = len(data)
            if isinstance(content, str):
                word, _, target = content.partition(" ")
                types = {
                    "dir": tarfile.DIRTYPE,
                    "->": tarfile.SYMTYPE,
                    "=": tarfile.LNKTYPE,
                    "fifo": tarfile.FIFOTYPE,
                }
                info.type = types[word]
                info.linkname = target
            tar.addfile(info, io.BytesIO(data))
    buffer.seek(0)
    return buffer


def test_a_directory(tmp_path: Path) -> None:
    source = archive(
        ("./data/", "dir"),
        ("./data/a", b"A"),
        ("./data/sub/", "dir"),
        ("./data/sub/b", b"BB"),
        ("./data/sub/up", "-> ../a"),
        ("./data/same", "= ./data/a"),
    )
    assert unpack(source, "data", tmp_path / "copy", inside=False) == Copied(3, 3)
    assert (tmp_path / "copy/a").read_bytes() == b"A"
    assert (tmp_path / "copy/sub/b").read_bytes() == b"BB"
    assert (tmp_path / "copy/sub/up").readlink() == Path("../a")
    assert (tmp_path / "copy/same").samefile(tmp_path / "copy/a")


def test_where_a_file_goes(tmp_path: Path) -> None:
    unpack(archive(("./a", b"1")), "a", tmp_path / "new/name", inside=False)
    assert (tmp_path / "new/name").read_bytes() == b"1"
    unpack(archive(("./a", b"2")), "a", tmp_path / "new", inside=False)
    assert (tmp_path / "new/a").read_bytes() == b"2"
    unpack(archive(("a", b"3")), "a", tmp_path / "other", inside=True)
    assert (tmp_path / "other/a").read_bytes() == b"3"
    unpack(archive(("./", "dir"), ("./x", b"4")), ".", tmp_path / "dot", inside=False)
    assert (tmp_path / "dot/x").read_bytes() == b"4"


def test_what_is_there_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("safe")
    target = tmp_path / "copy"
    target.mkdir()
    (target / "link").symlink_to(tmp_path / "victim")
    os.link(tmp_path / "victim", target / "twin")
    unpack(archive(("d/", "dir"), ("d/link", b"new"), ("d/twin", b"new")), "d", target, inside=False)
    assert (tmp_path / "victim").read_text() == "safe"
    assert (target / "link").read_text() == (target / "twin").read_text() == "new"
    assert not (target / "link").is_symlink()


def test_permissions_lose_what_is_dangerous(tmp_path: Path) -> None:
    unpack(archive(("f", b""), mode=0o6777), "f", tmp_path / "f", inside=False)
    assert (tmp_path / "f").stat().st_mode & 0o7777 == 0o755
    unpack(archive(("g", b""), mode=0), "g", tmp_path / "g", inside=False)
    assert (tmp_path / "g").stat().st_mode & 0o7777 == 0o600


@pytest.mark.parametrize(
    "name", ["../evil", "d/../../evil", "/evil", "other/file", "..", "d/..", "d/\udcff/../x"]
)
def test_names_that_lead_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(CopyError, match="which is not in what was asked for"):
        unpack(archive(("d/", "dir"), (name, b"x")), "d", tmp_path / "copy/d", inside=False)
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../../out", "../../../out", "sub/../../out", "l1/..", "..", "../d/../.."]
)
def test_links_that_could_lead_out_are_left_out(tmp_path: Path, target: str) -> None:
    members: list[Member] = [("d/", "dir"), ("d/bad", f"-> {target}"), ("d/good", b"x")]
    copied = unpack(archive(*members), "d", tmp_path / "copy", inside=False)
    assert copied == Copied(1, 1, ("bad",))
    assert not os.path.lexists(tmp_path / "copy/bad")


def test_links_that_lead_out_together(tmp_path: Path) -> None:
    source = archive(
        ("d/", "dir"), ("d/a/b/top", "-> ../.."), ("d/a/b/out", "-> top/.."), ("d/a/b/in", "-> top/a")
    )
    assert unpack(source, "d", tmp_path / "copy", inside=False).skipped == ("a/b/out",)
    assert (tmp_path / "copy/a/b/top").resolve() == tmp_path / "copy"
    assert (tmp_path / "copy/a/b/in").resolve() == tmp_path / "copy/a"


def test_nothing_is_written_through_links_of_the_archive(tmp_path: Path) -> None:
    source = archive(("d/", "dir"), ("d/real/", "dir"), ("d/l", "-> real"), ("d/l/file", b"x"))
    copied = unpack(source, "d", tmp_path / "copy", inside=False)
    assert (tmp_path / "copy/l").is_dir()
    assert not (tmp_path / "copy/l").is_symlink()
    assert copied.skipped == ("l",)


def test_nothing_is_written_through_links_of_the_target(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/sub").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CopyError, match="sub is no directory, and the container has one"):
        unpack(archive(("d/", "dir"), ("d/sub/x", b"x")), "d", tmp_path / "copy", inside=False)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    # The target itself may be a link: that is the caller's word.
    (tmp_path / "alias").symlink_to(tmp_path / "elsewhere")
    unpack(archive(("d/", "dir"), ("d/x", b"x")), "d", tmp_path / "alias", inside=False)
    assert (tmp_path / "elsewhere/x").exists()


def test_hard_links_lead_to_files_of_the_archive_alone(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "copy/out").symlink_to(tmp_path)
    source = archive(("d/", "dir"), ("d/a", "= d/out/secret"), ("d/b", "= d/none"), ("d/c", "= d/out"))
    assert unpack(source, "d", tmp_path / "copy", inside=False).skipped == ("a", "b", "c")
    with pytest.raises(CopyError, match="which is not in what"):
        unpack(archive(("d/", "dir"), ("d/a", "= ../secret")), "d", tmp_path / "copy", inside=False)
    assert not os.path.lexists(tmp_path / "copy/a")


def test_other_oddities(tmp_path: Path) -> None:
    assert unpack(archive(("d/", "dir"), ("d/f", "fifo")), "d", tmp_path / "copy", inside=False).skipped == (
        "d/f",
    )
    with pytest.raises(CopyError, match="is a link to '/etc/shadow'; copy that"):
        unpack(archive(("d", "-> /etc/shadow")), "d", tmp_path / "x", inside=False)
    (tmp_path / "is-dir/f").mkdir(parents=True)
    with pytest.raises(CopyError, match="is a directory, and the container has a file"):
        unpack(archive(("d/", "dir"), ("d/f", b"")), "d", tmp_path / "is-dir", inside=False)
    for broken in (b"", b"no archive at all" * 100):
        with pytest.raises(tarfile.TarError):
            unpack(io.BytesIO(broken), "d", tmp_path / "y", inside=False)


def test_a_header_that_would_fill_the_memory(tmp_path: Path) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type = tarfile.GNUTYPE_LONGNAME
    info.size = 1 << 40

    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.head = info.tobuf(tarfile.GNU_FORMAT)

        def read(self, size: int = -1) -> bytes:
            data, self.head = self.head[:size], self.head[size:]
            return data or bytes(size)

    with pytest.raises(CopyError, match=r"header of 1,099,511,627,776 bytes"):
        unpack(Endless(), "d", tmp_path / "z", inside=False)


names = st.sampled_from(["a", "b", "c", "..", ".", "a/b", "a/../b"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
contents = st.one_of(
    st.just("dir"),
    st.binary(max_size=3),
    paths.map("-> {}".format),
    paths.map("= d/{}".format),
    st.just("-> /tmp"),
)


@given(st.lists(st.tuples(paths.map("d/{}".format), contents), max_size=8))
def test_no_archive_gets_out(tmp_path_factory: pytest.TempPathFactory, members: list[Member]) -> None:
    root = tmp_path_factory.mktemp("root")
    (root / "outside").write_text("safe")
    target = root / "deep/er/copy"
    for _ in range(2):  # The second time with what the first has left.
        with suppress(CopyError, OSError):
            unpack(archive(("d/", "dir"), *members), "d", target, inside=False)
        assert sorted(os.listdir(root)) in (["deep", "outside"], ["outside"])
        assert (root / "outside").read_text() == "safe"
        for folder, folders, files in os.walk(root / "deep"):
            for entry in (*folders, *files):
                path = Path(folder) / entry
                assert path.is_relative_to(target) or target.is_relative_to(path)
                try:
                    resolved = path.resolve()
                except RuntimeError:
                    continue  # A circle of links.
                assert resolved.is_relative_to(target) or target.is_relative_to(path)


def test_what_is_packed_is_what_tar_unpacks(tmp_path: Path) -> None:
    source = tmp_path / "source"
    long = "n" * 100
    (source / long / long).mkdir(parents=True)
    (source / long / long / "file é").write_bytes(b"deep" * 50_000)
    (source / "link").symlink_to("nowhere")
    (source / "run").write_text("#!/bin/sh")
    (source / "run").chmod(0o755)
    buffer = io.BytesIO()
    assert pack(buffer, source, "name") == Copied(2, 200_009)
    (tmp_path / "out").mkdir()
    subprocess.run(["tar", "-xf", "-", "-C", tmp_path / "out"], input=buffer.getvalue(), check=True)
    copy = tmp_path / "out/name"
    assert (copy / long / long / "file é").read_bytes() == b"deep" * 50_000
    assert (copy / "link").readlink() == Path("nowhere")
    assert (copy / "run").stat().st_mode & 0o777 == 0o755
    with pytest.raises(CopyError, match=r"there is no .*missing to copy"):
        pack(io.BytesIO(), tmp_path / "missing", "x")
