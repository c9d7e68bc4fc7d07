"""Running a command in a container to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from kubewright.client.sender import Sender
from kubewright.client.streams.session import Session, checked_command, open_session
from kubewright.machinery.errors import KubewrightError, RequestTimeout, TransportError

__all__ = ["MAX_OUTPUT", "CommandFailed", "ExecResult", "OutputTooLarge", "StdinSource", "run_command"]

MAX_OUTPUT: Final = 64 << 20
"""How many bytes of output are collected unless the caller says otherwise: far more than is read by eye, and
what a program of modest size can hold."""

_SHOWN: Final = 500
"""How many characters of stderr an error shows: the end, where the reason is."""

StdinSource: TypeAlias = bytes | str | AsyncIterable[bytes] | None


class ExecResult(msgspec.Struct, frozen=True):
    """What a command wrote and how it ended."""

    stdout: bytes
    stderr: bytes
    exit_code: int

    @property
    def stdout_text(self) -> str:
        """stdout as text; what is no UTF-8 becomes U+FFFD."""
        return self.stdout.decode(errors="replace")

    @property
    def stderr_text(self) -> str:
        """stderr as text; what is no UTF-8 becomes U+FFFD."""
        return self.stderr.decode(errors="replace")


class CommandFailed(KubewrightError):
    """A command that was to succeed ended with another exit code than 0."""

    def __init__(self, command: Sequence[str], result: ExecResult) -> None:
        told = result.stderr_text.strip()[-_SHOWN:]
        super().__init__(f"{command[0]} ended with exit code {result.exit_code}{': ' if told else ''}{told}")
        self.result: Final = result


class OutputTooLarge(KubewrightError):
    """A command wrote more than was to be collected."""


async def run_command(
    sender: Sender,
    path: str,
    command: Sequence[str],
    *,
    container: str,
    stdin: StdinSource,
    tty: bool,
    timeout: float | None,  # noqa: ASYNC109 - it says what was waited for
    check: bool,
    max_output: int,
) -> ExecResult:
    """Run a command to its end; see `Api.exec`."""
    words = checked_command(command)
    try:
        async with (
            asyncio.timeout(timeout) as deadline,
            open_session(
                sender, path, command=words, container=container, stdin=stdin is not None, tty=tty
            ) as session,
        ):
            result = await _collect(session, stdin, max_output)
    except TimeoutError as error:
        if isinstance(error, RequestTimeout) or not deadline.expired():
            raise
        raise RequestTimeout(
            f"{words[0]} did not end within {timeout:g} seconds; it may be running still"
        ) from None
    if check and result.exit_code != 0:
        raise CommandFailed(words, result)
    return result


async def _collect(session: Session, stdin: StdinSource, max_output: int) -> ExecResult:
    """Feeds and reads at once; a command that ends without reading its input has ended all the same."""
    if stdin is not None:
        session.check_stdin_can_end()
    reading = asyncio.create_task(_read(session, max_output))
    tasks: list[asyncio.Task[Any]] = [reading]
    if stdin is not None:
        tasks.append(asyncio.create_task(_feed(session, stdin)))
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        await reading
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return _result(session, reading.result())


async def _feed(session: Session, stdin: bytes | str | AsyncIterable[bytes]) -> None:
    """Writes all of a source to a command, and ends its input."""
    if isinstance(stdin, AsyncIterable):
        async for part in stdin:
            if not await _written(session, part):
                return
    elif not await _written(session, stdin):
        return
    try:
        await session.close_stdin()
    except TransportError:
        return


async def _written(session: Session, data: bytes | str) -> bool:
    """Whether the connection still takes data; why it does not is for the reader to tell."""
    try:
        await session.write(data)
    except TransportError:
        return False
    return True


async def _read(session: Session, max_output: int) -> dict[str, list[bytes]]:
    collected: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    size = 0
    async for stream, data in session:
        size += len(data)
        if size > max_output:
            raise OutputTooLarge(
                f"the command wrote more than {max_output:,} bytes; allow more with max_output, or read it "
                "as it comes with exec_stream"
            )
        collected[stream].append(data)
    return collected


def _result(session: Session, collected: dict[str, list[bytes]]) -> ExecResult:
    exit_code = session.exit_code
    assert exit_code is not None  # noqa: S101 - reading ends with it, or raises
    return ExecResult(b"".join(collected["stdout"]), b"".join(collected["stderr"]), exit_code)
