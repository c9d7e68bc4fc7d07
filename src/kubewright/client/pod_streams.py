"""What flows between a program and a pod, as methods of `Api`: logs, commands, ports and files."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from os import PathLike
from typing import TYPE_CHECKING, Generic

from kubewright.client.forms import K
from kubewright.client.objects import Objects

if TYPE_CHECKING:
    from kubewright.client.streams.commands import ExecResult, StdinSource
    from kubewright.client.streams.copying import Copied
    from kubewright.client.streams.forwarding import PortForward
    from kubewright.client.streams.session import Session

__all__ = ["PodStreams"]

_NO_PORTS: Mapping[int, int] = {}


class PodStreams(Objects[K], Generic[K]):
    """The part of `Api` that is about what flows between a program and a pod.

    Of the built-in kinds only pods have these. A pod with several containers wants to know which one is
    meant, by `container`, unless one is annotated as the default; servers answer BadRequest and name them.
    """

    async def logs(
        self,
        name: str,
        *,
        container: str = "",
        follow: bool = False,
        previous: bool = False,
        since: timedelta | int | None = None,
        since_time: datetime | None = None,
        tail: int | None = None,
        timestamps: bool = False,
        limit_bytes: int | None = None,
    ) -> AsyncGenerator[str, None]:
        """The lines of a log, without their newlines: `async for line in pods.logs("web-0", follow=True):
        ...`.

        `follow` waits for what will be written, until the container ends; `previous` is the log of the
        container before its restart; `since` (a timedelta, or seconds), `since_time` and `tail` (lines) say
        where to begin, `limit_bytes` where to end; `timestamps` begins each line with its time. What is no
        UTF-8 becomes U+FFFD, and a line longer than a megabyte comes in pieces. Raises TransportError when
        the connection breaks.
        """
        from kubewright.client.streams.logs import LogOptions, read_logs  # noqa: PLC0415 - as in all here: not
        # every program uses them, and importing takes time.

        options = LogOptions(
            container=container,
            follow=follow,
            previous=previous,
            since=since,
            since_time=since_time,
            tail=tail,
            timestamps=timestamps,
            limit_bytes=limit_bytes,
        )
        lines = read_logs(self._sender, await self._path(name, "log"), options)
        try:
            async for line in lines:
                yield line
        finally:
            await lines.aclose()

    async def log_text(
        self,
        name: str,
        *,
        container: str = "",
        previous: bool = False,
        since: timedelta | int | None = None,
        since_time: datetime | None = None,
        tail: int | None = None,
        timestamps: bool = False,
        limit_bytes: int | None = None,
    ) -> str:
        """What a container has written so far, as one text; the options are those of `logs`.

        Raises KubewrightError for a log of more than 64 megabytes.
        """
        from kubewright.client.streams.logs import LogOptions, log_text  # noqa: PLC0415 - as in `logs`

        options = LogOptions(
            container=container,
            previous=previous,
            since=since,
            since_time=since_time,
            tail=tail,
            timestamps=timestamps,
            limit_bytes=limit_bytes,
        )
        return await log_text(self._sender, await self._path(name, "log"), options)

    async def exec(
        self,
        name: str,
        command: Sequence[str],
        *,
        container: str = "",
        stdin: StdinSource = None,
        tty: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - it says what was waited for
        check: bool = False,
        max_output: int | None = None,
    ) -> ExecResult:
        """Run a command in a container to its end: `result = await pods.exec("web-0", ["sh", "-c", "id"])`.

        `stdin` is all that the command reads; it is not sent faster than it is read. With `tty` all output is
        in `stdout`. Raises ApiError when the command cannot be run (InternalError where there is no such
        program), CommandFailed for an exit code other than 0 if `check` asks for that, OutputTooLarge past
        `max_output` bytes (64 megabytes), RequestTimeout after `timeout` seconds (the command may go on in
        the container), and TransportError when the connection ends before the command. With servers before
        Kubernetes 1.30, `stdin` raises KubewrightError: they have no word for the end of the input. For a
        command that ends amid much unread input, TransportError may come in place of the exit code where
        the event loop is uvloop's, which reads no more once a write has failed.
        """
        from kubewright.client.streams.commands import MAX_OUTPUT, run_command  # noqa: PLC0415 - as in `logs`

        return await run_command(
            self._sender,
            await self._path(name, "exec"),
            command,
            container=container,
            stdin=stdin,
            tty=tty,
            timeout=timeout,
            check=check,
            max_output=MAX_OUTPUT if max_output is None else max_output,
        )

    @asynccontextmanager
    async def exec_stream(
        self,
        name: str,
        command: Sequence[str],
        *,
        container: str = "",
        stdin: bool = False,
        tty: bool = False,
    ) -> AsyncIterator[Session]:
        """Run a command and speak with it: `async with pods.exec_stream("web-0", ["sh"], stdin=True) as
        session: ...`.

        `async for stream, data in session` is its output, `session.write` its input, `session.exit_code` how
        it ended. Leaving the block closes the connection; whether that ends the command is up to it. Raises
        as `exec` does.
        """
        from kubewright.client.streams.session import checked_command, open_session  # noqa: PLC0415 - as in `logs`

        words = checked_command(command)
        path = await self._path(name, "exec")
        async with open_session(
            self._sender, path, command=words, container=container, stdin=stdin, tty=tty
        ) as session:
            yield session

    @asynccontextmanager
    async def attach(
        self, name: str, *, container: str = "", stdin: bool = False, tty: bool = False
    ) -> AsyncIterator[Session]:
        """Speak with what runs in a container as its main process, as with a command of `exec_stream`.

        `stdin` and `tty` need a container whose spec has them.
        """
        from kubewright.client.streams.session import open_session  # noqa: PLC0415 - as in `logs`

        path = await self._path(name, "attach")
        async with open_session(self._sender, path, container=container, stdin=stdin, tty=tty) as session:
            yield session

    @asynccontextmanager
    async def port_forward(
        self, name: str, *ports: int, listen: bool = True, local_ports: Mapping[int, int] = _NO_PORTS
    ) -> AsyncIterator[PortForward]:
        """Reach ports of a pod: `async with pods.port_forward("web-0", 8080) as forward: ...`.

        `await forward.open(8080)` is a connection in the program; `forward.local_port(8080)` is a port of
        127.0.0.1 that leads there, any free one unless `local_ports` says which. `listen=False` leaves the
        latter out. The pod is asked for at each connection: `open` raises NotFound and the like, and a local
        connection that fails is closed and logged. A connection cannot be closed in one direction only.
        """
        from kubewright.client.streams.forwarding import open_port_forward  # noqa: PLC0415 - as in `logs`

        path = await self._path(name, "portforward")
        async with open_port_forward(
            self._sender, path, ports, listen=listen, local_ports=local_ports
        ) as forward:
            yield forward

    async def copy_from(
        self, name: str, remote_path: str, local_path: str | PathLike[str], *, container: str = ""
    ) -> Copied:
        """Copy a file or a directory out of a container, which must have tar.

        `local_path` is the name of the copy, or the directory to put it in if it ends with a slash or a file
        is copied and it is a directory. Directories that are there are filled up, files replaced. Nothing is
        written outside of it: names that lead out raise CopyError; links that do are left out, as are
        devices, and named in the result. Raises CopyError with tar's own words when it fails; then a part may
        have been copied.
        """
        from kubewright.client.streams.copying import copy_from  # noqa: PLC0415 - as in `logs`

        path = await self._path(name, "exec")
        return await copy_from(self._sender, path, name, remote_path, local_path, container=container)

    async def copy_to(
        self, name: str, local_path: str | PathLike[str], remote_path: str, *, container: str = ""
    ) -> Copied:
        """Copy a file or a directory into a container, which must have tar.

        `remote_path` is the name of the copy, or the directory to put it in if it ends with a slash; that it
        is in must be there. The copy belongs to the user of the container. Raises CopyError with tar's own
        words when it fails; then a part may have been copied.
        """
        from kubewright.client.streams.copying import copy_to  # noqa: PLC0415 - as in `logs`

        path = await self._path(name, "exec")
        return await copy_to(self._sender, path, name, local_path, remote_path, container=container)
