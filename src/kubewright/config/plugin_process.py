"""Running a credential plugin: bounded in time and output, and never left behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.config.errors import ConfigError

__all__ = ["MAX_OUTPUT", "NotInstalled", "is_terminal", "run_plugin"]

MAX_OUTPUT: Final = 1 << 20
"""Bytes of output that are read: credentials are a few kilobytes, and no server takes larger headers."""

_STANDARD_INPUT: Final = 0


class NotInstalled(ConfigError):
    """There is no such program, or it may not be run."""


def is_terminal() -> bool:
    """Whether somebody can answer on this process's standard input."""
    try:
        return os.isatty(_STANDARD_INPUT)
    except OSError:
        return False


async def run_plugin(
    command: str,
    arguments: Sequence[str],
    *,
    environ: Mapping[str, str],
    interactive: bool,
    quiet: bool = False,
    timeout: float,  # noqa: ASYNC109 - it belongs to the sentence that is raised
) -> bytes:
    """What a plugin printed on its standard output; its standard error is ours, or nobody's with `quiet`.

    Standard input is passed on when the plugin is interactive. Otherwise it runs in a session of its own, so
    that it and all that it started can be killed together; an interactive one cannot leave ours without
    losing the terminal. Whatever happens, also when the caller is cancelled, it does not outlive this call.
    Raises NotInstalled, and ConfigError for a plugin that fails, prints too much or takes too long.
    """
    program = _found(command, environ)
    reader, writer = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            env=dict(environ),
            stdin=None if interactive else asyncio.subprocess.DEVNULL,
            stdout=writer,
            stderr=asyncio.subprocess.DEVNULL if quiet else None,
            start_new_session=not interactive,
        )
    except (OSError, ValueError) as error:
        os.close(reader)
        reason = (
            error.strerror if isinstance(error, OSError) else "its arguments or variables hold a NUL byte"
        )
        raise NotInstalled(f"the credential plugin {command!r} cannot be started: {reason}") from None
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    complete = False
    try:
        async with asyncio.timeout(timeout):
            output = await _read(reader)
            if len(output) > MAX_OUTPUT:
                raise ConfigError(
                    f"the credential plugin {command!r} printed more than {MAX_OUTPUT} bytes; "
                    "it must print one ExecCredential"
                )
            complete = True
            code = await process.wait()
    except TimeoutError:
        raise ConfigError(
            f"the credential plugin {command!r} did not finish within {timeout:g} seconds and was killed; "
            "run it by hand to see what it waits for"
        ) from None
    finally:
        if process.returncode is None or not complete:
            _kill(process.pid, group=not interactive)
            await process.wait()
    if code != 0:
        raise ConfigError(
            f"the credential plugin {command!r} failed with {_ended(code)}; "
            + ("run it by hand to see why" if quiet else "what it wrote to standard error says why")
        )
    return output


def _found(command: str, environ: Mapping[str, str]) -> str:
    """The program that a command names, looked for in PATH when it has no slash."""
    found = shutil.which(command, path=environ.get("PATH", ""))
    # As Go does: what is found through a relative entry of PATH, such as ".", is not run.
    if found is None or not (os.path.isabs(found) or os.sep in command):
        raise NotInstalled(f"the credential plugin {command!r} is not installed, or is not in PATH")
    return found


async def _read(reader: int) -> bytes:
    """All that comes out of a pipe, or a little more than MAX_OUTPUT of it; the pipe is closed then."""
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reader, "rb", buffering=0)
    )
    output = bytearray()
    try:
        while len(output) <= MAX_OUTPUT:
            chunk = await stream.read(1 << 16)
            if not chunk:
                break
            output += chunk
    finally:
        transport.close()
    return bytes(output)


def _kill(pid: int, *, group: bool) -> None:
    try:
        if group:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
