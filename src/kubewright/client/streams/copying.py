"""Copying files to and from a container: tar at both ends of a command, as kubectl does it.

tar runs in a thread here, since files block; it takes and gives bytes through the event loop, a message at a
time, so that neither side is ahead of the other by more than that.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import posixpath
import re
import tarfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, NoReturn, TypeVar

from kubewright.client.sender import Sender
from kubewright.client.streams.archives import Copied, CopyError, pack, unpack
from kubewright.client.streams.session import Output, Session, open_session
from kubewright.machinery.errors import ApiError, ParseError, TransportError

__all__ = ["Copied", "CopyError", "copy_from", "copy_to"]

_T = TypeVar("_T")

_SHOWN: Final = 1000
"""How many bytes of tar's complaints an error shows: the first ones, which are about the cause."""

_NO_PROGRAM: Final = re.compile(r"not found|no such file or directory", re.IGNORECASE)
"""How container runtimes say that there is no such program; they have no code for it."""

_NOT_RUN: Final = frozenset({126, 127})
"""Exit codes of a program that could not be run or was not found, by which some runtimes tell."""


async def copy_from(
    sender: Sender,
    path: str,
    pod: str,
    remote_path: str,
    local_path: str | os.PathLike[str],
    *,
    container: str,
) -> Copied:
    """Copy out of a container; see `Api.copy_from`."""
    directory, base = _split(remote_path)
    # Named from ./ on, so that no name is taken for an option.
    command = ["tar", "-cf", "-", "-C", directory, "." if base == "." else f"./{base}"]
    inside = os.fspath(local_path).endswith(("/", os.sep))
    target = Path(local_path)

    async with open_session(
        sender, path, command=command, container=container, stdin=False, tty=False
    ) as session:
        source = _Reader(session)
        try:
            copied = await source.in_thread(lambda: unpack(source, base, target, inside=inside))
        except tarfile.TarError as error:
            # Most often tar has failed, and says why.
            await source.finish(pod)
            raise CopyError(f"the tar of pod {pod} sent no archive: {error}") from None
        except ApiError as error:
            _explain(error, pod)
        except (OSError, ValueError) as error:
            if isinstance(error, TransportError):
                raise
            raise CopyError(f"cannot write the copy of {remote_path}: {error}") from None
        await source.finish(pod)
    return copied


async def copy_to(
    sender: Sender,
    path: str,
    pod: str,
    local_path: str | os.PathLike[str],
    remote_path: str,
    *,
    container: str,
) -> Copied:
    """Copy into a container; see `Api.copy_to`."""
    source = Path(local_path)
    directory, base = _split(remote_path)
    if remote_path.endswith("/") or base == ".":
        directory, base = remote_path, _own_name(source)
    command = ["tar", "-xmf", "-", "-C", directory]

    async with open_session(
        sender, path, command=command, container=container, stdin=True, tty=False
    ) as session:
        session.check_stdin_can_end()
        ending = asyncio.create_task(_Reader(session).finish(pod))
        sink = _Writer(session, ending, pod)
        packing = asyncio.create_task(sink.in_thread(lambda: pack(sink, source, base)))
        try:
            copied = await packing
            # tar may have ended already: not every one reads what comes behind the end of the archive.
            with suppress(TransportError):
                await session.close_stdin()
            await ending
        except (OSError, tarfile.TarError) as error:
            if isinstance(error, TransportError):
                raise
            raise CopyError(f"cannot read {os.fspath(local_path)}: {error}") from None
        finally:
            for task in (ending, packing):
                task.cancel()
            await asyncio.gather(ending, packing, return_exceptions=True)
    return copied


class _Bridge:
    """Lets a thread wait for the event loop, and ends its wait when nobody waits for the thread any more."""

    def __init__(self, session: Session) -> None:
        self._session: Final = session
        self._loop: Final = asyncio.get_running_loop()
        self._lock: Final = Lock()
        self._pending: concurrent.futures.Future[Any] | None = None
        self._stopped = False

    async def in_thread(self, work: Callable[[], _T]) -> _T:
        """Do blocking work that uses this; it has ended when this has, also when cancelled."""
        working = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            self._stop()
            await asyncio.wait((working,))
            working.cancelled() or working.exception()
            raise

    def _wait_for(self, step: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Called in the thread."""
        with self._lock:
            if self._stopped:
                raise concurrent.futures.CancelledError
            pending = asyncio.run_coroutine_threadsafe(step(), self._loop)
            self._pending = pending
        return pending.result()

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._pending is not None:
                self._pending.cancel()


class _Reader(_Bridge):
    """The output of tar as a file."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._outputs: Final[AsyncIterator[Output]] = aiter(session)
        self._rest = b""
        self._complaints = b""

    def read(self, size: int) -> bytes:
        """Called in the thread: at most so many bytes; empty at the end."""
        if not self._rest:
            self._rest = self._wait_for(self._next)
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    async def finish(self, pod: str) -> None:
        """Read to tar's end. Raises CopyError when it has failed."""
        try:
            while await self._next():
                pass
        except ApiError as error:
            _explain(error, pod)
        code = self._session.exit_code
        if code in _NOT_RUN:
            raise _no_tar(pod)
        if code != 0:
            told = self._complaints.decode(errors="replace").strip() or "no reason given"
            raise CopyError(f"the tar of pod {pod} failed with exit code {code}: {told}")

    async def _next(self) -> bytes:
        """Some of stdout; empty at the end."""
        async for stream, data in self._outputs:
            if stream == "stdout":
                return data
            self._complaints += data[: _SHOWN - len(self._complaints)]
        return b""


class _Writer(_Bridge):
    """The input of tar as a file."""

    def __init__(self, session: Session, ending: asyncio.Task[None], pod: str) -> None:
        super().__init__(session)
        self._ending: Final = ending
        self._pod: Final = pod

    def write(self, data: bytes) -> int:
        """Called in the thread."""
        self._wait_for(lambda: self._put(data))
        return len(data)

    async def _put(self, data: bytes) -> None:
        """Gives data to tar. Raises what tar's end does, and CopyError when it ended well and too early."""
        ending = self._ending
        if ending.done():
            ending.result()
            # An archive ends with zeros, some of which are there for tapes alone.
            if data.strip(b"\0"):
                raise CopyError(
                    f"the tar of pod {self._pod} ended before it had read all; a part may be copied"
                )
            return
        writing = asyncio.create_task(self._session.write(data))
        try:
            await asyncio.wait((writing, ending), return_when=asyncio.FIRST_COMPLETED)
            if writing.done() and writing.exception() is None:
                return
            # Why it cannot be written is what tar's end tells, or how the connection broke.
            await asyncio.wait((ending,))
            ending.result()
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)


def _own_name(source: Path) -> str:
    return source.name if source.name not in ("", "..") else source.resolve().name


def _split(remote_path: str) -> tuple[str, str]:
    """The directory that a path is in and its name there; "." where it has no name of its own."""
    if not remote_path or "\0" in remote_path:
        raise ParseError("the path in the container is empty, or has a character that no path has")
    directory, base = posixpath.split(remote_path.rstrip("/"))
    if base in ("", ".", ".."):
        return remote_path, "."
    return directory or ".", base


def _explain(error: ApiError, pod: str) -> NoReturn:
    if _NO_PROGRAM.search(error.status.message) and "tar" in error.status.message:
        raise _no_tar(pod) from error
    raise error


def _no_tar(pod: str) -> CopyError:
    return CopyError(
        f"there is no tar in the container of pod {pod}, and copying needs one; use exec with "
        "a program that it has, such as cat, or an ephemeral container"
    )
