"""Packing and unpacking what is copied, with nothing trusted that a container sends. Blocking: for threads.

Unpacking does not follow links, and makes them last. A symbolic link is made only when it leads into the
copy: it must be relative and may go up, but not after it has gone down, and not further than the copy's top.
Every directory on its way is a real one or another such link, so that none can lead out, together neither.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO, Final, Protocol, cast

import msgspec

from kubewright.machinery.errors import KubewrightError, quoted

__all__ = ["Copied", "CopyError", "pack", "unpack"]

_MAX_HEADER: Final = 1 << 20
"""The largest name or attribute that an archive may have; tarfile reads them whole. Linux has 4 kilobytes for
paths."""

_MAX_LINKS: Final = 100_000
"""The most symbolic links of a copy, which are kept until its end."""

_MAX_SKIPPED: Final = 1_000
"""How many names a result holds of what was left out."""

_BLOCK: Final = 1 << 16
"""How much of a file is in memory at once."""

_HEADERS_WITH_DATA: Final = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)


class CopyError(KubewrightError):
    """Files could not be copied to or from a container, or only in part."""


class Copied(msgspec.Struct, frozen=True):
    """What was copied."""

    files: int
    """How many, without directories and links."""
    size: int
    """Their bytes."""
    skipped: tuple[str, ...] = ()
    """What was left out, at most a thousand names: links that lead out of the copy, devices, sockets."""


class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Sink(Protocol):
    def write(self, data: bytes, /) -> object: ...


class _Member(tarfile.TarInfo):
    """A member whose headers have a bound."""

    # tarfile calls this for each header before it reads what follows; `frombuf`, which is public, is not
    # called by every version.
    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
        if self.type in _HEADERS_WITH_DATA and self.size > _MAX_HEADER:
            raise CopyError(f"the archive has a header of {self.size:,} bytes; tar never writes one as long")
        member: tarfile.TarInfo | None = super()._proc_member(archive)  # type: ignore[misc]
        return member


def unpack(source: _Source, base: str, target: Path, *, inside: bool) -> Copied:
    """Unpack an archive of `base` ("." for the contents of a directory) so that its copy is `target`.

    `inside`: so that it is in `target`, under its own name. Raises CopyError for an archive that cannot be
    right, or that would write elsewhere; TarError for one that is broken or empty; OSError when files cannot
    be written.
    """
    unpacking = _Unpacking(base, target / base if inside else target)
    stream = cast("IO[bytes]", source)
    with tarfile.open(
        fileobj=stream, mode="r|", bufsize=_BLOCK, tarinfo=_Member, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for member in archive:
            unpacking.take(archive, member)
            # tarfile remembers each member, and an archive may have millions.
            archive.members = []  # type: ignore[attr-defined]
    return unpacking.finish()


class _Unpacking:
    """The state of one unpacking."""

    def __init__(self, base: str, target: Path) -> None:
        self._base: Final = base
        self._target = target
        self._links: Final[dict[tuple[str, ...], str]] = {}
        self._skipped: Final[list[str]] = []
        self._files = 0
        self._size = 0

    def take(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        """Unpack one member."""
        where = self._components(member.name)
        if not where and member.isfile() and self._target.is_dir():
            self._target /= self._base
        if member.isdir():
            self._make_directory(where, member.mode)
        elif member.isfile():
            self._write(archive, member, where)
        elif member.islnk():
            self._link(where, self._components(member.linkname))
        elif member.issym():
            self._keep_link(where, member.linkname)
        else:
            self._skip(member.name)

    def finish(self) -> Copied:
        """Make the links, now that nothing is written any more."""
        for where, leads_to in self._links.items():
            path = self._target.joinpath(*where)
            if _mode(path) is not None and S_ISDIR(_mode(path) or 0):
                self._skip("/".join(where))
                continue
            path.unlink(missing_ok=True)
            path.symlink_to(leads_to)
        return Copied(self._files, self._size, tuple(self._skipped))

    def _components(self, name: str) -> tuple[str, ...]:
        """Where a member goes, below the target. Raises CopyError for names that lead elsewhere."""
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if self._base != "." and parts[:1] == [self._base]:
            parts = parts[1:]
        elif self._base != ".":
            parts = [".."]
        if any(
            part == ".." or "\0" in part or (os.sep != "/" and (os.sep in part or ":" in part))
            for part in parts
        ):
            raise CopyError(
                f"the container sent {quoted(name)}, which is not in what was asked for; copying has stopped"
            )
        return tuple(parts)

    def _make_directory(self, where: tuple[str, ...], mode: int = 0o755) -> None:
        """Makes a directory with those that it is in, none of which may be a link."""
        if not where:
            self._target.mkdir(parents=True, exist_ok=True)
            return
        for depth in range(len(where) + 1):
            path = self._target.joinpath(*where[:depth])
            found = _mode(path)
            if found is None:
                last = depth == len(where)
                path.mkdir(_safe(mode, least=0o700) if last else 0o755, parents=depth == 0)
            elif not S_ISDIR(found) and not (depth == 0 and path.is_dir()):
                raise CopyError(
                    f"{path} is no directory, and the container has one of that name; remove it first"
                )

    def _make_room(self, where: tuple[str, ...]) -> Path:
        """Where a file or link goes: its directory is there and the place is free."""
        if where:
            self._make_directory(where[:-1])
        else:
            self._target.parent.mkdir(parents=True, exist_ok=True)
        path = self._target.joinpath(*where)
        found = _mode(path)
        if found is not None and S_ISDIR(found):
            raise CopyError(
                f"{path} is a directory, and the container has a file of that name; remove it first"
            )
        # A file that is there may be a link, or have other names: what it is called elsewhere stays as it is.
        path.unlink(missing_ok=True)
        return path

    def _write(self, archive: tarfile.TarFile, member: tarfile.TarInfo, where: tuple[str, ...]) -> None:
        path = self._make_room(where)
        content = archive.extractfile(member)
        assert content is not None  # noqa: S101 - it is a file
        with content, path.open("xb") as file:
            shutil.copyfileobj(content, file, _BLOCK)
        path.chmod(_safe(member.mode, least=0o600))
        self._files += 1
        self._size += member.size

    def _link(self, where: tuple[str, ...], same_as: tuple[str, ...]) -> None:
        """Another name of a file that was unpacked before."""
        for depth in range(len(same_as)):
            if not S_ISDIR(_mode(self._target.joinpath(*same_as[:depth])) or 0):
                self._skip("/".join(where))
                return
        original = self._target.joinpath(*same_as)
        if where == same_as or not S_ISREG(_mode(original) or 0):
            self._skip("/".join(where))
            return
        self._make_room(where).hardlink_to(original)
        self._files += 1

    def _keep_link(self, where: tuple[str, ...], leads_to: str) -> None:
        if not where:
            raise CopyError(f"what was asked for is a link to {quoted(leads_to)}; copy that")
        if len(self._links) >= _MAX_LINKS:
            raise CopyError(
                f"there are more than {_MAX_LINKS:,} links in what was asked for; copy it in parts"
            )
        if not _stays_inside(leads_to, depth=len(where) - 1):
            self._skip("/".join(where))
            return
        self._make_directory(where[:-1])
        self._links[where] = leads_to

    def _skip(self, name: str) -> None:
        if len(self._skipped) < _MAX_SKIPPED:
            self._skipped.append(name)


def pack(sink: _Sink, source: Path, name: str) -> Copied:
    """Write an archive of a file or a directory, which is called `name` in it.

    Raises CopyError when there is nothing of that name, and OSError when it cannot be read.
    """
    files = size = 0

    def ours(member: tarfile.TarInfo) -> tarfile.TarInfo:
        nonlocal files, size
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        if member.isreg():
            files += 1
            size += member.size
        return member

    if not os.path.lexists(source):
        raise CopyError(f"there is no {source} to copy")
    stream = cast("IO[bytes]", sink)
    # GNU's format is the one that every tar reads with names of any length, that of busybox too.
    with tarfile.open(
        fileobj=stream, mode="w|", bufsize=_BLOCK, format=tarfile.GNU_FORMAT, encoding="utf-8"
    ) as archive:
        # What was asked for is what it leads to; links below it are copied as links.
        archive.add(source.resolve(), arcname=name, filter=ours)
    return Copied(files, size)


def _mode(path: Path) -> int | None:
    """The kind and permissions of what has a name, links not followed; None when nothing has."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None


def _safe(mode: int, *, least: int) -> int:
    """Permissions without those to write for others, and without setuid and the like."""
    return (mode & 0o755) | least


def _stays_inside(leads_to: str, *, depth: int) -> bool:
    """Whether a link in a directory so deep leads into the copy, whatever the other links are."""
    if (
        leads_to.startswith("/")
        or "\0" in leads_to
        or (os.sep != "/" and (os.sep in leads_to or ":" in leads_to))
    ):
        return False
    up, down = 0, False
    for part in leads_to.split("/"):
        if part == ".." and down:
            return False
        if part == "..":
            up += 1
        elif part not in ("", "."):
            down = True
    return up <= depth
